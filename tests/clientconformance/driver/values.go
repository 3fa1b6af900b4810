package main

import (
	"context"
	"encoding/json"

	"github.com/tidwall/gjson"

	"mcpserver/core/client"
)

// answers gives handlers for everything that a server can ask.
func answers() map[string]client.Handler {
	constant := func(answer string) client.Handler {
		return func(context.Context, client.ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(answer), nil
		}
	}
	return map[string]client.Handler{
		"elicitation/create": fillIn,
		"sampling/createMessage": constant(
			`{"role":"assistant","model":"none","content":{"type":"text","text":"an answer"},"stopReason":"endTurn"}`),
		"roots/list": constant(`{"roots":[{"uri":"file:///tmp","name":"tmp"}]}`),
	}
}

// fillIn accepts a form with what stands in it, and makes up the rest.
func fillIn(_ context.Context, request client.ServerRequest) (json.RawMessage, error) {
	form := example(gjson.GetBytes(request.Params, "requestedSchema"), nil)
	return json.RawMessage(`{"action":"accept","content":` + string(form) + `}`), nil
}

// example gives an object for a schema: every property has its default, or the
// first value that it may have, or something of its type. An object within is
// the input schema of the first of the tools.
func example(schema gjson.Result, tools []client.Tool) json.RawMessage {
	object := map[string]json.RawMessage{}
	schema.Get("properties").ForEach(func(name, property gjson.Result) bool {
		object[name.Str] = exampleValue(property, tools)
		return true
	})
	encoded, err := json.Marshal(object)
	if err != nil {
		panic(err) // of JSON that was read as JSON
	}
	return encoded
}

func exampleValue(property gjson.Result, tools []client.Tool) json.RawMessage {
	for _, path := range []string{"default", "const", "enum.0"} {
		if value := property.Get(path); value.Exists() {
			return json.RawMessage(value.Raw)
		}
	}
	switch property.Get("type").Str {
	case "number", "integer":
		return json.RawMessage(`7`)
	case "boolean":
		return json.RawMessage(`true`)
	case "array":
		return json.RawMessage(`[]`)
	case "null":
		return json.RawMessage(`null`)
	case "object":
		if len(tools) > 0 {
			return json.RawMessage(gjson.GetBytes(tools[0].Definition, "inputSchema").Raw)
		}
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(`"example"`)
}
