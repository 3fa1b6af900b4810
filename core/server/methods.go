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
	// serve answers a request of that method. It reports whether its goroutine
	// is still the reading one.
	serve func(r *reading, q *request, m *wire.Message) (still bool)
}

// methodTable lists every request that the core serves. No method is known
// anywhere else.
func methodTable() map[string]*method {
	rows := []method{
		{"initialize", protocol.V20241105, protocol.NewestLegacy, nil, (*reading).initialize},
		{"ping", protocol.V20241105, protocol.NewestLegacy, nil, (*reading).ping},
		{"tools/list", protocol.V20241105, protocol.Ceiling, (*connection).hasTools, (*reading).listTools},
		{"tools/call", protocol.V20241105, protocol.Ceiling, (*connection).hasTools, (*reading).callTool},
		{"logging/setLevel", protocol.V20241105, protocol.NewestLegacy, (*connection).hasLogging, (*reading).setLevel},
	}
	table := make(map[string]*method, len(rows))
	for i := range rows {
		table[rows[i].name] = &rows[i]
	}
	return table
}

// serves reports whether the method exists for a client of this connection.
func (m *method) serves(c *connection) bool {
	revision := c.session.Load().revision
	return m.since <= revision && revision <= m.until && (m.needs == nil || m.needs(c))
}

// hasTools: the built-in tools are always there.
func (c *connection) hasTools() bool { return true }

func (c *connection) hasLogging() bool { return c.aspect.Logging }
