package gateway

import (
	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// carriedAtMost are all capabilities of clients that the gateway can carry to
// servers.
const carriedAtMost = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{}}`

// logLevelKey is the path of the log level in a request's _meta.
var logLevelKey = gjson.Escape("io.modelcontextprotocol/logLevel")

var methodNotFound = core.MethodNotFound("").Code

// carried gives, of a client's capabilities, those that the gateway can carry to
// servers, as they are.
func carried(capabilities gjson.Result) string {
	kept := []byte{'{'}
	capabilities.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "sampling", "elicitation", "roots":
			if value.IsObject() {
				kept = appendRaw(kept, key.Raw, value.Raw)
			}
		}
		return true
	})
	return string(append(kept, '}'))
}
