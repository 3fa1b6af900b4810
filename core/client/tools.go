package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// Tool is one tool of a server.
type Tool struct {
	// Name is the server's own.
	Name string
	// Definition is what the server lists, on one line and otherwise byte for
	// byte.
	Definition json.RawMessage

	headers []parameterHeader
}

// repeatable reports whether the server says that calling the tool twice is no
// different from calling it once.
func (t *Tool) repeatable() bool {
	definition := string(t.Definition)
	return gjson.Get(definition, "annotations.readOnlyHint").Bool() || gjson.Get(definition, "annotations.idempotentHint").Bool()
}

// toolList is a server's tools at one time. It never changes.
type toolList struct {
	tools    []Tool
	byName   map[string]*Tool
	problems []string
	json     string // with qualified names
	// failure is why a new connection has no list; nil if it has one.
	failure error
}

// toolTable holds the newest list.
type toolTable struct {
	mu   sync.Mutex
	list *toolList
}

func (t *toolTable) load() *toolList {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.list == nil {
		return &toolList{json: `[]`}
	}
	return t.list
}

func (t *toolTable) store(list *toolList) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = list
}

func (t *toolTable) clear() { t.store(nil) }

// Qualified gives the name of a tool as ListTools has it: the server's name, a
// dot, and the tool's own name.
func (c *Client) Qualified(tool string) string { return c.name + "." + tool }

// ListTools gives the tools' definitions as a JSON array, with qualified names,
// as the server listed them last; "[]" when there is no connection. It asks
// nobody.
func (c *Client) ListTools() string {
	if !c.IsConnected() {
		return `[]`
	}
	return c.tools.load().json
}

// Tools gives the tools with the server's own names, in its order; none when
// there is no connection. It asks nobody.
func (c *Client) Tools() []Tool {
	if !c.IsConnected() {
		return nil
	}
	return slices.Clone(c.tools.load().tools)
}

// LoadedTools is Tools for those who have to know whether these are all tools: the
// error says why there is no connection, or why the list cannot be had, which
// RefreshTools tries anew.
func (c *Client) LoadedTools() ([]Tool, error) {
	if _, err := c.current(); err != nil {
		return nil, c.named(err)
	}
	list := c.tools.load()
	if list.failure != nil {
		return nil, c.named(list.failure)
	}
	return slices.Clone(list.tools), nil
}

// ToolProblems says which tools the server has listed in vain and why: what is
// no proper definition is left out, and the others are kept.
func (c *Client) ToolProblems() []string { return slices.Clone(c.tools.load().problems) }

// RefreshTools asks the server for its tools again. It gives the qualified
// names of those that are new and of those that are gone, sorted. If the list
// cannot be had, the old one stays, and there is an error.
func (c *Client) RefreshTools(ctx context.Context) (added, removed []string, err error) {
	current, err := c.current()
	if err != nil {
		return nil, nil, c.named(err)
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	early, attempts := c.tools.load(), 0
	var before, after *toolList
	err = c.onConnection(ctx, current, true, func(n *connection) (err error) {
		attempts++
		before, after, err = c.refreshTools(ctx, n)
		return err
	})
	if err != nil {
		return nil, nil, c.named(err)
	}
	if attempts > 1 {
		before = early // a new connection has loaded the list already
	}
	added, removed = c.difference(before, after)
	return added, removed, nil
}

// refreshTools loads the list anew. Refreshing is done by one at a time, so that
// an older list never takes the place of a newer one.
func (c *Client) refreshTools(ctx context.Context, connection *connection) (before, after *toolList, err error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	defer func() { <-c.turn }()
	definitions, err := connection.listAll(ctx, "tools")
	if err != nil {
		return nil, nil, err
	}
	before, after = c.tools.load(), c.newToolList(definitions, connection)
	for _, problem := range after.problems {
		c.log().Warn("a tool is left out", "problem", problem)
	}
	c.tools.store(after)
	return before, after, nil
}

// loadTools is for a new connection: that there is no list is no failure.
func (c *Client) loadTools(ctx context.Context, connection *connection) {
	limit := c.Options.connectTimeout()
	bounded, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{What: "listing the tools took too long", Limit: limit})
	defer cancel()
	if _, _, err := c.refreshTools(bounded, connection); err != nil && ctx.Err() == nil {
		c.tools.store(&toolList{json: `[]`, failure: err})
		c.log().Warn("the server's tools cannot be listed, so there are none", "error", err)
	}
	if err := connection.setLogLevel(bounded, c.level.load()); err != nil && ctx.Err() == nil {
		c.log().Warn("the server's log level cannot be set", "error", err)
	}
}

// difference gives qualified names, sorted.
func (c *Client) difference(before, after *toolList) (added, removed []string) {
	missing := func(from, in *toolList) (names []string) {
		for _, tool := range from.tools {
			if in.byName[tool.Name] == nil {
				names = append(names, c.Qualified(tool.Name))
			}
		}
		slices.Sort(names)
		return names
	}
	return missing(after, before), missing(before, after)
}

// sameTools reports whether two lists are the same in every respect.
func sameTools(a, b *toolList) bool {
	return slices.EqualFunc(a.tools, b.tools, func(x, y Tool) bool {
		return string(x.Definition) == string(y.Definition)
	})
}

// newToolList takes the definitions that are proper. A tool is one only with an
// object schema; of two with one name the first counts.
func (c *Client) newToolList(definitions []string, connection *connection) *toolList {
	list := &toolList{byName: map[string]*Tool{}, tools: make([]Tool, 0, len(definitions))}
	strict := connection.link.Traits().Exchanges && connection.session.Load().modern()
	whole := []byte{'['}
	for i, definition := range definitions {
		tool, err := newTool(definition, strict)
		switch {
		case err == nil && list.byName[tool.Name] != nil:
			err = fmt.Errorf("another tool has the same name")
		case err == nil:
			list.tools = append(list.tools, tool)
			list.byName[tool.Name] = &tool
			if len(whole) > 1 {
				whole = append(whole, ',')
			}
			whole = append(whole, renamed(string(tool.Definition), c.Qualified(tool.Name))...)
			continue
		}
		name := cmp.Or(tool.Name, fmt.Sprintf("number %d", i+1))
		list.problems = append(list.problems, fmt.Sprintf("the tool %s: %v", quoted(name), err))
	}
	list.json = string(append(whole, ']'))
	return list
}

// newTool reads a definition. The tool has its name even when there is an error,
// if it could be read.
func newTool(definition string, strictHeaders bool) (Tool, error) {
	compact, err := wire.AppendCompact(nil, definition)
	if err != nil {
		return Tool{}, err
	}
	definition = string(compact)
	// A name that stood there twice would mean one to us and the other to whoever
	// reads the list.
	if _, err := objectMembers(definition); err != nil {
		return Tool{}, fmt.Errorf("its definition cannot be read: %w", err)
	}
	name := gjson.Get(definition, "name")
	tool := Tool{Name: name.Str, Definition: compact}
	schema := gjson.Get(definition, "inputSchema")
	switch {
	case name.Type != gjson.String || name.Str == "":
		return Tool{}, fmt.Errorf("it has no name")
	case !schema.IsObject():
		return tool, fmt.Errorf("its input schema is no JSON object")
	case schema.Get("type").Str != "object":
		return tool, fmt.Errorf("its input schema is not of type object")
	}
	if tool.headers, err = parameterHeaders(schema.Raw); err != nil && strictHeaders {
		return tool, err
	}
	return tool, nil
}

// renamed gives a definition with another name, and otherwise byte for byte.
func renamed(definition, name string) string {
	old := gjson.Get(definition, "name")
	return definition[:old.Index] + quoted(name) + definition[old.Index+len(old.Raw):]
}
