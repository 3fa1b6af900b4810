package gateway

import "mcpserver/core"

// target is what a served name or URI stands for.
type target struct {
	upstream *upstream
	name     string // the server's own name or URI
	// served is the name or URI that the client knows it by; for a URI, it
	// differs only if another server has that, too.
	served string
	// repeatable says that the tool is annotated as read-only or idempotent.
	repeatable bool
}

// routes tell whose is what. They also know what is not there at the moment, so
// that a request for it gets the reason. They never change.
type routes struct {
	tools, prompts, resources map[string]target
	templates                 []servedTemplate
}

// servedTemplate is a template of a server.
type servedTemplate struct {
	target
	pattern core.URIPattern
}

// newRoutes gives routes with some of the old ones.
func newRoutes(old *routes) *routes {
	if old == nil {
		return &routes{tools: map[string]target{}, prompts: map[string]target{}, resources: map[string]target{}}
	}
	copied := *old
	return &copied
}

// toolsOf counts the tools of a server.
func (r *routes) toolsOf(u *upstream) (count int) {
	for _, t := range r.tools {
		if t.upstream == u {
			count++
		}
	}
	return count
}

// template gives what stands for a template's text.
func (r *routes) template(text string) (target, bool) {
	for _, candidate := range r.templates {
		if candidate.served == text {
			return candidate.target, true
		}
	}
	return target{}, false
}
