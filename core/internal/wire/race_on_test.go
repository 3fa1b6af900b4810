//go:build race

package wire

// raceEnabled says that the race detector is at work, which allocates.
const raceEnabled = true
