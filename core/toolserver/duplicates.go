package toolserver

import (
	"crypto/sha256"
	"sync"

	"mcpserver/core/internal/digest"
)

// maxRemembered is how many different calls Duplicates remembers.
const maxRemembered = 10_000

// Duplicates notices when a model asks for the same call again. One belongs to
// one conversation. The zero Duplicates is ready; it is safe for concurrent use,
// in which calls count in the order in which they are recorded.
//
// Two calls are the same if server and tool are, and the arguments say the
// same: the order of members, white space and the spelling of numbers (1, 1.0)
// are of no account, and all that Execute takes for {} is one. Calls of a tool
// for which the server's SkipDuplicateCheck is true are never the same as
// another one.
type Duplicates struct {
	mu     sync.Mutex // guards what follows
	counts map[fingerprint]int
	oldest []fingerprint // those of counts, by when they were first seen
	last   fingerprint   // zero after a call that is not checked
	row    int           // how many calls equal to last came one after the other
}

// Repetition says how often a call was made before.
type Repetition struct {
	// InARow counts the same calls directly before this one, without any other
	// call between them.
	InARow int
	// InConversation counts the same calls since the conversation began. Of
	// more than 10,000 different calls, the oldest are forgotten.
	InConversation int
}

// Record enters a call, by the tool's local name, that is about to be made, and
// tells how often it was made before. What a host does about it is its own
// affair: it may leave out the call and tell the model what came out before.
func (d *Duplicates) Record(server Server, tool, arguments string) Repetition {
	if server.SkipDuplicateCheck(tool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.last, d.row = fingerprint{}, 0
		return Repetition{}
	}
	key := fingerprintOf(Qualified(server, tool), arguments)
	d.mu.Lock()
	defer d.mu.Unlock()
	if key != d.last {
		d.last, d.row = key, 0
	}
	before := Repetition{InARow: d.row, InConversation: d.counts[key]}
	d.row++
	d.countLocked(key)
	return before
}

// Forget takes all entries of a call back, so that it may be made again: one
// that failed, say, or that read what has changed since.
func (d *Duplicates) Forget(server Server, tool, arguments string) {
	key := fingerprintOf(Qualified(server, tool), arguments)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.counts[key] > 0 {
		// Its place in oldest stays, so that one call takes one place.
		d.counts[key] = 0
	}
	if d.last == key {
		d.row = 0
	}
}

// Clear forgets all calls: a conversation begins.
func (d *Duplicates) Clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts, d.oldest, d.last, d.row = nil, nil, fingerprint{}, 0
}

func (d *Duplicates) countLocked(key fingerprint) {
	if d.counts == nil {
		d.counts = make(map[fingerprint]int)
	}
	if _, known := d.counts[key]; !known {
		if len(d.oldest) == maxRemembered {
			delete(d.counts, d.oldest[0])
			d.oldest = d.oldest[1:]
		}
		d.oldest = append(d.oldest, key)
	}
	d.counts[key]++
}

// fingerprint tells calls apart.
type fingerprint struct {
	tool, arguments digest.Sum
}

// fingerprintOf is the same for calls of one tool whose arguments say the same;
// whatever ParseArguments takes for empty does.
func fingerprintOf(qualifiedTool, rawArguments string) fingerprint {
	return fingerprint{sha256.Sum256([]byte(qualifiedTool)), digest.Of(ParseArguments(rawArguments).JSON())}
}
