package core

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Resource is one entry of an aspect's resource table: content under a URI.
type Resource struct {
	// URI and Name are required.
	URI, Name                    string
	Title, Description, MIMEType string
	// Size is in bytes; 0 is unknown.
	Size        int64
	Annotations *Annotations
	Icons       []Icon
	// Meta is a JSON object for the definition's _meta member.
	Meta json.RawMessage
	// Raw is the resource's definition verbatim, a JSON object, in place of the
	// members above except URI.
	Raw json.RawMessage
	// Read answers resources/read with a ResourceResult. Required.
	Read Handler
}

// Template describes resources whose URIs follow a pattern (RFC 6570).
type Template struct {
	// Name is required, and either URITemplate, which is a text for clients
	// alone, or Pattern, with which Read can be reached.
	URITemplate, Name            string
	Pattern                      URIPattern
	Title, Description, MIMEType string
	Annotations                  *Annotations
	Icons                        []Icon
	Meta                         json.RawMessage
	// Raw is the template's definition verbatim, a JSON object, in place of the
	// members above except URITemplate or Pattern.
	Raw json.RawMessage
	// Read answers resources/read for URIs that match the pattern; Call.Variable
	// gives what its variables stand for. Without it, the aspect's
	// OnResourcesRead is asked.
	Read Handler
	// Complete, if any, suggests values for variables, by their names.
	Complete map[string]Handler
}

// URIPattern is a URI template that can be matched. Package core/uritemplate
// makes them.
type URIPattern interface {
	// String gives the template.
	String() string
	// Match reads the variables back from a URI, each with one value or, where
	// the template lists them, several.
	Match(uri string) (variables map[string][]string, matched bool)
	// Variables gives the names of the template's variables.
	Variables() []string
	// Validate tells what is wrong with the template.
	Validate() error
}

// Text gives the template as clients see it.
func (t Template) Text() string {
	if t.Pattern != nil {
		return t.Pattern.String()
	}
	return t.URITemplate
}

// ResourceResult answers resources/read.
type ResourceResult []ResourceContents

// ResourceContents is the content of a resource.
type ResourceContents struct {
	// URI is required.
	URI, MIMEType string
	// Text is the content, unless Blob is not nil. A text that is not valid
	// UTF-8 is sent as a blob.
	Text string
	Blob []byte
	Meta json.RawMessage
}

// ResourceNotFound is the error for a URI under which there is nothing. The
// runner gives it the code that the request's revision has for it.
func ResourceNotFound(uri string) *Error {
	return &Error{
		Code:    protocol.CodeResourceNotFound,
		Message: "Resource Not Found",
		Data:    append(wire.AppendString([]byte(`{"uri":`), uri), '}'),
	}
}

// AppendMembers implements Result.
func (r ResourceResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = append(dst, `"contents":[`...)
	for i, contents := range r {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		dst = contents.appendMembers(dst)
		if revision >= protocol.V20250618 {
			var err error
			if dst, err = appendObjectMember(dst, "_meta", contents.Meta); err != nil {
				return nil, fmt.Errorf("contents[%d]: %w", i, err)
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// appendMembers appends uri, mimeType, and text or blob.
func (c ResourceContents) appendMembers(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `"uri":`...), c.URI)
	dst = appendOptionalString(dst, "mimeType", c.MIMEType)
	switch {
	case c.Blob != nil:
		return appendBase64(append(dst, `,"blob":`...), c.Blob)
	case !utf8.ValidString(c.Text):
		return appendBase64(append(dst, `,"blob":`...), []byte(c.Text))
	}
	return appendStringMember(dst, "text", c.Text)
}

// AppendDefinition appends the resource as the revision's resources/list has
// it.
func (r Resource) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	if len(r.Raw) > 0 {
		return appendRawDefinition(dst, r.Raw, "uri", r.URI, revision)
	}
	dst = wire.AppendString(append(dst, `{"uri":`...), r.URI)
	if r.Size > 0 {
		dst = wire.AppendInt(append(dst, `,"size":`...), r.Size)
	}
	return definition{r.Name, r.Title, r.Description, r.MIMEType, r.Annotations, r.Icons, r.Meta}.append(dst, revision)
}

// AppendDefinition appends the template as the revision's
// resources/templates/list has it.
func (t Template) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	if len(t.Raw) > 0 {
		return appendRawDefinition(dst, t.Raw, "uriTemplate", t.Text(), revision)
	}
	dst = wire.AppendString(append(dst, `{"uriTemplate":`...), t.Text())
	return definition{t.Name, t.Title, t.Description, t.MIMEType, t.Annotations, t.Icons, t.Meta}.append(dst, revision)
}

// definition is what resources and templates have in common.
type definition struct {
	name, title, description, mimeType string
	annotations                        *Annotations
	icons                              []Icon
	meta                               json.RawMessage
}

func (d definition) append(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = appendStringMember(dst, "name", d.name)
	if revision >= protocol.V20250618 {
		dst = appendOptionalString(dst, "title", d.title)
	}
	dst = appendOptionalString(dst, "description", d.description)
	dst = appendOptionalString(dst, "mimeType", d.mimeType)
	if revision >= protocol.V20251125 {
		dst = AppendIcons(dst, d.icons)
	}
	return appendBlockEnd(dst, d.annotations, d.meta, revision)
}
