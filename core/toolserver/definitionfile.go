package toolserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

const (
	// maxDefinition is the longest file of a definition, in bytes, and
	// maxDefinitionDepth its deepest nesting.
	maxDefinition      = 1 << 20
	maxDefinitionDepth = 512
)

// LoadDefinition reads a tool's definition from a file of at most 1 MiB, as
// ParseDefinition does. The error names the path.
func LoadDefinition(path string) (Definition, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Definition{}, fmt.Errorf("tool definition: %w", err)
	}
	// Opening what is no file, such as a named pipe, may wait for ever.
	if !info.Mode().IsRegular() {
		return Definition{}, fmt.Errorf("tool definition: %s is no file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Definition{}, fmt.Errorf("tool definition: %w", err)
	}
	return readDefinition(file, path)
}

// LoadDefinitionFS is LoadDefinition from a file system, such as one that was
// embedded into the program.
func LoadDefinitionFS(fsys fs.FS, path string) (Definition, error) {
	file, err := fsys.Open(path)
	if err != nil {
		return Definition{}, fmt.Errorf("tool definition: %w", err)
	}
	return readDefinition(file, path)
}

func readDefinition(file fs.File, path string) (Definition, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxDefinition+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return Definition{}, fmt.Errorf("tool definition: %w", err)
	}
	definition, err := ParseDefinition(text)
	if err != nil {
		return Definition{}, fmt.Errorf("tool definition: %s: %w", path, err)
	}
	return definition, nil
}

// definitionFile is what a file of a definition has.
type definitionFile struct {
	Name         string                `json:"name"`
	Title        string                `json:"title"`
	Description  string                `json:"description"`
	InputSchema  json.RawMessage       `json:"inputSchema"`
	OutputSchema json.RawMessage       `json:"outputSchema"`
	Annotations  *definitionFileHints  `json:"annotations"`
	Icons        []definitionFileIcons `json:"icons"`
	Meta         json.RawMessage       `json:"_meta"`
}

type definitionFileHints struct {
	Title           string `json:"title"`
	ReadOnlyHint    *bool  `json:"readOnlyHint"`
	DestructiveHint *bool  `json:"destructiveHint"`
	IdempotentHint  *bool  `json:"idempotentHint"`
	OpenWorldHint   *bool  `json:"openWorldHint"`
}

type definitionFileIcons struct {
	Source   string   `json:"src"`
	MIMEType string   `json:"mimeType"`
	Sizes    []string `json:"sizes"`
	Theme    string   `json:"theme"`
}

// ParseDefinition reads a tool's definition from JSON: an object with the
// members that a tool has in MCP's tools/list, of which name and inputSchema
// are required. The input becomes a RawSchema without a validator. The error
// gives line and column, counted from 1 in bytes, where the text is no JSON or
// a member is not of the right type; a member that is not known is an error.
func ParseDefinition(text []byte) (Definition, error) {
	if len(text) > maxDefinition {
		return Definition{}, errors.New("the definition is longer than 1 MiB")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var view wire.Message
	if err := wire.NewScanner(maxDefinitionDepth).Scan(string(text), &view); err != nil {
		return Definition{}, located(text, err)
	}
	if view.Root.Kind != wire.Object {
		return Definition{}, errors.New("the definition is no JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var read definitionFile
	if err := decoder.Decode(&read); err != nil {
		return Definition{}, located(text, err)
	}
	if len(read.InputSchema) == 0 {
		return Definition{}, errors.New("it has no inputSchema")
	}
	definition := read.definition()
	if err := definition.validate(); err != nil {
		return Definition{}, err
	}
	return definition, nil
}

func (f definitionFile) definition() Definition {
	made := Definition{
		Name: f.Name, Title: f.Title, Description: f.Description,
		Input: RawSchema(f.InputSchema, nil), Output: f.OutputSchema, Meta: f.Meta,
	}
	if f.Annotations != nil {
		made.Annotations = &core.ToolAnnotations{
			Title: f.Annotations.Title, ReadOnlyHint: f.Annotations.ReadOnlyHint, DestructiveHint: f.Annotations.DestructiveHint,
			IdempotentHint: f.Annotations.IdempotentHint, OpenWorldHint: f.Annotations.OpenWorldHint,
		}
	}
	for _, icon := range f.Icons {
		made.Icons = append(made.Icons, core.Icon(icon))
	}
	return made
}

// located puts line and column before an error that has an offset.
func located(text []byte, err error) error {
	offset := 0
	reason := err.Error()
	var wrongType *json.UnmarshalTypeError
	var syntax *wire.SyntaxError
	var depth *wire.DepthError
	switch {
	case errors.As(err, &wrongType):
		// Its offset is behind the value.
		offset = int(wrongType.Offset) - 1
		reason = fmt.Sprintf("%s is a %s, which it must not be", wrongType.Field, wrongType.Value)
	case errors.As(err, &syntax):
		offset, reason = syntax.Offset, syntax.Reason
	case errors.As(err, &depth):
		offset, reason = depth.Offset, fmt.Sprintf("it is nested deeper than %d levels", depth.Limit)
	default:
		return errors.New(strings.TrimPrefix(reason, "json: "))
	}
	before := text[:min(max(offset, 0), len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fmt.Errorf("line %d, column %d: %s", line, column, reason)
}
