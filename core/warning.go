package core

import (
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
)

// ToolWarnings tells what the specification allows in a tool's schemas and yet
// some clients and model services refuse, often along with all other tools.
func ToolWarnings(tool Tool) (warnings []string) {
	definition, err := tool.AppendDefinition(nil, protocol.Ceiling)
	if err != nil {
		return nil
	}
	for _, member := range []string{"inputSchema", "outputSchema"} {
		schema := gjson.GetBytes(definition, member)
		if !schema.Exists() {
			continue
		}
		for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
			if schema.Get(keyword).Exists() {
				warnings = append(warnings, fmt.Sprintf(
					"tool %s: its %s has %s at the root, which some clients and model services refuse; put it into a property", tool.Name, member, keyword))
			}
		}
		if !schema.Get("properties").Exists() {
			warnings = append(warnings, fmt.Sprintf(
				`tool %s: its %s has no properties, not even "properties":{}, which some clients refuse`, tool.Name, member))
		}
	}
	return warnings
}
