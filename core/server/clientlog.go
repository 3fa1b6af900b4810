package server

import (
	"sync/atomic"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// clientLog decides which log messages the client gets.
type clientLog struct {
	level atomic.Uint32 // the least protocol.LogLevel that is sent
	// telling is full while the aspect is told the level, so that the one that
	// counts comes last also where its code runs side by side.
	telling chan struct{}
}

// wants reports whether a legacy client wants messages of that level.
func (l *clientLog) wants(level protocol.LogLevel) bool { return uint32(level) >= l.level.Load() }

// setLevel serves logging/setLevel.
func (r *reading) setLevel(q *request, m *wire.Message) bool {
	value := m.Param("level")
	level, known := protocol.ParseLogLevel(value.Text())
	switch {
	case value.Kind == wire.Absent:
		q.finish(nil, core.InvalidParams("Missing parameter: level"))
	case !known:
		q.finish(nil, core.InvalidParams("unknown log level: "+shorten(value.Text())))
	default:
		r.connection.log.level.Store(uint32(level))
		q.finish(members(nil), nil)
		r.connection.tellLevel()
	}
	return true
}

// tellLevel lets the aspect know what the client wants by then.
func (c *connection) tellLevel() {
	if c.aspect.OnSetLevel == nil {
		return
	}
	err := c.submit(&action{
		what: "OnSetLevel",
		run: func() {
			c.log.telling <- struct{}{}
			defer func() { <-c.log.telling }()
			c.aspect.OnSetLevel(c.context, core.LevelOf(protocol.LogLevel(c.log.level.Load())))
		},
	})
	if err != nil {
		c.trace.Errorf("OnSetLevel did not run: %v", err)
	}
}

// wantsLog reports whether a log message that belongs to the request is wanted:
// a legacy client says so once, a modern one with each request.
func (q *request) wantsLog(level protocol.LogLevel) bool {
	if q.session.revision.Legacy() {
		return q.connection.log.wants(level)
	}
	return q.session.logged && level >= q.session.logs
}

// Log implements link.Host.
func (c *connection) Log(level protocol.LogLevel, logger, data string) {
	c.logMessage(c.heard.Load() && c.log.wants(level), level, logger, data, c.send)
}

// logMessage sends a log message through send, if the client is to have it.
func (c *connection) logMessage(wanted bool, level protocol.LogLevel, logger, data string, send func(*[]byte) error) {
	if !c.aspect.Logging || !wanted || c.context.Err() != nil {
		c.trace.Infof("log %s %s: %s", level, logger, data)
		return
	}
	message := append([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`), level.String()...)
	message = append(message, '"')
	if logger != "" {
		message = wire.AppendString(append(message, `,"logger":`...), logger)
	}
	message = append(append(append(message, `,"data":`...), data...), `}}`...)
	c.post(message, send)
}
