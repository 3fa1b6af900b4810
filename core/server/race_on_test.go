//go:build race

package server_test

// The race detector makes everything slower, and allocates by itself.
const (
	manyRequests       = 50_000
	manyCalls          = 50_000
	allocationsPerCall = 8
)
