package core_test

import (
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// A result of another server stays as it is, whatever is in it, but for what
// belongs to an era or is not known to a version.
func TestForwardedResult(t *testing.T) {
	const (
		// Unknown members and kinds, digits that no float64 has, escapes, a name
		// twice, and an order of its own.
		odd = `{"z":1.0,"content":[{"type":"hologram","b":1,"a":2}],"big":12345678901234567890,"e":1E+2,` +
			`"esc":"\u003cb\u003e \/ \ud800","\u003ck\u003e":0,"a":1,"a":2,"isError":"no","structuredContent":[]}`
		identified = `{"_meta":{"b":1,"io.modelcontextprotocol/serverInfo":{"name":"other"},"a":2.50},"content":[]}`
		sharing    = `{"contents":[],"ttlMs":5e3,"cacheScope":"public"}`
		blocks     = `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"},{"type":"resource_link","uri":"a:b","name":"n"},{"type":"x"}]}`
	)
	inside := func(object string) string { return object[1 : len(object)-1] }
	for _, test := range []struct {
		name, result string
		revision     protocol.Revision
		want         string
	}{
		{"odd", odd, protocol.V20251125, inside(odd)},
		{"odd", odd, protocol.V20260728, inside(odd)},
		{"white space", "\r\n{ \"a\" :\n[ 1,\t\"x  \u2028y\" ]\n}\n", protocol.V20251125, "\"a\":[1,\"x  \u2028y\"]"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", protocol.V20251125, "\"a\":\"\ufffd\""},
		{"empty", `{}`, protocol.V20251125, ``},
		{"empty", `{}`, protocol.V20241105, ``},
		{"type", `{"resultType":"complete","a":1}`, protocol.V20251125, `"a":1`},
		{"type", `{"a":1,"result\u0054ype":"input_required"}`, protocol.V20260728, `"a":1`},
		{"type", `{"resultType":"complete"}`, protocol.V20250618, ``},
		{"identity", identified, protocol.V20251125, `"_meta":{"b":1,"a":2.50},"content":[]`},
		{"identity", identified, protocol.V20241105, `"_meta":{"b":1,"a":2.50},"content":[]`},
		{"identity", identified, protocol.V20260728, `"content":[]`},
		{"identity alone", `{"_meta":{"io.modelcontextprotocol\/serverInfo":{}},"a":1}`, protocol.V20251125, `"a":1`},
		{"no identity", `{"_m\u0065ta":{"\u0061":{"a":1,"a":2}},"a":1}`, protocol.V20251125, `"_m\u0065ta":{"\u0061":{"a":1,"a":2}},"a":1`},
		{"empty _meta", `{"_meta":{}}`, protocol.V20251125, `"_meta":{}`},
		{"no _meta at all", `{"_meta":null,"a":1}`, protocol.V20251125, `"_meta":null,"a":1`},
		{"no _meta at all", `{"_meta":[1],"a":1}`, protocol.V20260728, `"a":1`},
		{"caching", sharing, protocol.V20251125, inside(sharing)},
		{"caching", sharing, protocol.V20260728, inside(sharing)},
		{"caching", sharing, protocol.V20250618, `"contents":[]`},
		{"blocks", blocks, protocol.V20251125, inside(blocks)},
		{"blocks", blocks, protocol.V20250618, inside(blocks)},
		{"blocks", blocks, protocol.V20250326, `"content":[{"type":"audio","data":"","mimeType":"audio/wav"},{"type":"text","text":"[resource_link n] a:b"},{"type":"x"}]`},
		{"blocks", blocks, protocol.V20241105, `"content":[{"type":"text","text":"[audio audio/wav]"},{"type":"text","text":"[resource_link n] a:b"},{"type":"x"}]`},
		{"structured", `{"content":5,"structuredContent":{},"own":1}`, protocol.V20250326, `"content":5,"own":1`},
		{"a member twice", `{"a":1,"a":2,"_meta":5}`, protocol.V20241105, `"a":1,"a":2,"_meta":5`},
	} {
		t.Run(test.name+", "+test.revision.String(), func(t *testing.T) {
			got, err := core.ForwardedResult(test.result).AppendMembers([]byte("{"), test.revision)
			if err != nil || string(got) != "{"+test.want {
				t.Errorf("%q\n got %q, %v\nwant %q", test.result, got, err, "{"+test.want)
			}
		})
	}
}

// What is no JSON object cannot be a result, whichever method it is for.
func TestForwardedResultThatIsNone(t *testing.T) {
	for _, result := range []string{``, `null`, `[]`, `5`, `{`, `{"a":1}}`, "{\"a\":\"line\nbreak\"}", `{"a":01}`} {
		for revision := protocol.V20241105; revision <= protocol.V20260728; revision++ {
			if got, err := core.ForwardedResult(result).AppendMembers(nil, revision); err == nil || !strings.HasPrefix(err.Error(), "forwarded result") {
				t.Errorf("%q under %s became %q, %v, want an error", result, revision, got, err)
			}
		}
		for _, method := range []string{"tools/call", "prompts/get", "resources/read", "completion/complete", "own/method"} {
			if got, err := core.CheckResult(method, core.ForwardedResult(result)); err == nil {
				t.Errorf("%q answers %s with %v, want an error", result, method, got)
			}
		}
	}
}

// Nothing else about it is checked.
func TestForwardedResultIsNotChecked(t *testing.T) {
	for _, method := range []string{"tools/call", "prompts/get", "resources/read", "completion/complete", "own/method"} {
		checked, err := core.CheckResult(method, core.ForwardedResult(`{"content":5,"messages":1,"contents":[],"completion":{}}`))
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		checked, err = core.CheckOutput(core.Object(core.String("a", "").Required()), checked)
		if err != nil {
			t.Errorf("the output of %s: %v", method, err)
			continue
		}
		got, err := checked.AppendMembers(nil, protocol.V20251125)
		if want := `"content":5,"messages":1,"contents":[],"completion":{}`; err != nil || string(got) != want {
			t.Errorf("%s became %s, %v, want %s", method, got, err, want)
		}
	}
}
