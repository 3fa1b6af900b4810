package core

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Block is one block of content: TextBlock, ImageBlock, AudioBlock,
// ResourceLink, EmbeddedResource or RawBlock.
type Block interface {
	// AppendBlock appends the block as the revision has it. A kind of block
	// that the revision does not know becomes a text block that says what it
	// was. An error means that the block's _meta is no JSON object.
	AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error)
}

// Annotations say for whom content is meant.
type Annotations struct {
	// Audience holds "user", "assistant" or both; empty is left out.
	Audience []string
	// Priority is from 0 (optional) to 1 (required); nil is left out.
	Priority *float64
	// LastModified is an ISO 8601 time; empty is left out.
	LastModified string
}

// TextBlock is plain text.
type TextBlock struct {
	Text        string
	Annotations *Annotations
	// Meta is a JSON object, or nil.
	Meta json.RawMessage
}

// ImageBlock is an image, and AudioBlock a sound. Both types are required.
type ImageBlock struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        json.RawMessage
}

// AudioBlock is a sound.
type AudioBlock struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        json.RawMessage
}

// ResourceLink names a resource that the client can read.
type ResourceLink struct {
	// URI and Name are required.
	URI, Name                    string
	Title, Description, MIMEType string
	// Size is in bytes; 0 is unknown.
	Size        int64
	Annotations *Annotations
	Icons       []Icon
	Meta        json.RawMessage
}

// EmbeddedResource is the content of a resource.
type EmbeddedResource struct {
	URI, MIMEType string
	// Text is the content, unless Blob is not nil.
	Text        string
	Blob        []byte
	Annotations *Annotations
	Meta        json.RawMessage
}

// RawBlock is a block verbatim, a JSON object, for kinds of content that have
// no type here.
type RawBlock json.RawMessage

// AppendBlock implements Block.
func (b RawBlock) AppendBlock(dst []byte, _ protocol.Revision) ([]byte, error) {
	start := len(dst)
	dst, err := wire.AppendCompact(dst, string(b))
	switch {
	case err != nil:
		return nil, err
	case dst[start] != '{':
		return nil, errors.New("a raw block is no JSON object")
	}
	return dst, nil
}

// AppendBlock implements Block.
func (b TextBlock) AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = append(dst, `{"type":"text","text":`...)
	dst = wire.AppendString(dst, b.Text)
	return appendBlockEnd(dst, b.Annotations, b.Meta, revision)
}

// AppendBlock implements Block.
func (b ImageBlock) AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = appendMedia(dst, "image", b.Data, b.MIMEType)
	return appendBlockEnd(dst, b.Annotations, b.Meta, revision)
}

// AppendBlock implements Block.
func (b AudioBlock) AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error) {
	if revision < protocol.V20250326 {
		return appendSubstitute(dst, "audio", b.MIMEType, ""), nil
	}
	dst = appendMedia(dst, "audio", b.Data, b.MIMEType)
	return appendBlockEnd(dst, b.Annotations, b.Meta, revision)
}

// AppendBlock implements Block.
func (b ResourceLink) AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error) {
	if revision < protocol.V20250618 {
		return appendSubstitute(dst, "resource_link", b.Name, b.URI), nil
	}
	dst = append(dst, `{"type":"resource_link"`...)
	dst = appendStringMember(dst, "uri", b.URI)
	dst = appendStringMember(dst, "name", b.Name)
	dst = appendOptionalString(dst, "title", b.Title)
	dst = appendOptionalString(dst, "description", b.Description)
	dst = appendOptionalString(dst, "mimeType", b.MIMEType)
	if b.Size > 0 {
		dst = wire.AppendInt(append(dst, `,"size":`...), b.Size)
	}
	if revision >= protocol.V20251125 {
		dst = AppendIcons(dst, b.Icons)
	}
	return appendBlockEnd(dst, b.Annotations, b.Meta, revision)
}

// AppendBlock implements Block.
func (b EmbeddedResource) AppendBlock(dst []byte, revision protocol.Revision) ([]byte, error) {
	contents := ResourceContents{URI: b.URI, MIMEType: b.MIMEType, Text: b.Text, Blob: b.Blob}
	dst = contents.appendMembers(append(dst, `{"type":"resource","resource":{`...))
	dst = append(dst, '}')
	return appendBlockEnd(dst, b.Annotations, b.Meta, revision)
}

func appendMedia(dst []byte, kind string, data []byte, mimeType string) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","data":`...)
	dst = appendBase64(dst, data)
	return appendStringMember(dst, "mimeType", mimeType)
}

func appendBase64(dst, data []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, data)
	return append(dst, '"')
}

// appendSubstitute appends a text block in place of one that the revision does
// not know, so that nothing is dropped in silence.
func appendSubstitute(dst []byte, kind, what, uri string) []byte {
	text := "[" + strings.TrimSpace(kind+" "+what) + "]"
	if uri != "" {
		text += " " + uri
	}
	dst = append(dst, `{"type":"text","text":`...)
	return append(wire.AppendString(dst, text), '}')
}

func appendBlockEnd(dst []byte, annotations *Annotations, meta json.RawMessage, revision protocol.Revision) ([]byte, error) {
	if annotations != nil {
		dst = annotations.append(dst, revision)
	}
	if revision >= protocol.V20250618 {
		var err error
		if dst, err = appendObjectMember(dst, "_meta", meta); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (a *Annotations) append(dst []byte, revision protocol.Revision) []byte {
	dst = append(dst, `,"annotations":{`...)
	start := len(dst)
	if len(a.Audience) > 0 {
		dst = wire.AppendStrings(append(dst, `,"audience":`...), a.Audience)
	}
	if a.Priority != nil {
		dst = wire.AppendFloat(append(dst, `,"priority":`...), *a.Priority)
	}
	if revision >= protocol.V20250618 {
		dst = appendOptionalString(dst, "lastModified", a.LastModified)
	}
	return append(withoutComma(dst, start), '}')
}

// AppendIcons appends an icons member with its leading comma, or nothing when
// there are no icons.
func AppendIcons(dst []byte, icons []Icon) []byte {
	if len(icons) == 0 {
		return dst
	}
	dst = append(dst, `,"icons":[`...)
	for i, icon := range icons {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"src":`...)
		dst = wire.AppendString(dst, icon.Source)
		dst = appendOptionalString(dst, "mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			dst = wire.AppendStrings(append(dst, `,"sizes":`...), icon.Sizes)
		}
		dst = appendOptionalString(dst, "theme", icon.Theme)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
