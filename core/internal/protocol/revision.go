// Package protocol holds what the Model Context Protocol fixes by name or
// number: its revisions and how they are negotiated, error codes, log levels.
package protocol

// Revision is one published revision of the protocol. A later revision
// compares greater than an earlier one.
type Revision uint8

// The revisions, oldest first. Zero is no revision.
const (
	V20241105 Revision = iota + 1
	V20250326
	V20250618
	V20251125
	V20260728
)

// NewestLegacy is the last revision that opens with an initialize handshake.
const NewestLegacy = V20251125

// String gives the revision as it stands on the wire.
func (r Revision) String() string {
	switch r {
	case V20241105:
		return "2024-11-05"
	case V20250326:
		return "2025-03-26"
	case V20250618:
		return "2025-06-18"
	case V20251125:
		return "2025-11-25"
	case V20260728:
		return "2026-07-28"
	}
	return "unknown"
}

// Legacy reports whether the revision belongs to the era of the initialize
// handshake.
func (r Revision) Legacy() bool {
	return r != 0 && r <= NewestLegacy
}

// Parse gives the revision of that name; ok is false when there is none.
func Parse(name string) (r Revision, ok bool) {
	for r := V20241105; r <= V20260728; r++ {
		if r.String() == name {
			return r, true
		}
	}
	return 0, false
}

// Negotiate gives the revision that answers an initialize request: the one
// asked for when it is a legacy one, else the newest legacy one. It never
// gives a modern revision, since the handshake itself selects the legacy era
// (specification, basic/lifecycle).
func Negotiate(requested string) Revision {
	if r, ok := Parse(requested); ok && r.Legacy() {
		return r
	}
	return NewestLegacy
}
