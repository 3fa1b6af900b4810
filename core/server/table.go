package server

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// tool is one entry of the tool table: the aspect's, or built in.
type tool struct {
	core.Tool
	builtIn func(q *request) (core.Result, error)
}

// toolTable holds the tools. Readers take the current snapshot, which never
// changes; who changes the table makes a new one.
type toolTable struct {
	connection *connection
	static     []*tool // the aspect's table
	builtIns   []*tool
	current    atomic.Pointer[toolSnapshot]

	mu      sync.Mutex // guards what follows
	dynamic map[string]*tool
	ready   bool // the client may be told of changes
	changed bool // it was not told of one
}

// toolSnapshot is one state of the table.
type toolSnapshot struct {
	byName map[string]*tool
	order  []*tool
	// lists are the members of tools/list results, by revision, encoded at
	// first use.
	lists [protocol.V20260728 + 1]atomic.Pointer[members]
}

func (t *toolTable) init(c *connection) {
	t.connection = c
	t.dynamic = make(map[string]*tool)
	for _, definition := range c.aspect.Tools {
		t.static = append(t.static, &tool{Tool: definition})
	}
	t.builtIns = builtInTools()
	t.publishLocked()
}

// publishLocked makes a snapshot: the aspect's own tools in their order, those
// added while serving by name, then the built-in ones.
func (t *toolTable) publishLocked() {
	added := slices.SortedFunc(maps.Values(t.dynamic), func(a, b *tool) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	order := slices.Concat(t.static, added, t.builtIns)
	snapshot := &toolSnapshot{byName: make(map[string]*tool, len(order)), order: order}
	for _, entry := range order {
		snapshot.byName[entry.Name] = entry
	}
	t.current.Store(snapshot)
}

func (t *toolTable) find(name string) *tool { return t.current.Load().byName[name] }

// list gives the members of a tools/list result.
func (t *toolTable) list(revision protocol.Revision) (core.Result, error) {
	snapshot := t.current.Load()
	if known := snapshot.lists[revision].Load(); known != nil {
		return *known, nil
	}
	dst := []byte(`"tools":[`)
	for i, entry := range snapshot.order {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = entry.AppendDefinition(dst, revision); err != nil {
			return nil, core.InternalError(fmt.Sprintf("tool %s: %v", entry.Name, err))
		}
	}
	list := members(append(dst, ']'))
	snapshot.lists[revision].Store(&list)
	return list, nil
}

// AddTool implements link.Host.
func (c *connection) AddTool(definition any) error {
	added, ok := definition.(core.Tool)
	t := &c.tools
	switch {
	case !ok:
		return fmt.Errorf("%T is no tool", definition)
	case !c.aspect.DynamicTools:
		return fmt.Errorf("tool %q: the aspect does not declare DynamicTools", added.Name)
	case t.reserved(added.Name):
		return fmt.Errorf("tool %q: the name is taken by the aspect's own table or a built-in tool", added.Name)
	}
	t.mu.Lock()
	t.dynamic[added.Name] = &tool{Tool: added}
	t.publishLocked()
	t.mu.Unlock()
	t.tell()
	return nil
}

// reserved reports whether a tool that is added cannot have the name.
func (t *toolTable) reserved(name string) bool {
	return slices.Contains(core.BuiltInTools(), name) ||
		slices.ContainsFunc(t.static, func(entry *tool) bool { return entry.Name == name })
}

// RemoveTools implements link.Host.
func (c *connection) RemoveTools(names ...string) int {
	t := &c.tools
	t.mu.Lock()
	before := len(t.dynamic)
	for _, name := range names {
		delete(t.dynamic, name)
	}
	removed := before - len(t.dynamic)
	if removed > 0 {
		t.publishLocked()
	}
	t.mu.Unlock()
	if removed > 0 {
		t.tell()
	}
	return removed
}

// tell tells the client of a change, or remembers to.
func (t *toolTable) tell() {
	t.mu.Lock()
	t.changed = !t.ready
	ready := t.ready
	t.mu.Unlock()
	t.connection.modern.toolsChanged()
	if ready {
		t.tellLegacy()
	}
}

// tellLegacy tells the client that made the handshake.
func (t *toolTable) tellLegacy() {
	if err := t.connection.Post("notifications/tools/list_changed", ""); err != nil {
		t.connection.trace.Errorf("the client was not told of changed tools: %v", err)
	}
}

// hold keeps changes back until the client is ready, after an initialize.
func (t *toolTable) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = false
}

// release says that the client is ready, and tells it of earlier changes, once.
func (t *toolTable) release() {
	t.mu.Lock()
	t.ready = true
	changed := t.changed
	t.changed = false
	t.mu.Unlock()
	if changed {
		t.tellLegacy()
	}
}
