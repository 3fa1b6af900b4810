package toolserver

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxPattern is the longest pattern of a rule, in bytes.
const maxPattern = 64 << 10

// Rule says that calls are always allowed, or always denied.
type Rule struct {
	// Pattern is what Server.PermissionPattern gives for the calls.
	Pattern string `json:"pattern"`
	// Glob says that the pattern stands for many: "*" in it for any characters
	// or none, "?" for one. Otherwise they stand for themselves: patterns are
	// made of what a model wrote.
	Glob bool `json:"glob,omitempty"`
	// Deny says that the calls are denied.
	Deny bool `json:"deny,omitempty"`
}

// Decision is what Permissions say of a call.
type Decision uint8

// The decisions. Undecided means that no rule is about the call, so the person
// is asked.
const (
	Undecided Decision = iota
	Allowed
	Denied
)

// String gives "undecided", "allowed" or "denied".
func (d Decision) String() string {
	switch d {
	case Allowed:
		return "allowed"
	case Denied:
		return "denied"
	}
	return "undecided"
}

// Permissions remember what a person has always allowed or denied. The zero
// Permissions have no rules. They are safe for concurrent use.
type Permissions struct {
	mu    sync.RWMutex // guards what follows
	exact map[string]Decision
	globs []Rule
	rules map[Rule]bool
}

// Decide tells what the rules say of a call of a tool, by its local name. A rule
// that denies wins over any that allow.
func (p *Permissions) Decide(server Server, tool, arguments string) Decision {
	return p.decide(server.PermissionPattern(Qualified(server, tool), arguments))
}

// Remember adds a rule for the pattern of that call and no other: what "always
// allow" or "always deny" in answer to a question means.
func (p *Permissions) Remember(server Server, tool, arguments string, decision Decision) error {
	if decision == Undecided {
		return errors.New("there is nothing to remember of an undecided call")
	}
	return p.Add(Rule{Pattern: server.PermissionPattern(Qualified(server, tool), arguments), Deny: decision == Denied})
}

// Add adds rules, of which none counts if there is an error: a pattern is empty
// or has more than 64 KiB.
func (p *Permissions) Add(rules ...Rule) error {
	for _, rule := range rules {
		switch {
		case rule.Pattern == "":
			return errors.New("a rule has no pattern")
		case len(rule.Pattern) > maxPattern:
			return errors.New("the pattern of a rule is longer than 64 KiB")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rules == nil {
		p.rules = make(map[Rule]bool)
	}
	for _, rule := range rules {
		p.rules[rule] = true
	}
	p.indexLocked()
	return nil
}

// Remove takes a rule away, and reports whether it was there.
func (p *Permissions) Remove(rule Rule) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.rules[rule] {
		return false
	}
	delete(p.rules, rule)
	p.indexLocked()
	return true
}

// Rules gives all rules, by their patterns, in an order that is always the
// same. A Rule can be written as JSON to keep it.
func (p *Permissions) Rules() []Rule {
	p.mu.RLock()
	defer p.mu.RUnlock()
	rules := make([]Rule, 0, len(p.rules))
	for rule := range p.rules {
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b Rule) int {
		if order := strings.Compare(a.Pattern, b.Pattern); order != 0 {
			return order
		}
		return rank(a) - rank(b)
	})
	return rules
}

func rank(rule Rule) int {
	rank := 0
	if rule.Glob {
		rank++
	}
	if !rule.Deny {
		rank += 2
	}
	return rank
}

func (p *Permissions) indexLocked() {
	p.exact, p.globs = make(map[string]Decision), nil
	for rule := range p.rules {
		if rule.Glob {
			p.globs = append(p.globs, rule)
			continue
		}
		p.exact[rule.Pattern] = max(p.exact[rule.Pattern], rule.decision())
	}
}

// decision of a rule; the greater of two wins.
func (r Rule) decision() Decision {
	if r.Deny {
		return Denied
	}
	return Allowed
}

func (p *Permissions) decide(pattern string) Decision {
	p.mu.RLock()
	defer p.mu.RUnlock()
	decision := p.exact[pattern]
	for _, rule := range p.globs {
		if rule.decision() > decision && matchGlob(rule.Pattern, pattern) {
			decision = rule.decision()
		}
	}
	return decision
}

// matchGlob takes time in proportion to the product of both lengths at most:
// only the last star is ever tried again.
func matchGlob(glob, text string) bool {
	star, resume := -1, 0 // the last star in glob, and where text goes on behind it
	g, t := 0, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, resume = g, t
			g++
		case g < len(glob) && glob[g] == '?':
			g++
			t += characterSize(text[t:])
		case g < len(glob) && glob[g] == text[t]:
			g++
			t++
		case star >= 0:
			resume += characterSize(text[resume:])
			g, t = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}

func characterSize(text string) int {
	_, size := utf8.DecodeRuneInString(text)
	return size
}
