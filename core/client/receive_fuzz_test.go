package client

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzReceive: whatever a server writes, the client goes on, and answers nothing
// but what is a request.
func FuzzReceive(f *testing.F) {
	for _, line := range strayLines {
		f.Add(line, "")
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":[1]}}`,
		`{"jsonrpc":"2.0","id":"a","method":"roots/list","params":{"_meta":{}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":0.5,"total":1e3}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"notifications":{}}}`,
		`[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`,
	} {
		f.Add(line, "")
		f.Add(line, "2")
	}
	f.Fuzz(func(t *testing.T, line, during string) {
		for version, server := range map[string]actions{"2025-03-26": legacyServer("2025-03-26"), "2026-07-28": modernServer()} {
			s := &fake{serve: serveWith(server)}
			c := connect(t, s, Options{Era: map[string]Era{"2025-03-26": EraLegacy, "2026-07-28": EraModern}[version]})
			link, _ := s.link()
			link.receiver.Receive(line, during)
			link.receiver.Broken(line, during, errUnhealthy)
			link.receiver.Failed(line, errUnhealthy)
			if err := c.Ping(t.Context()); err != nil {
				t.Errorf("under %s a ping after %q gives %v", version, line, err)
			}
			if answers := link.sent(""); len(answers) > 0 && !mayBeRequest(line) {
				t.Errorf("under %s the client has answered %q with %v", version, line, answers)
			}
			disconnect(t, c)
		}
	})
}

// mayBeRequest reports whether a line is one request or an array that may have
// some in it.
func mayBeRequest(line string) bool {
	var message map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &message) != nil {
		return strings.HasPrefix(strings.TrimSpace(line), "[")
	}
	return message["method"] != nil && message["id"] != nil
}
