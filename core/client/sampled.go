package client

import (
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"mcpserver/core/internal/protocol"
)

// sampled checks a handler's answer to sampling/createMessage, which is a JSON
// object, and gives it in the form that the session's revision has: content is
// one block up to 2025-06-18, and may be several since.
func sampled(answer string, session *session) ([]byte, error) {
	content := gjson.Get(answer, "content")
	blocks := content.Array()
	switch {
	case !content.IsObject() && !content.IsArray():
		return nil, fmt.Errorf("the answer to sampling/createMessage has a content that is neither a block nor an array of blocks")
	case gjson.Get(answer, "role").Str == "":
		return nil, fmt.Errorf("the answer to sampling/createMessage has no role")
	}
	for i, block := range blocks {
		if !block.IsObject() || block.Get("type").Str == "" {
			return nil, fmt.Errorf("the answer to sampling/createMessage: content[%d] is no block", i)
		}
	}
	if content.IsObject() || session.revision >= protocol.V20251125 {
		return []byte(answer), nil
	}
	if len(blocks) != 1 {
		return nil, fmt.Errorf("the answer to sampling/createMessage has %d blocks, and protocol version %s takes one",
			len(blocks), session.revision)
	}
	return sjson.SetRawBytes([]byte(answer), "content", []byte(blocks[0].Raw))
}
