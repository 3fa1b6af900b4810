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
	maxPages    = 1_000
	maxElements = 100_000
)

// listAll gives all elements of a list, from all its pages. A server that does
// not have such a list has an empty one. Pages whose cursors repeat, or that do
// not end, are cut off with a warning.
func (n *connection) listAll(ctx context.Context, what string) ([]string, error) {
	list := listNamed(what)
	if !n.session.Load().has(list.capability) {
		return nil, nil
	}
	var elements []string
	cursor, seen := wire.Value{}, map[string]bool{}
	for page := 1; ; page++ {
		next, err := n.listPage(ctx, list, cursor, &elements)
		if err != nil {
			if page == 1 && hasCode(err, protocol.CodeMethodNotFound) {
				return nil, nil
			}
			return nil, err
		}
		if next.Kind == wire.Absent || next.Kind == wire.Null {
			return elements, nil
		}
		problem := ""
		switch {
		case next.Kind != wire.String:
			problem = "the server's cursor is no string"
		case seen[next.Text()]:
			problem = "the server's cursors repeat"
		case page == maxPages:
			problem = fmt.Sprintf("the list has more than %d pages", maxPages)
		case len(elements) >= maxElements:
			problem = fmt.Sprintf("the list has more than %d entries", maxElements)
		}
		if problem != "" {
			n.log.Warn("a list is cut off", "method", list.method, "problem", problem, "entries", len(elements))
			return elements, nil
		}
		seen[next.Text()] = true
		cursor = next
	}
}

// listPage adds the elements of one page and gives the cursor of the next.
func (n *connection) listPage(ctx context.Context, list list, cursor wire.Value, elements *[]string) (next wire.Value, err error) {
	request := &Request{Method: list.method}
	if cursor.Kind != wire.Absent {
		request.Params = append(appendMember([]byte{'{'}, "cursor", cursor.Raw), '}')
	}
	result, err := n.perform(ctx, request)
	if err != nil {
		return next, fmt.Errorf("%s: %w", list.method, err)
	}
	members, err := objectMembers(result)
	if err != nil {
		return next, fmt.Errorf("%s: %w", list.method, err)
	}
	entries := find(members, list.member)
	if entries.Kind != wire.Array {
		return next, &shapeError{problem: fmt.Sprintf("the server's result of %s has no array %s", list.method, list.member)}
	}
	page, _ := wire.Elements(entries.Raw, maxElements-len(*elements))
	*elements = append(*elements, page...)
	return find(members, "nextCursor"), nil
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
