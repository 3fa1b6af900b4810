package bridge

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// checkHeaders compares the headers that repeat what stands in a request with the
// request. A request that lacks what they would repeat is the server's to refuse.
func checkHeaders(header http.Header, m message) error {
	version := header.Get(versionHeader)
	if version == "" {
		return fmt.Errorf("%s is missing", versionHeader)
	}
	if said := m.get(pathProtocolVersion); said.Exists() && said.String() != version {
		return fmt.Errorf("%s is %q, the request's is %q", versionHeader, version, said)
	}
	if err := checkHeader(header, "Mcp-Method", m.method); err != nil {
		return err
	}
	field := nameField(m.method)
	if field == "" {
		return nil
	}
	name := m.get("params." + field)
	if name.Type != gjson.String {
		return nil
	}
	return checkEncodedHeader(header, "Mcp-Name", name)
}

// nameField gives the parameter that tells what a request is about, which Mcp-Name
// repeats, or "".
func nameField(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

func checkHeader(header http.Header, name, want string) error {
	switch got := header.Get(name); got {
	case want:
		return nil
	case "":
		return fmt.Errorf("%s is missing", name)
	default:
		return fmt.Errorf("%s is %q, the request's is %q", name, got, want)
	}
}

// checkEncodedHeader compares a header whose value may be encoded with a value of
// the request.
func checkEncodedHeader(header http.Header, name string, want gjson.Result) error {
	values := header.Values(name)
	if len(values) == 0 {
		return fmt.Errorf("%s is missing", name)
	}
	got, err := decodeHeader(values[0])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	same := got == want.String()
	if want.Type == gjson.Number {
		number := gjson.Parse(got) // 1 and 1.0 are the same
		same = number.Type == gjson.Number && number.Num == want.Num
	}
	if !same {
		return fmt.Errorf("%s is %q, the request's is %s", name, got, want.Raw)
	}
	return nil
}

// decodeHeader gives a value that may be written as =?base64?…?=, which all values
// are that a header cannot have as they are.
func decodeHeader(value string) (string, error) {
	for _, c := range []byte(value) {
		if c != '\t' && (c < ' ' || c > '~') {
			return "", fmt.Errorf("the character %q is not allowed", c)
		}
	}
	encoded, hasBeginning := strings.CutPrefix(value, "=?base64?")
	encoded, hasEnd := strings.CutSuffix(encoded, "?=")
	if !hasBeginning || !hasEnd {
		return value, nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("its Base64: %w", err)
	}
	return string(decoded), nil
}
