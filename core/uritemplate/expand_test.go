package uritemplate_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcpserver/core/uritemplate"
)

// expand expands a valid template after section 3 of RFC 6570, independently of
// the package under test. The values are those that Match gives.
func expand(template string, variables map[string][]string) string {
	return expression.ReplaceAllStringFunc(template, func(text string) string {
		text = text[1 : len(text)-1]
		o := operators[0]
		if at := strings.IndexByte("+#./;?&", text[0]); at >= 0 {
			o, text = operators[at+1], text[1:]
		}
		var written []string
		for spec := range strings.SplitSeq(text, ",") {
			name, explode := strings.CutSuffix(spec, "*")
			name, length, _ := strings.Cut(name, ":")
			values, given := variables[name]
			if !given {
				continue
			}
			written = append(written, o.write(name, length, explode, values))
		}
		if len(written) == 0 {
			return ""
		}
		return o.first + strings.Join(written, o.separator)
	})
}

var expression = regexp.MustCompile(`\{[^}]*\}`)

type operatorTest struct {
	first, separator       string
	named, equals, reserve bool
}

var operators = []operatorTest{
	{"", ",", false, false, false},
	{"", ",", false, false, true},
	{"#", ",", false, false, true},
	{".", ".", false, false, false},
	{"/", "/", false, false, false},
	{";", ";", true, false, false},
	{"?", "&", true, true, false},
	{"&", "&", true, true, false},
}

func (o operatorTest) write(name, length string, explode bool, values []string) string {
	if length != "" {
		most := 0
		fmt.Sscan(length, &most)
		values = []string{string([]rune(values[0])[:min(most, utf8.RuneCountInString(values[0]))])}
	}
	encoded := make([]string, len(values))
	for i, value := range values {
		encoded[i] = o.encode(value)
		key, part, isPair := strings.Cut(value, "=")
		switch {
		case explode && isPair: // the key has its "=" encoded already
			encoded[i] = o.encode(strings.ReplaceAll(key, "%3D", "=")) + "=" + o.encode(part)
			if o.named {
				encoded[i] = o.pair(o.encode(strings.ReplaceAll(key, "%3D", "=")), o.encode(part))
			}
		case explode && o.named:
			encoded[i] = o.pair(name, encoded[i])
		}
	}
	if explode {
		return strings.Join(encoded, o.separator)
	}
	joined := strings.Join(encoded, ",")
	if o.named {
		return o.pair(name, joined)
	}
	return joined
}

func (o operatorTest) pair(name, value string) string {
	if value == "" && !o.equals {
		return name
	}
	return name + "=" + value
}

func (o operatorTest) encode(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0,
			o.reserve && strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0,
			o.reserve && triplet.MatchString(value[i:]):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

var triplet = regexp.MustCompile(`^%[0-9A-F]{2}`)

// normal gives the spelling of a URI that has no needless percent-encoding.
func normal(uri string) string {
	var b strings.Builder
	for i := 0; i < len(uri); i++ {
		switch c := uri[i]; {
		case c == '%':
			text := uri[i : i+3]
			i += 2
			decoded, err := url.PathUnescape(text)
			if err == nil && unreservedText.MatchString(decoded) {
				b.WriteString(decoded)
				continue
			}
			b.WriteString(strings.ToUpper(text))
		case c >= utf8.RuneSelf:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

var unreservedText = regexp.MustCompile(`^[A-Za-z0-9._~-]$`)

// checkExpandsBack holds a match against the expansion of what was found.
// Templates in which exploded names make several readings of one URI are read
// as pairs there.
func checkExpandsBack(t *testing.T, template, uri string, variables map[string][]string) {
	t.Helper()
	got := normal(expand(template, variables))
	if want := normal(uri); got != want {
		t.Errorf("%s on %q gave %s, which expands to %q, want %q", template, uri, show(variables), got, want)
	}
}

func TestWhatMatchesExpandsBack(t *testing.T) {
	for _, test := range matches {
		variables, matched := uritemplate.New(test.template).Match(test.uri)
		// A prefix that stands for itself, and names with triplets, do not
		// concern the expansion.
		if matched {
			checkExpandsBack(t, test.template, test.uri, variables)
		}
	}
}

// TestExpansionsMatch: what a template expands to matches it, and for templates
// that can be read in one way only, gives the values back.
func TestExpansionsMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "ä🙂", "a b", "1,2", "%41", "%", "x/y", "k=v", "a&b", "~._-", "?#[]"}
	pick := func(n int) []string {
		values := make([]string, n)
		for i := range values {
			values[i] = texts[random.IntN(len(texts))]
		}
		return values
	}
	for range 20_000 {
		operator := []string{"", ".", "/", ";", "?", "&"}[random.IntN(6)]
		variables := map[string][]string{}
		var specs []string
		missing := false
		for _, name := range []string{"a", "b", "c"}[:1+random.IntN(3)] {
			if random.IntN(4) == 0 && (operator == ";" || operator == "?" || operator == "&") {
				specs, missing = append(specs, name), true
				continue
			}
			specs = append(specs, name)
			variables[name] = pick(1)
		}
		last := specs[len(specs)-1]
		if _, given := variables[last]; given && !missing {
			variables[last] = pick(1 + random.IntN(3))
		}
		template := "x:" + "{" + operator + strings.Join(specs, ",") + "}!"
		if operator == "." && len(specs) == 1 && len(variables) == 1 {
			template = strings.Replace(template, "}!", "*}!", 1)
		}
		for name, values := range variables { // a dot ends a value of {.a,b}; "=" makes a pair
			for i, value := range values {
				if operator == "." {
					values[i] = strings.NewReplacer(".", "", "=", "").Replace(value)
				}
			}
			variables[name] = values
		}
		uri := expand(template, variables)
		got, matched := uritemplate.New(template).Match(uri)
		if !matched || show(got) != show(variables) {
			t.Fatalf("%s expands to %q for %s, and Match gave %s, %t", template, uri, show(variables), show(got), matched)
		}
	}
}

// FuzzMatch looks for a match that does not expand back to its URI.
func FuzzMatch(f *testing.F) {
	for _, test := range matches {
		f.Add(test.template, test.uri)
	}
	for _, template := range nasty() {
		f.Add(template, "x:a,b/c?a=b&c=d")
	}
	f.Fuzz(func(t *testing.T, template, uri string) {
		pattern := uritemplate.New(template)
		variables, matched := pattern.Match(uri)
		if pattern.Validate() != nil {
			if matched {
				t.Errorf("the invalid template %q matched", template)
			}
			return
		}
		if !matched {
			return
		}
		for name, values := range variables {
			if len(values) == 0 || slices.ContainsFunc(values, func(value string) bool { return !utf8.ValidString(value) }) {
				t.Errorf("%q on %q: the values of %s are %q", template, uri, name, values)
			}
		}
		checkExpandsBack(t, template, uri, variables)
	})
}
