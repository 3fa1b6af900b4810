package server

import (
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// method is one row of the method table.
type method struct {
	name string
	// since and until are the first and the last revision that have it.
	since, until protocol.Revision
	// needs is the capability that the server must declare for it; nil when
	// every server serves it.
	needs func(c *connection) bool
	// cacheable says that modern results carry caching hints.
	cacheable bool
	// serve answers a request of that method. It reports whether its goroutine
	// is still the reading one.
	serve func(r *reading, q *request, m *wire.Message) (still bool)
}

// methodTable lists every request that the core serves. No method is known
// anywhere else.
func methodTable() map[string]*method {
	const first, legacy, newest = protocol.V20241105, protocol.NewestLegacy, protocol.Ceiling
	rows := append([]method{
		{"initialize", first, legacy, nil, false, (*reading).initialize},
		{"ping", first, legacy, nil, false, (*reading).ping},
		{"tools/list", first, newest, (*connection).hasTools, true, (*reading).listTools},
		{"tools/call", first, newest, (*connection).hasTools, false, (*reading).callTool},
		{"resources/list", first, newest, (*connection).hasResources, true, (*reading).listResources},
		{"resources/templates/list", first, newest, (*connection).hasResources, true, (*reading).listTemplates},
		{"resources/read", first, newest, (*connection).hasResources, true, (*reading).readResource},
		{"resources/subscribe", first, legacy, (*connection).hasSubscriptions, false, (*reading).subscribe},
		{"resources/unsubscribe", first, legacy, (*connection).hasSubscriptions, false, (*reading).unsubscribe},
		{"prompts/list", first, newest, (*connection).hasPrompts, true, (*reading).listPrompts},
		{"prompts/get", first, newest, (*connection).hasPrompts, false, (*reading).getPrompt},
		{"completion/complete", first, newest, (*connection).hasCompletions, false, (*reading).complete},
		{"logging/setLevel", first, legacy, (*connection).hasLogging, false, (*reading).setLevel},
	}, modernMethods()...)
	table := make(map[string]*method, len(rows))
	for i := range rows {
		table[rows[i].name] = &rows[i]
	}
	return table
}

// exists reports whether the revision has the method.
func (m *method) exists(revision protocol.Revision) bool {
	return m.since <= revision && revision <= m.until
}

// hasTools: the built-in tools are always there.
func (c *connection) hasTools() bool { return true }

func (c *connection) hasLogging() bool { return c.aspect.Logging }
