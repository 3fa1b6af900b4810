package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mcpserver/core"
)

// kind is one of the lists that have names.
type kind uint8

const (
	toolKind kind = iota
	promptKind
)

// owned says whose name it is.
type owned struct {
	kind   kind
	server string
	name   string // the server's own
}

// served is a name that the gateway serves.
type served struct {
	kind kind
	name string
}

// names maps names of servers to names that are served, by a table that only
// grows: a name that was served once never means anything else in this process.
// All methods are safe for concurrent use.
//
// A name is the server's, the separator, and the server's own name. Where that
// is too long, could be meant for another server, or is taken, a hash of the
// whole makes it different; it depends on nothing but the two names.
type names struct {
	separator string
	longest   int
	prefixes  map[string]string // by server

	mu    sync.Mutex // guards what follows
	given map[owned]string
	taken map[served]owned
}

// newNames makes the table for these servers, whose names are all different.
func newNames(separator string, longest int, servers []string) *names {
	n := &names{
		separator: separator,
		longest:   longest,
		prefixes:  make(map[string]string, len(servers)),
		given:     make(map[owned]string),
		taken:     make(map[served]owned),
	}
	for _, builtIn := range core.BuiltInTools() {
		n.taken[served{toolKind, builtIn}] = owned{}
	}
	used := make(map[string]bool)
	for _, server := range servers {
		label := n.allowed(server)
		if used[label] {
			label += "_" + hashOf(server, "")[:8]
		}
		used[label] = true
		n.prefixes[server] = label + separator
	}
	return n
}

// serve gives the names under which a server's names are served, in their
// order. What needs no change comes first, so that it keeps its name whatever
// else there is.
func (n *names) serve(kind kind, server string, own []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	order := make([]int, len(own))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if changed := compareBool(n.allowed(own[a]) != own[a], n.allowed(own[b]) != own[b]); changed != 0 {
			return changed
		}
		return strings.Compare(own[a], own[b])
	})
	result := make([]string, len(own))
	for _, i := range order {
		result[i] = n.serveLocked(owned{kind, server, own[i]})
	}
	return result
}

func (n *names) serveLocked(o owned) string {
	if name, known := n.given[o]; known {
		return name
	}
	prefix := n.prefixes[o.server]
	name := prefix + n.allowed(o.name)
	if len(name) > n.longest || n.isAmbiguous(name, prefix) || n.isTaken(o.kind, name) {
		hash := hashOf(o.server, o.name)
		for length := 8; ; length *= 2 {
			suffix := "_" + hash[:length]
			changed := name[:min(len(name), n.longest-len(suffix))] + suffix
			if !n.isTaken(o.kind, changed) || length == len(hash) {
				name = changed
				break
			}
		}
	}
	n.given[o] = name
	n.taken[served{o.kind, name}] = o
	return name
}

// note says under which other name something is served, if it is.
func (n *names) note(what, server, own, name string) []string {
	if name == server+n.separator+own {
		return nil
	}
	return []string{fmt.Sprintf("the %s %q is served as %q", what, own, name)}
}

func (n *names) isTaken(kind kind, name string) bool {
	_, taken := n.taken[served{kind, name}]
	return taken
}

// isAmbiguous reports whether a name could be one of a server with a longer
// prefix, whether that is there or not.
func (n *names) isAmbiguous(name, prefix string) bool {
	for _, other := range n.prefixes {
		if len(other) > len(prefix) && strings.HasPrefix(name, other) {
			return true
		}
	}
	return false
}

// mayOwn reports whether a served name can be one of that server, by its
// beginning.
func (n *names) mayOwn(server, name string) bool {
	prefix := n.prefixes[server]
	return strings.HasPrefix(name, prefix[:min(len(prefix), n.longest-9)])
}

// allowed gives a name with the characters that the specification allows, and
// that do not look like the separator of clients that refuse dots.
func (n *names) allowed(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r == '.' && strings.Contains(n.separator, "."):
			return r
		}
		return '_'
	}, name)
}

// hashOf gives 64 hexadecimal digits that depend on both texts.
func hashOf(server, name string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + name))
	return hex.EncodeToString(sum[:])
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
