package gateway

import "mcpserver/core"

// selfTests run without a configuration, or with that which --config names.
func selfTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name: "the servers", Tool: "about_tsar-mcp",
			Expect: core.Expect{Values: map[string]any{`content.#(text%"*\nServer*").type`: "text"}},
		},
		{
			Name: "a tool of no server", Tool: "nobody.has.this",
			Expect: core.Expect{ErrorCode: core.InvalidParams("").Code},
		},
		{
			Name: "a prompt of no server", Method: "prompts/get", Params: `{"name":"nobody.has.this"}`,
			Expect: core.Expect{ErrorCode: core.InvalidParams("").Code},
		},
	}
}
