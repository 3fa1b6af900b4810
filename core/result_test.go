package core_test

import (
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// A result that an aspect writes itself has in each revision what that one
// knows.
func TestRawResultInOldRevisions(t *testing.T) {
	const (
		text     = `{"content":[{"type":"text","text":"a","annotations":{"priority":1,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"x":1}}]}`
		link     = `{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"a:b","name":"n","icons":[{"src":"x:y"}]}]}`
		messages = `{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/wav"}},` +
			`{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n","icons":[{"src":"x:y"}]}},` +
			`{"role":"user","content":{"type":"text","text":"a","_meta":{"x":1},"annotations":{"lastModified":"2025-01-12T15:00:58Z"}}},{"role":"user"},5]}`
		contents = `{"contents":[{"uri":"a:b","text":"t","_meta":{"x":1}}]}`
		audio    = `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"structuredContent":{"a":1},"ttlMs":5}`
	)
	tests := []struct {
		name, raw string
		revision  protocol.Revision
		want      string
	}{
		{"text", text, protocol.V20241105, `"content":[{"type":"text","text":"a","annotations":{"priority":1}}]`},
		{"text", text, protocol.V20250326, `"content":[{"type":"text","text":"a","annotations":{"priority":1}}]`},
		{"text", text, protocol.V20250618, text[1 : len(text)-1]},
		{"text", text, protocol.V20251125, text[1 : len(text)-1]},
		{"link", link, protocol.V20250326, `"content":[{"type":"text","text":"a"},{"type":"text","text":"[resource_link n] a:b"}]`},
		{"link", link, protocol.V20250618, `"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"a:b","name":"n"}]`},
		{"link", link, protocol.V20251125, link[1 : len(link)-1]},
		{"audio", audio, protocol.V20241105, `"content":[{"type":"text","text":"[audio audio/wav]"}]`},
		{"audio", audio, protocol.V20250326, `"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]`},
		{"audio", audio, protocol.V20250618, `"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"structuredContent":{"a":1}`},
		{"messages", messages, protocol.V20241105, `"messages":[{"role":"user","content":{"type":"text","text":"[audio audio/wav]"}},` +
			`{"role":"user","content":{"type":"text","text":"[resource_link n] a:b"}},{"role":"user","content":{"type":"text","text":"a","annotations":{}}},{"role":"user"},5]`},
		{"messages", messages, protocol.V20250618, strings.Replace(messages[1:len(messages)-1], `,"icons":[{"src":"x:y"}]`, "", 1)},
		{"messages", messages, protocol.V20251125, messages[1 : len(messages)-1]},
		{"contents", contents, protocol.V20250326, `"contents":[{"uri":"a:b","text":"t"}]`},
		{"contents", contents, protocol.V20250618, contents[1 : len(contents)-1]},
		{"escaped", `{"c\u006fntent":[{"type":"text","t\u0065xt":"a","_m\u0065ta":{}}],"ttl\u004ds":5}`, protocol.V20250326, `"content":[{"type":"text","text":"a"}]`},
	}
	for _, test := range tests {
		t.Run(test.name+", "+test.revision.String(), func(t *testing.T) {
			got, err := core.RawResult(test.raw).AppendMembers(nil, test.revision)
			if err != nil || string(got) != test.want {
				t.Errorf("%s\n got %s, %v\nwant %s", test.raw, got, err, test.want)
			}
		})
	}
}

// Of a member that is there twice, each reader may take another one.
func TestRawResultWithAMemberTwice(t *testing.T) {
	for _, raw := range []string{`{"content":[],"content":[]}`, `{"a":1,"content":[],"\u0061":2}`, `{"_meta":{},"_meta":{}}`} {
		for revision := protocol.V20241105; revision <= protocol.V20251125; revision++ {
			got, err := core.RawResult(raw).AppendMembers(nil, revision)
			if err == nil || !strings.Contains(err.Error(), "occurs twice") {
				t.Errorf("%s under %s became %s, %v, want an error", raw, revision, got, err)
			}
		}
	}
}
