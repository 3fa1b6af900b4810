package gateway_test

import (
	"fmt"
	"testing"
)

const everything = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},` +
	`"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}}`

// listing answers a list request.
func listing(list string) action {
	return func(l *link, _ arrival) string {
		l.fake.mu.Lock()
		defer l.fake.mu.Unlock()
		return fmt.Sprintf(`{%q:[%s]}`, list, l.fake.lists[list])
	}
}

// constant is an action that always gives the same result.
func constant(result string) action { return func(*link, arrival) string { return result } }

// silent is an action that gives no answer.
func silent(*link, arrival) string { return "" }

// common is what servers of both eras do.
func common() map[string]action {
	return map[string]action{
		"tools/list":               listing("tools"),
		"prompts/list":             listing("prompts"),
		"resources/list":           listing("resources"),
		"resources/templates/list": listing("resourceTemplates"),
		"tools/call": func(l *link, a arrival) string {
			return textResult(l.fake.name + ":" + a.params.Get("name").Str)
		},
		"prompts/get": func(l *link, a arrival) string {
			return `{"messages":[{"role":"user","content":{"type":"text","text":` + quoted(l.fake.name+":"+a.params.Get("name").Str) + `}}]}`
		},
		"resources/read": func(l *link, a arrival) string {
			uri := a.params.Get("uri").Raw
			return `{"contents":[{"uri":` + uri + `,"text":` + quoted(l.fake.name) + `}]}`
		},
		"completion/complete": func(l *link, a arrival) string {
			return `{"completion":{"values":[` + quoted(l.fake.name) + `,` + quoted(a.params.Get("ref").Raw) + `]}}`
		},
	}
}

// legacyServer makes a server of 2025-11-25 with tools of these names.
func legacyServer(t *testing.T, name string, tools ...string) *fake {
	t.Helper()
	f := newFake(t, name, common(), map[string]action{
		"initialize":          constant(`{"protocolVersion":"2025-11-25","capabilities":` + everything + `,"serverInfo":{"name":"fake","version":"1"}}`),
		"resources/subscribe": constant(`{}`), "resources/unsubscribe": constant(`{}`), "logging/setLevel": constant(`{}`),
		"ping": constant(`{}`),
	})
	return f.has("tools", toolsOf(tools...)...)
}

// modernServer makes a server of 2026-07-28 with tools of these names. It accepts
// any subscription.
func modernServer(t *testing.T, name string, tools ...string) *fake {
	t.Helper()
	f := newFake(t, name, common(), map[string]action{
		"server/discover": constant(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + everything +
			`,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`),
		"subscriptions/listen": func(l *link, a arrival) string {
			l.notify("notifications/subscriptions/acknowledged", fmt.Sprintf(
				`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}`, a.id, a.params.Get("notifications").Raw))
			return ""
		},
	})
	return f.has("tools", toolsOf(tools...)...)
}

func toolsOf(names ...string) (definitions []string) {
	for _, name := range names {
		definitions = append(definitions, `{"name":`+quoted(name)+`,"inputSchema":{"type":"object"}}`)
	}
	return definitions
}

// promptOf, resourceOf and templateOf are definitions.
func promptOf(name string) string { return `{"name":` + quoted(name) + `}` }

func resourceOf(uri string) string { return `{"uri":` + quoted(uri) + `,"name":"n"}` }

func templateOf(text string) string { return `{"uriTemplate":` + quoted(text) + `,"name":"n"}` }

// textResult is a tool's result.
func textResult(text string) string {
	return `{"content":[{"type":"text","text":` + quoted(text) + `}]}`
}
