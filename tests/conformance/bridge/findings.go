package bridge

import (
	"fmt"
	"slices"
	"sync"
)

// mostFindings bounds each kind of finding: who errs once mostly errs often.
const mostFindings = 100

// Findings are what a bridge has seen of a server that its HTTP clients can't.
type Findings struct {
	// Faults break the rules of the stdio transport or of the protocol.
	Faults []string
	// Notes are about what is allowed and hardly ever meant.
	Notes []string
}

// recorder collects findings from many goroutines.
type recorder struct {
	mu       sync.Mutex
	findings Findings
}

func (r *recorder) fault(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings.Faults = appendBounded(r.findings.Faults, fmt.Sprintf(format, values...))
}

func (r *recorder) note(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings.Notes = appendBounded(r.findings.Notes, fmt.Sprintf(format, values...))
}

func (r *recorder) all() Findings {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Findings{Faults: slices.Clone(r.findings.Faults), Notes: slices.Clone(r.findings.Notes)}
}

func appendBounded(list []string, text string) []string {
	switch {
	case len(list) < mostFindings:
		return append(list, text)
	case len(list) == mostFindings:
		return append(list, "and more")
	}
	return list
}
