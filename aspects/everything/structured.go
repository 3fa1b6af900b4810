package everything

import (
	"context"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
)

// structuredTools are about schemas: of what a tool takes and of what it gives.
func structuredTools() []core.Tool {
	return []core.Tool{
		jsonschema.Tool(core.Tool{
			Name:        "weather",
			Title:       "Weather",
			Description: "Makes up the weather of a city, always the same for the same city: as structured content that fits the tool's output schema, and as a text with the same JSON.",
			Icons:       icons(),
		}, forecast),
		{
			Name:        "json_schema_2020_12_tool",
			Description: "Takes somebody's address and how to reach them, by a schema with what JSON Schema 2020-12 has beyond simpler ones. It is listed verbatim and arguments are checked against it. Answers with what it took.",
			Input:       jsonschema.Raw(contactSchema),
			Handler:     answerArguments,
		},
		{
			Name:        "test_x_mcp_header",
			Description: "Takes a region, which over HTTP clients send in a header, too; over stdin and stdout there is none. Answers with what it took.",
			Input:       jsonschema.Raw(regionSchema),
			Handler:     answerArguments,
		},
	}
}

// contactSchema has what JSON Schema 2020-12 has and simpler schemas have not.
const contactSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

const regionSchema = `{
	"type": "object",
	"properties": {"region": {"type": "string", "description": "Any text", "x-mcp-header": "Region"}}
}`

func answerArguments(_ context.Context, call *core.Call) (core.Result, error) {
	return core.Text("Arguments: " + call.Arguments().Raw), nil
}
