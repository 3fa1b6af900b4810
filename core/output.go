package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// CheckOutput checks a tool's result against the tool's output schema, for the
// runner. It gives the result to send in its place, whose structured content is
// encoded already. Results that report an error are not checked, nor are the
// runner's own.
func CheckOutput(schema Schema, result Result) (Result, error) {
	switch result := result.(type) {
	case *ToolResult:
		if result.IsError {
			return result, nil
		}
		if result.Structured == nil {
			return nil, errNotStructured
		}
		encoded, err := marshal(result.Structured)
		if err != nil {
			return nil, fmt.Errorf("structured content: %w", err)
		}
		checked := *result
		checked.Structured = json.RawMessage(encoded)
		return &checked, fits(schema, string(encoded))
	case RawResult:
		object, err := result.object()
		if err != nil {
			return nil, err
		}
		if gjson.Get(object, "isError").Type == gjson.True {
			return result, nil
		}
		structured := gjson.Get(object, "structuredContent")
		if !structured.Exists() {
			return nil, errNotStructured
		}
		return result, fits(schema, structured.Raw)
	case textResult:
		return nil, errNotStructured
	}
	return result, nil
}

var errNotStructured = errors.New("the tool has an output schema, but its result has no structured content")

// fits tells how a JSON value on one line violates the schema.
func fits(schema Schema, value string) error {
	if !strings.HasPrefix(value, "{") {
		return errors.New("the tool's structured content is no JSON object")
	}
	if name, repeated := repeatedMember(value); repeated {
		return fmt.Errorf("the tool's structured content has the member %q twice in one object", name)
	}
	missing, violations := schema.Check(value, slices.Collect(wire.Members(value)))
	if missing != "" {
		violations = slices.Insert(violations, 0, missing+" is missing")
	}
	if len(violations) > 0 {
		return fmt.Errorf("the tool's structured content does not fit its output schema: %s", strings.Join(violations, "; "))
	}
	return nil
}
