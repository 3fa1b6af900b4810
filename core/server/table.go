package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mcpserver/core"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
)

// listed is an entry of a table.
type listed interface {
	// key is the name or the URI by which the entry is found.
	key() string
	AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error)
}

// table holds what one of the lists shows. Readers take the current snapshot,
// which never changes; after a change the first of them makes a new one.
type table[E listed] struct {
	what     string   // one entry, in messages: "tool"
	member   string   // of the list's result: "tools"
	changes  *changes // whom to tell when it changes
	dynamic  bool     // entries come and go while serving
	reserved []string // keys that nobody but the core can use
	static   []E      // the aspect's own
	builtIns []E
	pageSize int
	current  atomic.Pointer[snapshot[E]] // nil after a change

	mu    sync.Mutex // guards what follows
	added map[string]E
}

// snapshot is one state of a table: the aspect's own entries in their order,
// those added while serving by their keys, then the built-in ones.
type snapshot[E listed] struct {
	byKey         map[string]E
	order         []E
	static, added int // how many of the order
	// pages are the members of list results, encoded at first use.
	pages []pageByRevision
}

type pageByRevision [protocol.Ceiling + 1]atomic.Pointer[page]

func (t *table[E]) init(pageSize int) {
	t.pageSize = pageSize
	t.added = make(map[string]E)
}

// state gives the current snapshot, which it makes if there was a change: so
// many changes in a row cost no more than one.
func (t *table[E]) state() *snapshot[E] {
	if s := t.current.Load(); s != nil {
		return s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.current.Load()
	if s == nil {
		s = t.snapshotLocked()
		t.current.Store(s)
	}
	return s
}

func (t *table[E]) snapshotLocked() *snapshot[E] {
	added := slices.SortedFunc(maps.Values(t.added), func(a, b E) int { return strings.Compare(a.key(), b.key()) })
	order := slices.Concat(t.static, added, t.builtIns)
	s := &snapshot[E]{
		byKey:  make(map[string]E, len(order)),
		order:  order,
		static: len(t.static),
		added:  len(added),
		pages:  make([]pageByRevision, 1+len(order)/t.pageSize),
	}
	for _, entry := range order {
		s.byKey[entry.key()] = entry
	}
	return s
}

// define appends an entry's definition. That may run the aspect's code, such as a
// schema of its own, so a panic is an error.
func define[E listed](c *connection, dst []byte, entry E, revision protocol.Revision) (extended []byte, err error) {
	what := "the description of " + shorten(entry.key())
	failure := c.protect(what, func() { extended, err = entry.AppendDefinition(dst, revision) })
	if failure != nil {
		c.trace.Errorf("%v", failure)
		return nil, errors.New("its description failed unexpectedly; the server's trace has the details")
	}
	return extended, err
}

func (t *table[E]) find(key string) (entry E, known bool) {
	entry, known = t.state().byKey[key]
	return entry, known
}

// add adds entries, or replaces some that were added before. It leaves out, and
// gives an error for, each whose key is taken.
func (t *table[E]) add(entries []E) error {
	if !t.dynamic {
		return fmt.Errorf("no %s was added: the aspect does not declare %s", t.what, t.changes.kind.declaredBy())
	}
	var problems []error
	t.mu.Lock()
	for _, entry := range entries {
		if t.isTaken(entry.key()) {
			problems = append(problems, fmt.Errorf("%s %q: the name is taken by the aspect's own table or a built-in tool", t.what, entry.key()))
			continue
		}
		t.added[entry.key()] = entry
	}
	changed := len(entries) > len(problems)
	if changed {
		t.current.Store(nil)
	}
	t.mu.Unlock()
	if changed {
		t.changes.tell()
	}
	return errors.Join(problems...)
}

// isTaken reports whether an entry that is added cannot have the key.
func (t *table[E]) isTaken(key string) bool {
	return slices.Contains(t.reserved, key) ||
		slices.ContainsFunc(t.static, func(entry E) bool { return entry.key() == key })
}

// remove takes out entries that were added, and gives how many there were.
func (t *table[E]) remove(keys []string) int {
	t.mu.Lock()
	before := len(t.added)
	for _, key := range keys {
		delete(t.added, key)
	}
	removed := before - len(t.added)
	if removed > 0 {
		t.current.Store(nil)
	}
	t.mu.Unlock()
	if removed > 0 {
		t.changes.tell()
	}
	return removed
}

// inventory says how many entries there are, and whose.
func (t *table[E]) inventory() string {
	s := t.state()
	if len(s.order) == 0 {
		return "0"
	}
	parts := []string{fmt.Sprintf("%d of the aspect", s.static)}
	if t.dynamic {
		parts = append(parts, fmt.Sprintf("%d added while serving", s.added))
	}
	if len(t.builtIns) > 0 {
		parts = append(parts, fmt.Sprintf("%d built in", len(t.builtIns)))
	}
	return fmt.Sprintf("%d (%s)", len(s.order), strings.Join(parts, ", "))
}

// The entries of the tables.
type (
	prompt   struct{ core.Prompt }
	resource struct{ core.Resource }
	template struct{ core.Template }
)

func (t *tool) key() string     { return t.Name }
func (p *prompt) key() string   { return p.Name }
func (r *resource) key() string { return r.URI }
func (t *template) key() string { return t.Text() }

// tables are all that a server lists.
type tables struct {
	tools     table[*tool]
	prompts   table[*prompt]
	resources table[*resource]
	templates table[*template]
	changes   [listKinds]changes
	leftOut   leftOut
}

func (t *tables) init(c *connection) {
	a := c.aspect
	for kind := range t.changes {
		t.changes[kind].connection, t.changes[kind].kind = c, listKind(kind)
	}
	t.tools.what, t.tools.member = "tool", "tools"
	t.tools.dynamic, t.tools.changes = a.DynamicTools, &t.changes[toolList]
	t.tools.reserved, t.tools.builtIns = core.BuiltInTools(), c.builtInTools()
	for i := range a.Tools {
		t.tools.static = append(t.tools.static, &tool{Tool: a.Tools[i]})
	}
	t.prompts.what, t.prompts.member = "prompt", "prompts"
	t.prompts.dynamic, t.prompts.changes = a.DynamicPrompts, &t.changes[promptList]
	for i := range a.Prompts {
		t.prompts.static = append(t.prompts.static, &prompt{a.Prompts[i]})
	}
	t.resources.what, t.resources.member = "resource", "resources"
	t.resources.dynamic, t.resources.changes = a.DynamicResources, &t.changes[resourceList]
	for i := range a.Resources {
		t.resources.static = append(t.resources.static, &resource{a.Resources[i]})
	}
	t.templates.what, t.templates.member = "template", "resourceTemplates"
	t.templates.dynamic, t.templates.changes = a.DynamicResources, &t.changes[resourceList]
	for i := range a.Templates {
		t.templates.static = append(t.templates.static, &template{a.Templates[i]})
	}
	pageSize := c.options.pageSize(a)
	t.tools.init(pageSize)
	t.prompts.init(pageSize)
	t.resources.init(pageSize)
	t.templates.init(pageSize)
}

// AddDefinitions implements link.Host.
func (c *connection) AddDefinitions(definitions any) error {
	t := &c.tables
	var err error
	switch definitions := definitions.(type) {
	case []core.Tool:
		c.warn(definitions)
		err = addListable(&t.tools, definitions, core.CheckTool, func(d core.Tool) *tool { return &tool{Tool: d} })
	case []core.Prompt:
		err = addListable(&t.prompts, definitions, core.CheckPrompt, func(d core.Prompt) *prompt { return &prompt{d} })
	case []core.Resource:
		err = addListable(&t.resources, definitions, core.CheckResource, func(d core.Resource) *resource { return &resource{d} })
	case []core.Template:
		err = addListable(&t.templates, definitions, core.CheckTemplate, func(d core.Template) *template { return &template{d} })
	default:
		err = fmt.Errorf("%T is nothing that can be listed", definitions)
	}
	if err != nil {
		t.leftOut.note(err)
		c.trace.Errorf("left out: %v", err)
	}
	return err
}

// addListable adds those of the definitions that can be listed.
func addListable[D any, E listed](t *table[E], definitions []D, check func(D) error, entry func(D) E) error {
	var problems []error
	var good []E
	for _, definition := range definitions {
		made := entry(definition)
		if err := check(definition); err != nil {
			problems = append(problems, fmt.Errorf("%s %q: %w", t.what, made.key(), err))
			continue
		}
		good = append(good, made)
	}
	if len(good) > 0 || len(definitions) == 0 {
		problems = append(problems, t.add(good))
	}
	return errors.Join(problems...)
}

// RemoveDefinitions implements link.Host.
func (c *connection) RemoveDefinitions(from link.Table, keys []string) int {
	switch from {
	case link.Tools:
		return c.tables.tools.remove(keys)
	case link.Prompts:
		return c.tables.prompts.remove(keys)
	case link.Resources:
		return c.tables.resources.remove(keys)
	case link.Templates:
		return c.tables.templates.remove(keys)
	}
	return 0
}

// leftOut remembers the definitions that could not be listed, for the tool
// about_tsar-mcp: the last of them, and how many there were.
type leftOut struct {
	mu    sync.Mutex // guards what follows
	count int
	last  []string
}

// maxLeftOut is how many are remembered.
const maxLeftOut = 10

func (l *leftOut) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range strings.Split(err.Error(), "\n") {
		l.count++
		l.last = append(l.last, line)
	}
	l.last = l.last[max(0, len(l.last)-maxLeftOut):]
}

// lines says what was left out, a sentence each; nothing if nothing was.
func (l *leftOut) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := slices.Clone(l.last)
	if l.count > len(lines) {
		lines = append(lines, fmt.Sprintf("and %d before them", l.count-len(lines)))
	}
	return lines
}
