//go:build !mcp20260728

package protocol

// Clamp is the value of ClampMCPProtocolVersion_20251125 in this build.
const Clamp = 1

// Ceiling is the highest revision that a server of this build speaks.
const Ceiling = V20251125
