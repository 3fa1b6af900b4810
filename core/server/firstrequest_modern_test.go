//go:build mcp20260728

package server

import (
	"context"
	"fmt"
	"testing"

	"mcpserver/core"
)

// A client of the modern era makes no handshake: its first request that is
// served tells of it, and one that is refused does not.
func TestFirstRequestOfAModernClient(t *testing.T) {
	const refused = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}`
	for name, test := range map[string]struct {
		before  []string
		request string
		want    string // what the hook sees, or ""
	}{
		"discover":            {nil, modern("9", "server/discover", ""), "server/discover true 2026-07-28 " + everything},
		"a call":              {nil, modernCall("9", "revision", ""), "tools/call true 2026-07-28 " + everything},
		"behind a ping":       {[]string{withMeta("1", "ping", "", "")}, modern("9", "tools/list", ""), "tools/list true 2026-07-28 " + everything},
		"behind a refusal":    {[]string{refused, modern("2", "own/method", "")}, modern("9", "tools/list", ""), "tools/list true 2026-07-28 " + everything},
		"a stream":            {nil, listen("9", `{"toolsListChanged":true}`), "subscriptions/listen true 2026-07-28 " + everything},
		"behind another":      {[]string{modern("1", "tools/list", "")}, modern("9", "server/discover", ""), ""},
		"behind a handshake":  {[]string{legacyOpening}, modern("9", "tools/list", ""), ""},
		"the other era first": {[]string{withMeta("1", "tools/list", "", "")}, modern("9", "tools/list", ""), ""},
		"the other era":       {nil, withMeta("9", "tools/list", "", ""), "tools/list false 2025-11-25 "},
	} {
		seen := make(chan string, 10)
		aspect := testAspect(revisionTool())
		aspect.DynamicTools = true
		aspect.OnFirstRequest = func(_ context.Context, call *core.Call) {
			seen <- fmt.Sprint(call.Method(), " ", call.Stateless(), " ", call.ProtocolVersion(), " ", call.ClientCapabilities().Raw)
		}
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			for _, message := range test.before {
				p.ask(message)
			}
			for test.want == "" && len(seen) > 0 {
				<-seen // of the one before
			}
			p.send(test.request)
			p.next()
			got := ""
			if len(seen) > 0 {
				got = <-seen
			}
			if got != test.want || len(seen) > 0 {
				t.Errorf("%s: the hook saw %q and %d more, want %q", name, got, len(seen), test.want)
			}
		})
	}
}
