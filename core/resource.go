package core

import (
	"encoding/json"
	"fmt"

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
	// Read answers resources/read with a ResourceResult. Required.
	Read Handler
}

// Template describes resources whose URIs follow a pattern (RFC 6570). They
// are read by the aspect's OnResourcesRead.
type Template struct {
	// URITemplate and Name are required.
	URITemplate, Name            string
	Title, Description, MIMEType string
	Annotations                  *Annotations
	Icons                        []Icon
	Meta                         json.RawMessage
}

// ResourceResult answers resources/read.
type ResourceResult []ResourceContents

// ResourceContents is the content of a resource.
type ResourceContents struct {
	// URI is required.
	URI, MIMEType string
	// Text is the content, unless Blob is not nil.
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
	if c.Blob != nil {
		return appendBase64(append(dst, `,"blob":`...), c.Blob)
	}
	return appendStringMember(dst, "text", c.Text)
}

// AppendDefinition appends the resource as the revision's resources/list has
// it.
func (r Resource) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = wire.AppendString(append(dst, `{"uri":`...), r.URI)
	if r.Size > 0 {
		dst = wire.AppendInt(append(dst, `,"size":`...), r.Size)
	}
	return definition{r.Name, r.Title, r.Description, r.MIMEType, r.Annotations, r.Icons, r.Meta}.append(dst, revision)
}

// AppendDefinition appends the template as the revision's
// resources/templates/list has it.
func (t Template) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = wire.AppendString(append(dst, `{"uriTemplate":`...), t.URITemplate)
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
