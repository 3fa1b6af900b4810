// Package uritemplate matches URIs against URI templates (RFC 6570), so that a
// core.Template can say which URIs its Read serves.
//
// A template is turned around: a URI matches if the template expands to it,
// and the variables are what it expands from. Two spellings of a URI are the
// same here if percent-encoding alone tells them apart: "%7e" is "~", and a
// letter beyond ASCII may stand for its percent-encoded bytes.
//
// Where a template can be read in several ways, variables further left take
// what they can get: "{a,b}" finds a in "1" and no b. A variable that occurs
// twice must stand for the same both times, and which text it stands for is
// decided at its first place, so "{a}{a}" matches nothing but the empty text.
//
// What a variable stands for comes from the client. "{name}" finds "../x" in
// "..%2Fx", so a handler that opens files must check what it opens.
package uritemplate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"mcpserver/core"
)

const (
	// maxTemplate is the longest template, in bytes. With the other limits it
	// bounds the program that a template is compiled to.
	maxTemplate = 8 << 10
	// maxExpressions is the most expressions of a template, and maxVariables
	// the most variables of an expression.
	maxExpressions, maxVariables = 50, 20
	// maxURI is the longest URI that can match, in bytes. Matching takes time
	// in proportion to the length, and a client decides on that.
	maxURI = 16 << 10
)

// New makes the pattern of a template such as "notes:///{folder}/{name}{?version}".
//
// Match gives the variables that the URI has, percent-decoded, under their
// names:
//
//   - A variable has one value, which may be empty, or the values of a list:
//     "1,2" for {a}, "/1/2" for {/a*}, "?a=1&a=2" for {?a*}.
//   - An associative array gives its pairs, such as "key=value": "?x=1&y=2" for
//     {?a*}. What is "=" in a key stays percent-encoded. Without the asterisk it
//     cannot be told from a list.
//   - A variable that is missing, such as b in "?a=1" for {?a,b}, is not there.
//   - For {+a} and {#a}, reserved characters and percent signs that come
//     percent-encoded stay so: "a%2Fb/c" is two segments and not three.
//   - Of {a:3} only the first three characters are known, if {a} is not there,
//     too.
//
// A URI longer than 16 KiB, or one in which a value is not UTF-8, matches
// nothing. Validate tells what is wrong with the template. The pattern is safe
// from any goroutine; it is compiled when it first matches.
func New(template string) core.URIPattern {
	p := &pattern{template: template}
	p.parts, p.err = parse(template)
	p.compiled = sync.OnceValue(func() *regexp.Regexp { return compile(p.parts) })
	return p
}

// pattern is a template and what was found in it.
type pattern struct {
	template string
	parts    []part
	err      error
	compiled func() *regexp.Regexp
}

// String implements core.URIPattern.
func (p *pattern) String() string { return p.template }

// Variables implements core.URIPattern.
func (p *pattern) Variables() []string {
	var names []string
	for _, part := range p.parts {
		if part.expression == nil {
			continue
		}
		for _, variable := range part.expression.variables {
			names = append(names, variable.name)
		}
	}
	return names
}

// Validate implements core.URIPattern.
func (p *pattern) Validate() error {
	if p.err != nil {
		return fmt.Errorf("URI template %q: %w", shorten(p.template), p.err)
	}
	return nil
}

// Match implements core.URIPattern.
func (p *pattern) Match(uri string) (variables map[string][]string, matched bool) {
	if p.err != nil || len(uri) > maxURI || !p.mayMatch(uri) || !utf8.ValidString(uri) {
		return nil, false
	}
	texts := p.compiled().FindStringSubmatch(uri)
	if texts == nil {
		return nil, false
	}
	found := finding{full: make(map[string][]string), prefixes: make(map[string]prefix), missing: make(map[string]bool)}
	at := 0
	for _, part := range p.parts {
		if part.expression == nil {
			continue
		}
		at++
		if !found.expression(part.expression, texts[at]) {
			return nil, false
		}
	}
	return found.variables()
}

// mayMatch looks at the literal that the template begins with, so that most
// URIs cost next to nothing.
func (p *pattern) mayMatch(uri string) bool {
	if len(p.parts) == 0 || p.parts[0].expression != nil {
		return true
	}
	literal := p.parts[0].literal
	return strings.Contains(literal, "%") || !isASCII(literal) || strings.HasPrefix(uri, literal)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// shorten keeps a long template from filling an error.
func shorten(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

var (
	errTooLong      = fmt.Errorf("it is longer than %d bytes", maxTemplate)
	errManyParts    = fmt.Errorf("it has more than %d expressions", maxExpressions)
	errManyNames    = fmt.Errorf("an expression has more than %d variables", maxVariables)
	errUnclosed     = errors.New(`a "{" has no "}"`)
	errNotUTF8      = errors.New("it is not valid UTF-8")
	errBadTriplet   = errors.New(`a "%" is not followed by two hexadecimal digits`)
	errNoExpression = errors.New("an expression is empty")
)
