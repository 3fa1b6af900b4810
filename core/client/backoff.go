package client

import (
	"math/rand/v2"
	"time"
)

// Backoff says how often and how fast to try again. The zero value tries for
// ever, first after half a second and then twice as long after each failure, up
// to 30 seconds, each time a random part of up to a half less.
type Backoff struct {
	// Off is for not trying at all.
	Off bool
	// First and Most are the shortest and the longest wait. Zero is 500 ms and
	// 30 s.
	First, Most time.Duration
	// Attempts is how often in a row to try; zero is for ever.
	Attempts int
}

func (b *Backoff) first() time.Duration { return defaultDuration(b.First, 500*time.Millisecond) }

func (b *Backoff) most() time.Duration { return defaultDuration(b.Most, 30*time.Second) }

// Delay gives the wait before the attempt that follows so many failures, and
// whether there is one.
func (b *Backoff) Delay(failures int) (delay time.Duration, ok bool) {
	if b.Off || b.Attempts > 0 && failures >= b.Attempts {
		return 0, false
	}
	delay = b.most()
	// A shift by more would overflow; the most is reached long before.
	if shift := min(failures, 32); b.first() < b.most()>>shift {
		delay = b.first() << shift
	}
	return delay - rand.N(delay/2+1), true
}

// steady is how long a connection must have lasted for its loss not to count as
// one more failure in a row.
func (b *Backoff) steady() time.Duration { return b.most() }
