//go:build !race

package server_test

const (
	// manyRequests is how many requests stand behind a blocked handler.
	manyRequests = 1_000_000
	// manyCalls is how many calls the heap must not grow over.
	manyCalls = 1_000_000
	// allocationsPerCall is the most that one call may take.
	allocationsPerCall = 2
)
