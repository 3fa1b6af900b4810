package bridge

import "sync"

// delivery is what a process has for one HTTP stream.
type delivery struct {
	message message // its text is nil if there is none
	isLast  bool    // the stream ends after it
	err     error   // why there will be no answer
}

// mailbox holds what a stream has yet to be told, in order of arrival. It has no
// limit: the goroutine that fills it reads for all streams, so it must not wait.
type mailbox struct {
	arrived chan struct{} // gets a value when there is something

	mu      sync.Mutex
	waiting []delivery
}

func newMailbox() *mailbox { return &mailbox{arrived: make(chan struct{}, 1)} }

func (m *mailbox) put(d delivery) {
	m.mu.Lock()
	m.waiting = append(m.waiting, d)
	m.mu.Unlock()
	select {
	case m.arrived <- struct{}{}:
	default: // it will be seen together with what has come before
	}
}

// take gives all that has arrived, perhaps nothing.
func (m *mailbox) take() []delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.waiting
	m.waiting = nil
	return taken
}
