//go:build npmserver && unix && !aix

package gateway

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// pairing is a gateway and a client of it.
type pairing struct {
	build build
	era   era
}

var (
	legacyPairings = []pairing{{clamped, legacy}, {unclamped, legacy}}
	pairings       = append(legacyPairings, pairing{unclamped, modern})
)

func (p pairing) String() string { return string(p.build) + " gateway, " + string(p.era) + " client" }

// TestNPMAnswers: whatever a server is asked, it answers the same through the
// gateway as it does directly, asks the client the same, and tells it the same,
// byte for byte, apart from what rewrite changes. The definitions are the same,
// too.
func TestNPMAnswers(t *testing.T) {
	for _, p := range pairings {
		t.Run(p.String(), func(t *testing.T) {
			f := newFleet(t)
			through := f.gateway(t, p.build, p.era)
			comparison := &comparison{fleet: f, through: through, resources: make(map[string]string)}
			comparison.listAll(t)
			through.awaitRoots(f.servers...)
			for _, s := range f.servers {
				t.Run(s.name, func(t *testing.T) { comparison.compare(t, s) })
			}
		})
	}
}

// comparison compares the servers of a fleet to what a gateway makes of them.
type comparison struct {
	fleet   *fleet
	through *client
	lists   map[string][]gjson.Result // of the gateway, by method
	// resources tell which server has an own URI, or a template, first.
	resources map[string]string
	direct    *client
}

// listings are the methods that list something, where that is in the answer,
// and what names it.
var listings = []struct{ method, member, key string }{
	{"tools/list", "tools", "name"},
	{"prompts/list", "prompts", "name"},
	{"resources/list", "resources", "uri"},
	{"resources/templates/list", "resourceTemplates", "uriTemplate"},
}

func (c *comparison) listAll(t *testing.T) {
	t.Helper()
	c.lists = make(map[string][]gjson.Result)
	for _, l := range listings {
		c.lists[l.method] = c.through.list(l.method, l.member)
	}
}

// awaitRoots waits until the servers that ask for the client's roots at once
// have done so, as far as the client is one that can be asked outside of a
// request.
func (c *client) awaitRoots(servers ...peer) {
	c.t.Helper()
	wanted, isTold := 0, true
	for _, s := range servers {
		if s.rooted && c.era == legacy {
			wanted++
			isTold = isTold && s.kind != "npm-everything"
		}
	}
	told := func() bool {
		return slices.ContainsFunc(c.told, func(message string) bool { return strings.Contains(message, "Roots updated") })
	}
	if c.rooted < wanted || !isTold && !told() {
		c.await("requests for roots", func(gjson.Result) bool { return c.rooted >= wanted && (isTold || told()) })
	}
}

// compare compares one server: a process of it that is asked directly, and the
// one that the gateway has.
func (c *comparison) compare(t *testing.T, s peer) {
	c.direct, c.through.t = c.fleet.direct(t, s), t
	named := make(map[string]bool) // what the calls are about
	for _, call := range calls[s.kind] {
		params := gjson.Parse(call.params)
		for _, path := range []string{"name", "ref.name", "ref.uri"} {
			named[params.Get(path).Str] = true
		}
	}
	for _, l := range listings {
		for _, own := range c.compareList(t, s, l.method, l.member, l.key) {
			if l.method == "resources/list" {
				c.compareCall(t, s, read(own))
			} else if !named[own] {
				t.Errorf("no call is about %q of %s", own, l.method)
			}
		}
	}
	for _, call := range calls[s.kind] {
		if !call.isLegacy || c.through.era == legacy && s.era == legacy {
			c.compareCall(t, s, call)
		}
	}
}

// compareList compares definitions, and gives the server's own names or URIs.
func (c *comparison) compareList(t *testing.T, s peer, method, member, key string) (own []string) {
	t.Helper()
	if !c.direct.offers(member) {
		return nil
	}
	served := make(map[string]string)
	for _, definition := range c.lists[method] {
		served[definition.Get(key).Str] = compact(definition.Raw)
	}
	for _, definition := range c.direct.list(method, member) {
		name := definition.Get(key).Str
		expected := compact(definition.Raw)
		if definition.Get("execution.taskSupport").Str == "required" {
			expected = ""
		}
		as := s.name + "." + name
		if key != "name" {
			if c.resources[name] == "" {
				c.resources[name] = s.name
			}
			as = c.served(s, name)
		}
		if expected != "" {
			own = append(own, name)
			expected = without(set(t, expected, key, quoted(as)), "execution")
		}
		if got := served[as]; got != expected {
			t.Errorf("%s has %s as\n%s\nwant\n%s", method, as, got, expected)
		}
	}
	return own
}

// offers reports whether a server has lists of that member.
func (c *client) offers(member string) bool {
	return c.capabilities.Get(strings.Replace(member, "resourceTemplates", "resources", 1)).Exists()
}

// served gives the URI, or the template, by which the gateway serves a server's
// own one that is listed.
func (c *comparison) served(s peer, own string) string {
	if first := c.resources[own]; first == "" || first == s.name {
		return own
	}
	return s.name + "+" + own
}

// compareCall compares what comes of a call.
func (c *comparison) compareCall(t *testing.T, s peer, given call) {
	t.Helper()
	params := strings.ReplaceAll(given.params, "<root>", c.fleet.root)
	c.direct.reply, c.through.reply = given.reply, given.reply
	c.direct.visits = s.era == legacy && c.through.era == modern
	c.fleet.fill(t)
	direct := c.direct.do(given.method, params)
	c.fleet.fill(t)
	through := c.through.do(given.method, c.asServed(t, s, params))
	want, got := c.rewrite(t, s, given, params, direct), through
	for _, e := range []*exchange{&want, &got} {
		e.Answer = c.neutral(t, s, e.Answer)
		c.neutralQuestions(t, s, e.Asked, e == &got)
		slices.Sort(e.Asked) // questions that come together have no order
	}
	if given.volatile != "" {
		pattern := regexp.MustCompile(given.volatile)
		if !want.replace(pattern) && s.era == legacy && c.through.era == legacy {
			t.Errorf("%s %s: there is nothing like %s in it: %s", given.method, params, given.volatile, want)
		}
		got.replace(pattern)
	}
	if got.String() != want.String() {
		t.Errorf("%s %s gave, through the gateway,\n%s\nwant\n%s", given.method, params, got, want)
	}
}

// asServed gives params with the gateway's names for a server's own.
func (c *comparison) asServed(t *testing.T, s peer, params string) string {
	t.Helper()
	for _, path := range []string{"name", "ref.name"} {
		if name := gjson.Get(params, path); name.Exists() {
			params = set(t, params, path, quoted(s.name+"."+name.Str))
		}
	}
	for _, path := range []string{"uri", "ref.uri"} {
		if uri := gjson.Get(params, path); uri.Exists() {
			params = set(t, params, path, quoted(c.asked(s, uri.Str)))
		}
	}
	return params
}

// asked gives the URI by which a client asks for a server's own. One that is
// only described by a template which another server has, too, says whose it is.
func (c *comparison) asked(s peer, own string) string {
	isListed := c.resources[own] != ""
	isShared := !strings.HasPrefix(s.kind, "npm-")
	if !isListed && isShared {
		return s.name + "+" + own
	}
	return c.served(s, own)
}

// rewrite gives what the gateway must make of what a server did directly: the
// URIs that another server has, too, and, between different eras, what belongs
// to an era.
func (c *comparison) rewrite(t *testing.T, s peer, given call, params string, direct exchange) exchange {
	t.Helper()
	kind, answer, _ := strings.Cut(direct.Answer, " ")
	own := gjson.Get(params, "uri").Str
	var paths []string
	for _, array := range []string{"content", "messages"} {
		for i := range gjson.Get(answer, array).Array() {
			element := array + "." + strconv.Itoa(i)
			paths = append(paths, element+".uri", element+".resource.uri", element+".content.uri", element+".content.resource.uri")
		}
	}
	for _, path := range paths {
		if uri := gjson.Get(answer, path); uri.Exists() {
			answer = set(t, answer, path, quoted(c.served(s, uri.Str)))
		}
	}
	if given.method == "resources/read" && c.asked(s, own) != own {
		for i, content := range gjson.Get(answer, "contents").Array() {
			answer = set(t, answer, "contents."+strconv.Itoa(i)+".uri", quoted(s.name+"+"+content.Get("uri").Str))
		}
		if gjson.Get(answer, "data.uri").Exists() {
			answer = set(t, answer, "data.uri", quoted(c.asked(s, own)))
		}
	}
	direct.Answer = kind + " " + answer
	for i, told := range direct.Told {
		direct.Told[i] = s.signed(told)
	}
	return direct
}

// signed gives what a server tells as the gateway is to tell it: a log message
// without a logger has the server's name for it.
func (s peer) signed(told string) string {
	method, message, _ := strings.Cut(told, " ")
	if method != "notifications/message" || gjson.Get(message, "logger").Exists() {
		return told
	}
	return method + ` {"logger":` + quoted(s.name) + "," + strings.TrimPrefix(message, "{")
}

// neutral gives an answer without what belongs to the era that it was given in,
// where the server's is not the client's.
func (c *comparison) neutral(t *testing.T, s peer, answer string) string {
	t.Helper()
	kind, answer, _ := strings.Cut(answer, " ")
	identity := "_meta.io\\.modelcontextprotocol/serverInfo"
	switch {
	case s.era != c.through.era:
		for _, member := range []string{"resultType", "ttlMs", "cacheScope", identity} {
			answer = without(answer, member)
		}
		if kind == "error" && gjson.Get(answer, "code").Int() == -32002 {
			answer = set(t, answer, "code", "-32602")
		}
	case s.era == modern:
		// The client talks to the gateway, whoever it got this from.
		answer = without(answer, identity)
	}
	if gjson.Get(answer, "_meta").Raw == "{}" {
		answer = without(answer, "_meta")
	}
	return kind + " " + answer
}

// replace leaves out what is like the pattern, and reports whether there was
// anything.
func (e *exchange) replace(pattern *regexp.Regexp) (found bool) {
	leaveOut := func(text string) string {
		found = found || pattern.MatchString(text)
		return pattern.ReplaceAllString(text, "")
	}
	e.Answer = leaveOut(e.Answer)
	for _, texts := range [][]string{e.Asked, e.Told} {
		for i := range texts {
			texts[i] = leaveOut(texts[i])
		}
	}
	return found
}

// neutralQuestions leaves out of questions what belongs to the legacy era alone,
// where the server's is not the client's. The gateway's client must have got it
// exactly if it is of that era.
func (c *comparison) neutralQuestions(t *testing.T, s peer, asked []string, isGateways bool) {
	t.Helper()
	const id = "elicitationId"
	for i, question := range asked {
		method, params, _ := strings.Cut(question, " ")
		if s.era == c.through.era || gjson.Get(params, "mode").Str != "url" {
			continue
		}
		if has := gjson.Get(params, id).Exists(); isGateways && has != (c.through.era == legacy) {
			t.Errorf("a client of the %s era is asked %s", c.through.era, question)
		}
		asked[i] = method + " " + without(params, id)
	}
}

func (e exchange) String() string {
	text, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		panic(err) // there are texts alone
	}
	return string(text)
}

func set(t testing.TB, object, path, value string) string {
	t.Helper()
	changed, err := sjson.SetRaw(object, path, value)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// without gives an object without a member, which need not be there.
func without(object, path string) string {
	changed, err := sjson.Delete(object, path)
	if err != nil {
		return object
	}
	return changed
}

func quoted(text string) string { return string(gjson.AppendJSONString(nil, text)) }
