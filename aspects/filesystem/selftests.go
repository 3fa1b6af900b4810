package filesystem

import "mcpserver/core"

// selfTests need no directory, since a self-test is started with whatever
// arguments: they show that nothing is reached that is not allowed.
func selfTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "list_allowed_directories lists",
			Tool:   "list_allowed_directories",
			Expect: core.Expect{Values: map[string]any{"content.0.type": "text"}},
		},
		{
			Name:      "a path with NUL is refused",
			Tool:      "read_text_file",
			Arguments: `{"path":"/a\u0000b"}`,
			Expect:    core.Expect{ToolError: true, Values: map[string]any{"content.0.text": `"/a\x00b" has a NUL character in it`}},
		},
		{
			Name:      "head and tail exclude each other",
			Tool:      "read_text_file",
			Arguments: `{"path":"a","head":1,"tail":1}`,
			Expect:    core.Expect{ToolError: true, Values: map[string]any{"content.0.text": "head and tail cannot be given together"}},
		},
		{
			Name:   "read_text_file wants a path",
			Tool:   "read_text_file",
			Expect: core.Expect{ErrorCode: -32602},
		},
		{
			Name:      "an edit needs both texts",
			Tool:      "edit_file",
			Arguments: `{"path":"a","edits":[{"oldText":"x"}]}`,
			Expect:    core.Expect{ToolError: true, Values: map[string]any{"content.0.text": "edit 1: oldText and newText are both needed"}},
		},
		{
			Name:      "a malformed pattern is refused",
			Tool:      "search_files",
			Arguments: `{"path":"a","pattern":"[a"}`,
			Expect:    core.Expect{ToolError: true, Values: map[string]any{"content.0.text": `the pattern "[a" is malformed`}},
		},
	}
}
