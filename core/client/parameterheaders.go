package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/client/transport"
	"mcpserver/core/internal/wire"
)

// headerName gives what HTTP repeats of a request in the header Mcp-Name.
func headerName(request *Request) string {
	member := ""
	switch request.Method {
	case "tools/call", "prompts/get":
		member = "name"
	case "resources/read":
		member = "uri"
	default:
		return ""
	}
	members, err := objectMembers(string(request.Params))
	if err != nil {
		return "" // it is refused where the request is encoded
	}
	return find(members, member).Text()
}

// parameterHeader says that an argument of a tool is repeated as an HTTP header.
type parameterHeader struct {
	name string
	path []string // member names, from the arguments inwards
	kind string   // "string", "integer" or "boolean"
}

// Bounds of what a schema is searched for.
const (
	maxHeaderDepth      = 32
	maxParameterHeaders = 64
)

// annotation is the schema keyword that asks for a header.
const annotation = "x-mcp-header"

// parameterHeaders finds the arguments that a tool's input schema wants repeated
// as headers. The error names an annotation that is against the rules.
func parameterHeaders(schema string) ([]parameterHeader, error) {
	if !strings.Contains(schema, annotation) {
		return nil, nil
	}
	finder := &headerFinder{}
	if err := finder.object(gjson.Parse(schema), nil); err != nil {
		return nil, err
	}
	if all := strings.Count(schema, quoted(annotation)+":"); all != len(finder.found) {
		return nil, fmt.Errorf("its schema has an %s where none may be", annotation)
	}
	return finder.found, nil
}

type headerFinder struct{ found []parameterHeader }

// object looks at the properties of an object schema. Nowhere else may there be
// annotations.
func (f *headerFinder) object(schema gjson.Result, path []string) error {
	if len(path) > maxHeaderDepth {
		return fmt.Errorf("its schema is nested too deep for %s", annotation)
	}
	var err error
	schema.Get("properties").ForEach(func(name, property gjson.Result) bool {
		inner := append(slices.Clone(path), name.String())
		if wanted := property.Get(annotation); wanted.Exists() {
			err = f.add(wanted, property.Get("type"), inner)
		}
		if err == nil {
			err = f.object(property, inner)
		}
		return err == nil
	})
	return err
}

func (f *headerFinder) add(wanted, kind gjson.Result, path []string) error {
	header := parameterHeader{name: wanted.Str, path: path, kind: kind.Str}
	where := strings.Join(path, ".")
	switch {
	case wanted.Type != gjson.String || !isToken(header.name):
		return fmt.Errorf("the %s of %s is no name of a header", annotation, where)
	case kind.Str != "string" && kind.Str != "integer" && kind.Str != "boolean":
		return fmt.Errorf("%s cannot be repeated as a header, since it is of type %s", where, beginningOf(kind.Raw))
	case len(f.found) == maxParameterHeaders:
		return fmt.Errorf("more than %d arguments are to be repeated as headers", maxParameterHeaders)
	}
	for _, other := range f.found {
		if strings.EqualFold(other.name, header.name) {
			return fmt.Errorf("two arguments are to be repeated as the header %s", header.name)
		}
	}
	f.found = append(f.found, header)
	return nil
}

// isToken reports whether a text is a token by RFC 9110.
func isToken(text string) bool {
	const others = "!#$%&'*+-.^_`|~"
	for i := range len(text) {
		c := text[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune(others, rune(c)) {
			return false
		}
	}
	return text != ""
}

// value gives the argument as a header has it; ok is false when there is none.
func (h *parameterHeader) value(arguments gjson.Result) (value string, ok bool) {
	for _, name := range h.path {
		arguments = arguments.Get(gjson.Escape(name))
	}
	number := wire.Value{Kind: wire.Number, Raw: arguments.Raw}
	switch {
	case arguments.Type == gjson.String:
		return arguments.Str, true
	case arguments.Type == gjson.True, arguments.Type == gjson.False:
		return arguments.Raw, true
	case arguments.Type == gjson.Number:
		if n, whole := number.Int(); whole {
			return strconv.FormatInt(n, 10), true
		}
		return arguments.Raw, true
	}
	return "", false
}

// callWithParameters is rounds for a tool call over HTTP in the modern era,
// where the tool's schema may want arguments repeated as headers. If the server
// says that they are not what it wants, it has a newer schema: the list is
// loaded anew and the call, which was refused, is made again.
func (n *connection) callWithParameters(ctx context.Context, out *outgoing) (string, error) {
	out.parameters = n.parameters(out)
	result, err := n.rounds(ctx, out)
	if !hasCode(err, codeHeaderMismatch) {
		return result, err
	}
	if _, _, failure := n.client.refreshTools(ctx, n); failure != nil {
		return "", err
	}
	again := n.parameters(out)
	if slices.Equal(again, out.parameters) {
		return "", err
	}
	out.parameters = again
	return n.rounds(ctx, out)
}

// parameters gives what of the arguments of a call is repeated as headers.
func (n *connection) parameters(out *outgoing) []transport.Parameter {
	tool := n.client.tools.load().byName[out.name]
	if tool == nil || len(tool.headers) == 0 {
		return nil
	}
	members, err := objectMembers(string(out.Params))
	if err != nil {
		return nil // it is refused where the request is encoded
	}
	arguments := gjson.Parse(find(members, "arguments").Raw)
	var parameters []transport.Parameter
	for _, header := range tool.headers {
		if value, ok := header.value(arguments); ok {
			parameters = append(parameters, transport.Parameter{Name: header.name, Value: value})
		}
	}
	return parameters
}

func sortedKeys(values map[string]string) []string { return slices.Sorted(maps.Keys(values)) }
