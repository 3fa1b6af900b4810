package toolserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// Definition says what a tool is called and takes.
type Definition struct {
	// Name is the tool's local name: 1 to 128 letters, digits, "_", "-" and
	// ".". Required.
	Name string
	// Title is for people, one line; Description is for models.
	Title, Description string
	// Input describes the arguments: core.Object makes one, RawSchema takes a
	// JSON schema as it is. Nil is an object without any.
	Input core.Schema

	// The rest is listed over MCP alone. Output is a JSON schema of
	// Outcome.Structured, and Meta a JSON object for the definition's _meta.
	Output, Meta json.RawMessage
	Icons        []core.Icon
	// Annotations add to what the tool's Access says: ReadOnlyHint is always
	// that of the access, and a tool that writes has a DestructiveHint, which
	// is true unless it is set here.
	Annotations *core.ToolAnnotations
}

func (d Definition) input() core.Schema {
	if d.Input == nil {
		return core.Object()
	}
	return d.Input
}

func (d Definition) validate() error {
	switch {
	case !validName(d.Name):
		return errors.New("the name is not 1 to 128 letters, digits, '_', '-' or '.'")
	case strings.ContainsFunc(d.Title, unicode.IsControl):
		return errors.New("the title has a line break or control character")
	}
	if err := d.input().Validate(); err != nil {
		return fmt.Errorf("the input schema: %w", err)
	}
	if err := validateObject(d.Output); err != nil {
		return fmt.Errorf("the output schema: %w", err)
	}
	if err := validateObject(d.Meta); err != nil {
		return fmt.Errorf("_meta: %w", err)
	}
	for i, icon := range d.Icons {
		if icon.Source == "" {
			return fmt.Errorf("icon %d has no source", i+1)
		}
	}
	return nil
}

// validateObject takes what is empty for absent.
func validateObject(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	_, err := compactObject(raw)
	return err
}

func compactObject(raw json.RawMessage) ([]byte, error) {
	compact, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return nil, err
	}
	if compact[0] != '{' {
		return nil, errors.New("it is no JSON object")
	}
	return compact, nil
}

func validName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("_-.", r)
	})
}
