package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/uritemplate"
)

// join puts together what the servers have, and sets the routes to it. It must
// not run twice at the same time.
func (g *gateway) join(which lists) joined {
	var all joined
	next := newRoutes(g.routes.Load())
	if which&toolsList != 0 {
		next.tools = map[string]target{}
		all.tools = g.joinTools(next.tools)
	}
	if which&promptsList != 0 {
		next.prompts = map[string]target{}
		all.prompts = g.joinPrompts(next.prompts)
	}
	if which&resourcesList != 0 {
		next.resources, next.templates = map[string]target{}, nil
		g.joinResources(next, &all)
	}
	g.routes.Store(next)
	return all
}

// joinTools joins the tools that are allowed.
func (g *gateway) joinTools(routes map[string]target) (all []listed[core.Tool]) {
	for _, u := range g.upstreams {
		have, connected := u.inventory()
		var own []string
		var definitions []json.RawMessage
		for _, tool := range have.tools {
			if u.entry.Allows(tool.Name) {
				own, definitions = append(own, tool.Name), append(definitions, tool.Definition)
			}
		}
		names := g.names.serve(toolKind, u.name, own)
		var notes []string
		for i, name := range names {
			if !g.settings.allows(name, u.name+g.settings.separator+own[i]) {
				continue
			}
			made := core.Tool{Name: name, Raw: definitions[i], Handler: g.callTool}
			if err := checkTool(made); err != nil {
				notes = append(notes, fmt.Sprintf("the tool %q is left out: %s", own[i], oneLine(err)))
				continue
			}
			routes[name] = target{u, own[i], name, isRepeatable(definitions[i])}
			notes = append(notes, g.names.note("tool", u.name, own[i], name)...)
			if connected {
				all = append(all, listed[core.Tool]{name, definitions[i], made})
			}
		}
		u.setProblems(toolsList, notes)
	}
	return all
}

// checkTool tells why a tool cannot be served.
func checkTool(tool core.Tool) error {
	if gjson.GetBytes(tool.Raw, "execution.taskSupport").Str == "required" {
		return fmt.Errorf("it can only be called as a task, and the gateway has no tasks")
	}
	return core.CheckTool(tool)
}

func isRepeatable(definition json.RawMessage) bool {
	annotations := gjson.GetBytes(definition, "annotations")
	return annotations.Get("readOnlyHint").Bool() || annotations.Get("idempotentHint").Bool()
}

// joinPrompts joins the prompts.
func (g *gateway) joinPrompts(routes map[string]target) (all []listed[core.Prompt]) {
	for _, u := range g.upstreams {
		have, connected := u.inventory()
		var own []string
		var definitions []json.RawMessage
		var notes []string
		for _, definition := range have.prompts {
			name := gjson.GetBytes(definition, "name")
			if name.Type != gjson.String || name.Str == "" {
				notes = append(notes, "a prompt is left out: it has no name")
				continue
			}
			own, definitions = append(own, name.Str), append(definitions, definition)
		}
		for i, name := range g.names.serve(promptKind, u.name, own) {
			made := core.Prompt{Name: name, Raw: definitions[i], Handler: g.getPrompt}
			if err := core.CheckPrompt(made); err != nil {
				notes = append(notes, fmt.Sprintf("the prompt %q is left out: %s", own[i], oneLine(err)))
				continue
			}
			if _, twice := routes[name]; twice {
				notes = append(notes, fmt.Sprintf("the prompt %q is listed twice", own[i]))
				continue
			}
			routes[name] = target{u, own[i], name, true}
			notes = append(notes, g.names.note("prompt", u.name, own[i], name)...)
			if connected {
				all = append(all, listed[core.Prompt]{name, definitions[i], made})
			}
		}
		u.setProblems(promptsList, notes)
	}
	return all
}

// joinResources joins resources and templates. A URI is the first server's that
// has it, in the order of the configuration; the others' get their server's name
// in front.
func (g *gateway) joinResources(routes *routes, all *joined) {
	templates := map[string]target{}
	for _, u := range g.upstreams {
		have, connected := u.inventory()
		var notes []string
		for _, definition := range have.resources {
			uri := gjson.GetBytes(definition, "uri").Str
			t, note := u.claim(routes.resources, uri)
			made := core.Resource{URI: t.served, Raw: definition, Read: g.readResource}
			if err := core.CheckResource(made); err != nil {
				notes = append(notes, fmt.Sprintf("the resource %q is left out: %s", uri, oneLine(err)))
				continue
			}
			routes.resources[t.served] = t
			notes = append(notes, note...)
			if connected {
				all.resources = append(all.resources, listed[core.Resource]{t.served, definition, made})
			}
		}
		for _, definition := range have.templates {
			text := gjson.GetBytes(definition, "uriTemplate").Str
			t, note := u.claim(templates, text)
			made := core.Template{URITemplate: t.served, Raw: definition}
			if err := core.CheckTemplate(made); err != nil {
				notes = append(notes, fmt.Sprintf("the template %q is left out: %s", text, oneLine(err)))
				continue
			}
			templates[t.served] = t
			routes.templates = append(routes.templates, servedTemplate{t, patternOf(text)})
			notes = append(notes, note...)
			if connected {
				all.templates = append(all.templates, listed[core.Template]{t.served, definition, made})
			}
		}
		u.setProblems(resourcesList, notes)
	}
}

// claim gives the URI, or the template, under which a server's own one is
// served.
func (u *upstream) claim(taken map[string]target, own string) (t target, note []string) {
	t = target{upstream: u, name: own, served: own, repeatable: true}
	first, isTaken := taken[own]
	if !isTaken || first.upstream == u {
		return t, nil
	}
	t.served = u.qualified(own)
	return t, []string{fmt.Sprintf("%q is served as %q, since the server %s has it, too", own, t.served, first.upstream.name)}
}

// qualified gives a URI of the server under which it can be read whoever else
// has it.
func (u *upstream) qualified(uri string) string { return u.scheme + uri }

// unqualified gives the server's own URI for one that begins with its name.
func (u *upstream) unqualified(uri string) (own string, found bool) {
	return strings.CutPrefix(uri, u.scheme)
}

// schemeOf gives what stands before the qualified URIs of a server: its name, as
// far as it can begin a URI, and a plus sign.
func schemeOf(name string) string {
	allowed := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, name)
	if first := allowed[0] | 0x20; first < 'a' || first > 'z' {
		allowed = "s" + allowed
	}
	return allowed + "+"
}

// patternOf gives nil for a template that URIs cannot be matched with.
func patternOf(text string) core.URIPattern {
	pattern := uritemplate.New(text)
	if pattern.Validate() != nil {
		return nil
	}
	return pattern
}
