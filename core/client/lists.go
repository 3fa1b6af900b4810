package client

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Bounds of a list.
const (
	maxPages     = 1_000
	maxElements  = 100_000
	maxListBytes = 64 << 20
)

// listAll gives all elements of a list, from all its pages. A server that does
// not have such a list has an empty one. Pages whose cursors repeat, or that do
// not end, are cut off with a warning.
func (n *connection) listAll(ctx context.Context, what string) ([]string, error) {
	list := listNamed(what)
	if !n.session.Load().has(list.capability) {
		return nil, nil
	}
	gathered := &pages{seen: map[string]bool{}}
	for {
		err := n.listPage(ctx, list, gathered)
		if err != nil && gathered.count == 0 && hasCode(err, protocol.CodeMethodNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if problem := gathered.problem(); problem != "" {
			n.log.Warn("a list is cut off", "method", list.method, "problem", problem, "entries", len(gathered.elements))
			return gathered.elements, nil
		}
		if !gathered.hasNext() {
			return gathered.elements, nil
		}
		gathered.seen[gathered.next.Text()] = true
	}
}

// listPage gathers one page.
func (n *connection) listPage(ctx context.Context, list list, gathered *pages) error {
	request := &Request{Method: list.method}
	if gathered.hasNext() {
		request.Params = append(appendMember([]byte{'{'}, "cursor", gathered.next.Raw), '}')
	}
	result, err := n.perform(ctx, request)
	if err != nil {
		return fmt.Errorf("%s: %w", list.method, err)
	}
	members, err := objectMembers(result)
	if err != nil {
		return fmt.Errorf("%s: %w", list.method, err)
	}
	entries := find(members, list.member)
	if entries.Kind != wire.Array {
		return &shapeError{problem: fmt.Sprintf("the server's result of %s has no array %s", list.method, list.member)}
	}
	gathered.add(entries.Raw, find(members, "nextCursor"))
	return nil
}

// pages are what has been read of a list.
type pages struct {
	elements []string
	bytes    int
	cut      bool // there was more on the last page
	count    int
	next     wire.Value      // the cursor of the next page
	seen     map[string]bool // the cursors before
}

// add takes a page, which is a JSON array.
func (p *pages) add(page string, next wire.Value) {
	elements, whole := wire.Elements(page, maxElements-len(p.elements))
	p.elements = append(p.elements, elements...)
	p.bytes += len(page)
	p.cut = !whole
	p.count++
	p.next = next
}

func (p *pages) hasNext() bool { return p.next.Kind != wire.Absent && p.next.Kind != wire.Null }

// problem tells why no more is read although there is more, or "".
func (p *pages) problem() string {
	switch {
	case p.cut, p.hasNext() && len(p.elements) >= maxElements:
		return fmt.Sprintf("the list has more than %d entries", maxElements)
	case !p.hasNext():
		return ""
	case p.next.Kind != wire.String:
		return "the server's cursor is no string"
	case p.seen[p.next.Text()]:
		return "the server's cursors repeat"
	case p.count == maxPages:
		return fmt.Sprintf("the list has more than %d pages", maxPages)
	case p.bytes > maxListBytes:
		return fmt.Sprintf("the list is longer than %d bytes", maxListBytes)
	}
	return ""
}

// list is one list that a server may have.
type list struct {
	method     string
	member     string // of its result
	capability string // without which there is none
}

func listNamed(what string) list {
	switch what {
	case "resourceTemplates":
		return list{method: "resources/templates/list", member: what, capability: "resources"}
	default:
		return list{method: what + "/list", member: what, capability: what}
	}
}

// ListPrompts gives all definitions of prompts, with the server's own names and
// byte for byte. A server that does not declare prompts has none.
func (c *Client) ListPrompts(ctx context.Context) ([]json.RawMessage, error) {
	return c.list(ctx, "prompts")
}

// ListResources gives all definitions of resources; see ListPrompts.
func (c *Client) ListResources(ctx context.Context) ([]json.RawMessage, error) {
	return c.list(ctx, "resources")
}

// ListResourceTemplates gives all definitions of templates; see ListPrompts.
func (c *Client) ListResourceTemplates(ctx context.Context) ([]json.RawMessage, error) {
	return c.list(ctx, "resourceTemplates")
}

func (c *Client) list(ctx context.Context, what string) ([]json.RawMessage, error) {
	current, err := c.current()
	if err != nil {
		return nil, c.named(err)
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	var entries []string
	err = c.onConnection(ctx, current, true, func(n *connection) (err error) {
		entries, err = n.listAll(ctx, what)
		return err
	})
	if err != nil {
		return nil, c.named(err)
	}
	raw := make([]json.RawMessage, len(entries))
	for i, entry := range entries {
		raw[i] = json.RawMessage(entry)
	}
	return raw, nil
}
