//go:build mcp20260728

package protocol

// Clamp is the value of ClampMCPProtocolVersion_20251125 in this build.
const Clamp = 0

// Ceiling is the highest revision that a server of this build speaks. The
// clamp is a ceiling and not a floor: older clients are served all the same.
const Ceiling = V20260728
