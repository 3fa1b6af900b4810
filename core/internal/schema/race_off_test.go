//go:build !race

package schema

// raceEnabled tells that the race detector is on, which makes allocations of
// its own.
const raceEnabled = false
