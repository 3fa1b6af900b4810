//go:build !mcp20260728

package transcripts

// thisBuild is how the servers under test were built.
const thisBuild = clamped
