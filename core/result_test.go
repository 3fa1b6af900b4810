package core_test

import (
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// A result that an aspect writes itself has in each revision what that one
// knows.
func TestRawResultInOldRevisions(t *testing.T) {
	const (
		text  = `{"content":[{"type":"text","text":"a","annotations":{"priority":1,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"x":1}}]}`
		link  = `{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"a:b","name":"n","icons":[{"src":"x:y"}]}]}`
		audio = `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"structuredContent":{"a":1},"ttlMs":5}`
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
