package gateway

import (
	"encoding/json"
	"sync"

	"mcpserver/core"
)

// publishing is what the client has been given to list: the definitions by name
// or URI.
type publishing struct {
	mu                                   sync.Mutex
	tools, prompts, resources, templates map[string]string
}

// listed is something that is to be listed.
type listed[D any] struct {
	key        string
	definition json.RawMessage
	value      D
}

// publish joins what the servers have, and lets the client know what is another
// one than before. A server may be the one that has just come; nil is none.
func (g *gateway) publish(which lists, come *upstream) {
	p := &g.publishing
	p.mu.Lock()
	defer p.mu.Unlock()
	joined := g.join(which)
	if which&toolsList != 0 {
		p.tools = update(p.tools, joined.tools, g.host.AddTools, g.host.RemoveTools)
	}
	if which&promptsList != 0 {
		p.prompts = update(p.prompts, joined.prompts, g.host.AddPrompts, g.host.RemovePrompts)
	}
	if which&resourcesList != 0 {
		p.resources = update(p.resources, joined.resources, g.host.AddResources, g.host.RemoveResources)
		p.templates = update(p.templates, joined.templates, g.host.AddTemplates, g.host.RemoveTemplates)
		g.watchAgain(come)
	}
}

// update adds what is new or different, and removes what is gone. It gives what
// is listed now.
func update[D any](before map[string]string, wanted []listed[D], add func(...D) error, remove func(...string) int) map[string]string {
	now := make(map[string]string, len(wanted))
	var added []D
	for _, entry := range wanted {
		definition := string(entry.definition)
		now[entry.key] = definition
		if old, known := before[entry.key]; !known || old != definition {
			added = append(added, entry.value)
		}
	}
	var removed []string
	for key := range before {
		if _, stays := now[key]; !stays {
			removed = append(removed, key)
		}
	}
	if len(removed) > 0 {
		remove(removed...)
	}
	if len(added) > 0 {
		// What cannot be listed was left out before; of anything else the runner
		// tells in its trace and in about_tsar-mcp.
		_ = add(added...)
	}
	return now
}

// joined is what all servers have together.
type joined struct {
	tools     []listed[core.Tool]
	prompts   []listed[core.Prompt]
	resources []listed[core.Resource]
	templates []listed[core.Template]
}
