package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/client"
)

// notice sends on a notification of a server: one that belongs to a request of
// the client, or one that belongs to none.
func (u *upstream) notice(f *flight, n client.Notification) {
	switch {
	case !u.gateway.serving:
		return // there is no client
	case n.Method == "notifications/resources/updated":
		u.updated(n.Params)
		return
	case n.Method == "notifications/message":
		n.Params = u.signed(n.Params)
	}
	if f == nil {
		if err := u.gateway.host.Forward(n.Method, n.Params); err != nil {
			u.gateway.tracef(core.TraceInfo, "%s of the server %s is not for the client: %v", n.Method, u.name, err)
		}
		return
	}
	f.mu.Lock()
	call := f.call
	f.mu.Unlock()
	call.Forward(n.Method, n.Params)
}

// signed gives a log message with the server's name as its logger, if it has
// none.
func (u *upstream) signed(message json.RawMessage) json.RawMessage {
	if gjson.GetBytes(message, "logger").Exists() || !gjson.ParseBytes(message).IsObject() {
		return message
	}
	separator := ","
	rest := strings.TrimLeft(string(message)[1:], " \t")
	if strings.HasPrefix(rest, "}") {
		separator = ""
	}
	return json.RawMessage(`{"logger":` + quoted(u.name) + separator + rest)
}

// notified hands on what a client with a handshake tells.
func (g *gateway) notified(_ context.Context, n *core.Notification) {
	if n.Method != "notifications/roots/list_changed" {
		g.tracef(core.TraceDebug, "nobody wants the notification %s", shorten(n.Method))
		return
	}
	for _, u := range g.upstreams {
		if !u.isConnected() {
			continue
		}
		if info, ok := u.client.Server(); !ok || info.Era != client.EraLegacy {
			continue
		}
		go func() {
			if err := u.client.Notify(g.context, n.Method, json.RawMessage(n.Params.Raw)); err != nil {
				g.tracef(core.TraceInfo, "%s: %v", n.Method, err)
			}
		}()
	}
}

// legacyLevel gives the level of log messages that a client with a handshake
// wants: a server of the modern era has to be told with each request.
func (g *gateway) legacyLevel() string {
	if level := g.level.Load(); level != nil {
		return *level
	}
	return core.LogInfo.String()
}

// setLevel tells all servers which log messages the client wants.
func (g *gateway) setLevel(_ context.Context, level core.LogLevel) {
	name := level.String()
	g.level.Store(&name)
	for _, u := range g.upstreams {
		if u.client != nil {
			u.tellLevel(name)
		}
	}
}

// tellLevel tells the server which log messages are wanted, in the background
// and in order. What the server is asked afterwards is asked when it knows.
func (u *upstream) tellLevel(level string) {
	place := u.levels.take()
	go place.begin(func() {
		defer place.over()
		ctx, cancel := context.WithTimeout(u.gateway.context, u.gateway.settings.connectTimeout)
		defer cancel()
		if err := u.client.SetLogLevel(ctx, level); err != nil {
			u.gateway.tracef(core.TraceInfo, "the log level was not set: %v", err)
		}
	})
}

// lowerLevel has a server of the legacy era send the log messages that a request
// of a client of the modern era asks for. It has one level for all requests, so
// the lowest one counts, and the runner sends each request its own.
func (u *upstream) lowerLevel(level string) {
	rank := map[string]int{"debug": 8, "info": 7, "notice": 6, "warning": 5, "error": 4, "critical": 3, "alert": 2, "emergency": 1}
	u.mu.Lock()
	lower := rank[level] > rank[u.told]
	if lower {
		u.told = level
	}
	u.mu.Unlock()
	if info, ok := u.client.Server(); lower && ok && info.Era == client.EraLegacy {
		u.tellLevel(level)
	}
}

// log tells the client of the gateway itself.
func (g *gateway) log(level core.LogLevel, server, text string) {
	traced := core.TraceInfo
	if level >= core.LogWarning {
		traced = core.TraceError
	}
	g.tracef(traced, "%s: %s", server, text)
	g.host.Log(level, "gateway", map[string]string{"server": server, "state": text})
}

func (g *gateway) tracef(level core.TraceLevel, format string, arguments ...any) {
	if g.serving {
		g.host.Tracef(level, format, arguments...)
	}
}

// traceHandler has what a client of core/client logs written to the trace.
type traceHandler struct{ upstream *upstream }

// Enabled implements slog.Handler.
func (traceHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h traceHandler) Handle(_ context.Context, record slog.Record) error {
	level := core.TraceDebug
	switch {
	case record.Level >= slog.LevelError:
		level = core.TraceError
	case record.Level >= slog.LevelInfo:
		level = core.TraceInfo
	}
	var text strings.Builder
	text.WriteString(record.Message)
	record.Attrs(func(attribute slog.Attr) bool {
		text.WriteString("; " + attribute.String())
		return true
	})
	h.upstream.gateway.tracef(level, "server %s: %s", h.upstream.name, text.String())
	return nil
}

// WithAttrs implements slog.Handler. The server's name is known already.
func (h traceHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h traceHandler) WithGroup(string) slog.Handler { return h }
