//go:build mcp20260728

package server

import (
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// FuzzMeta reads any _meta: a request is served under one revision or refused
// with one of three codes, and what is served is well formed.
func FuzzMeta(f *testing.F) {
	for _, test := range eraCases {
		f.Add(test.meta, "tools/call")
	}
	f.Add(fullMeta, "server/discover")
	f.Add(`[]`, "server/discover")
	f.Add(`{"io.modelcontextprotocol/clientInfo":{"name":"`+"\x01"+`"}}`, "initialize")
	settled := &session{revision: protocol.NewestLegacy}
	scanner := wire.NewScanner(64)
	f.Fuzz(func(t *testing.T, meta, name string) {
		line := `{"jsonrpc":"2.0","id":1,"method":` + string(wire.AppendString(nil, name)) + `,"params":{"_meta":` + meta + `}}`
		var m wire.Message
		if scanner.Scan(line, &m) != nil || m.DuplicateIn != wire.NoScope {
			return
		}
		c := new(connection)
		c.session.Store(settled)
		served, failure := c.sessionOf(&m)
		version := gjson.Get(meta, `io\.modelcontextprotocol/protocolVersion`)
		switch {
		case served == nil:
			t.Errorf("the _meta %q gave no session", meta)
		case failure != nil && failure.Code == protocol.CodeUnsupportedVersion:
			if _, known := protocol.Parse(version.Str); known || !gjson.ValidBytes(failure.Data) {
				t.Errorf("the _meta %q was refused with %v and %s", meta, failure, failure.Data)
			}
		case failure != nil:
			if failure.Code != protocol.CodeInvalidParams {
				t.Errorf("the _meta %q was refused with %v, want an error in the params", meta, failure)
			}
		case served == settled:
			if version.Exists() || name == "server/discover" {
				t.Errorf("the _meta %q of %q was passed over", meta, name)
			}
		case served.revision.String() != version.Str:
			t.Errorf("the _meta %q is served under %s, want %q", meta, served.revision, version.Str)
		case !served.revision.Legacy() && !gjson.Parse(served.capabilities).IsObject():
			t.Errorf("the _meta %q is served with the capabilities %q", meta, served.capabilities)
		}
	})
}

// FuzzResume takes whatever a client claims to have been asked.
func FuzzResume(f *testing.F) {
	f.Add(`{}`, `"x"`, `{"a":{"b":1,"b":2}}`)
	f.Add(`{"who":{"content":{"type":"text","text":"x"}}}`, `null`, `{}`)
	f.Add(`{"who":{"action":"accept","content":{"role":"assistant","content":[]}}}`, `5`, ``)
	f.Add(`[]`, `{}`, `{}`)
	f.Setenv("MCPSERVER_STATE_KEY", "the key of a test, long enough")
	aspect := testAspect()
	c := &connection{aspect: aspect, options: &Options{}}
	c.modern.init(c)
	scanner := wire.NewScanner(64)
	f.Fuzz(func(t *testing.T, responses, state, arguments string) {
		line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","inputResponses":` + responses + `,"requestState":` + state + `,"arguments":` + arguments + `}}`
		var m wire.Message
		if scanner.Scan(line, &m) != nil || m.DuplicateIn != wire.NoScope {
			return
		}
		q := &request{connection: c, method: "tools/call", session: &session{revision: protocol.V20260728}}
		failure := q.readResume(&m, "x", m.Param("arguments").Raw)
		switch {
		case q.rounds.sealed || q.state != nil:
			t.Errorf("the state %q was taken for one of ours", state)
		case failure != nil && failure.Code != protocol.CodeInvalidParams:
			t.Errorf("%s was refused with %v", line, failure)
		case failure == nil && q.resumed != (len(q.answers) > 0):
			t.Errorf("%s: resumed %t with %d answers", line, q.resumed, len(q.answers))
		}
		for key, answer := range q.answers {
			if !gjson.Valid(answer) || !gjson.Parse(answer).IsObject() {
				t.Errorf("%s: the answer %q is %q", line, key, answer)
			}
		}
	})
}
