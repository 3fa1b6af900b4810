package core

import (
	"math"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// appendKnown appends of a raw result's members what the revision knows, each
// with a comma before it.
func appendKnown(dst []byte, result string, revision protocol.Revision) []byte {
	block := func(dst []byte, block string) []byte { return appendKnownBlock(dst, block, revision) }
	message := func(dst []byte, message string) []byte {
		return appendChangedObject(dst, message, func(dst []byte, name, value string) []byte {
			if name == "content" {
				return block(dst, value)
			}
			return append(dst, value...)
		})
	}
	return appendChanged(dst, result, func(dst []byte, name, value string) []byte {
		switch name {
		case "resultType", "ttlMs", "cacheScope":
			// What the modern era has beyond the legacy one, the runner writes itself.
			return dst
		case "_meta":
			if !revision.Legacy() {
				return dst
			}
		case "structuredContent":
			if revision < protocol.V20250618 {
				return dst
			}
		case "content", "contents":
			return appendEach(dst, value, block)
		case "messages":
			return appendEach(dst, value, message)
		}
		return append(dst, value...)
	})
}

// appendEach appends an array, each element with element. What is no array
// stays as it is.
func appendEach(dst []byte, array string, element func(dst []byte, element string) []byte) []byte {
	elements, isArray := wire.Elements(array, math.MaxInt)
	if !isArray {
		return append(dst, array...)
	}
	dst = append(dst, '[')
	for i, text := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, text)
	}
	return append(dst, ']')
}

// appendKnownBlock appends of a block of content, or of a resource's contents,
// what the revision knows; in the place of a kind of block that it does not
// know, a text block.
func appendKnownBlock(dst []byte, block string, revision protocol.Revision) []byte {
	if revision >= protocol.V20251125 {
		return append(dst, block...)
	}
	fields := gjson.Parse(block)
	switch kind := fields.Get("type").Str; {
	case kind == "audio" && revision < protocol.V20250326:
		return appendSubstitute(dst, kind, fields.Get("mimeType").Str, "")
	case kind == "resource_link" && revision < protocol.V20250618:
		return appendSubstitute(dst, kind, fields.Get("name").Str, fields.Get("uri").Str)
	}
	return appendChangedObject(dst, block, func(dst []byte, name, value string) []byte {
		switch {
		case name == "icons":
			return dst
		case revision >= protocol.V20250618:
		case name == "_meta":
			return dst
		case name == "annotations":
			return appendWithout(dst, value, "lastModified")
		case name == "resource":
			return appendWithout(dst, value, "_meta")
		}
		return append(dst, value...)
	})
}

// appendWithout appends an object without a member.
func appendWithout(dst []byte, object, without string) []byte {
	return appendChangedObject(dst, object, func(dst []byte, name, value string) []byte {
		if name == without {
			return dst
		}
		return append(dst, value...)
	})
}
