package toolserver

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"mcpserver/core/internal/wire"
)

// Registry holds the tools of a server, in the order of their registration. Its
// exported methods only read. It is safe for concurrent use.
type Registry struct {
	mu       sync.RWMutex // guards what follows
	order    []Tool       // only ever appended to
	byName   map[string]int
	watchers map[*watcher]bool
}

// watcher is told of registrations.
type watcher struct{ changed func() }

// Len gives the number of tools.
func (r *Registry) Len() int { return len(r.snapshot()) }

// Tool gives the tool of that local name.
func (r *Registry) Tool(name string) (tool Tool, found bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	at, found := r.byName[name]
	if !found {
		return Tool{}, false
	}
	return r.order[at], true
}

// All gives the tools that are there when the loop begins.
func (r *Registry) All() iter.Seq[Tool] {
	return func(yield func(Tool) bool) {
		for _, tool := range r.snapshot() {
			if !yield(tool) {
				return
			}
		}
	}
}

func (r *Registry) snapshot() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.order
}

// listJSON gives the array of Server.ListTools.
func (r *Registry) listJSON() string {
	dst := []byte{'['}
	for i, tool := range r.snapshot() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(append(dst, `{"name":`...), tool.Definition.Name)
		dst = wire.AppendString(append(dst, `,"description":`...), tool.Definition.Description)
		dst = tool.Definition.input().AppendJSON(append(dst, `,"inputSchema":`...))
		dst = append(dst, '}')
	}
	return string(append(dst, ']'))
}

func (r *Registry) register(tool Tool) error {
	if err := tool.Definition.validate(); err != nil {
		return fmt.Errorf("tool %q: %w", tool.Definition.Name, err)
	}
	if tool.Execute == nil {
		return fmt.Errorf("tool %q: it has no Execute", tool.Definition.Name)
	}
	watchers, err := r.add(tool)
	if err != nil {
		return fmt.Errorf("tool %q: %w", tool.Definition.Name, err)
	}
	for _, watcher := range watchers {
		watcher.changed()
	}
	return nil
}

// add gives those who are to be told, which is done without the lock: they
// read the registry.
func (r *Registry) add(tool Tool) ([]*watcher, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byName[tool.Definition.Name]; taken {
		return nil, errors.New("there is one of that name already")
	}
	if r.byName == nil {
		r.byName = make(map[string]int)
	}
	r.byName[tool.Definition.Name] = len(r.order)
	r.order = append(r.order, tool)
	var watchers []*watcher
	for watcher := range r.watchers {
		watchers = append(watchers, watcher)
	}
	return watchers, nil
}

// watch has changed called after each registration from now on, until stop.
func (r *Registry) watch(changed func()) (stop func()) {
	w := &watcher{changed}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watchers == nil {
		r.watchers = make(map[*watcher]bool)
	}
	r.watchers[w] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, w)
	}
}
