//go:build npmserver && unix && !aix

package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// each runs a test of each gateway, which joins servers of these kinds, with
// each of its clients.
func each(t *testing.T, kinds []string, test func(t *testing.T, f *fleet, through *client)) {
	eachOf(t, pairings, kinds, test)
}

func eachOf(t *testing.T, pairings []pairing, kinds []string, test func(t *testing.T, f *fleet, through *client)) {
	for _, p := range pairings {
		t.Run(p.String(), func(t *testing.T) {
			f := newFleet(t)
			f.servers = slices.DeleteFunc(f.servers, func(s peer) bool { return !slices.Contains(kinds, s.kind) })
			f.write(t)
			through := f.gateway(t, p.build, p.era)
			through.list("tools/list", "tools") // once all servers are there
			through.awaitRoots(f.servers...)
			test(t, f, through)
		})
	}
}

// watch has the client told of updates of resources and of changes of lists. In
// the legacy era it is told of these anyway.
func (c *client) watch(uris ...string) {
	c.t.Helper()
	if c.era == modern {
		var list []string
		for _, uri := range uris {
			list = append(list, quoted(uri))
		}
		message, id := c.request("subscriptions/listen", `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,`+
			`"resourcesListChanged":true,"resourceSubscriptions":[`+strings.Join(list, ",")+`]}}`)
		c.send(message)
		c.await("an acknowledgement", func(m gjson.Result) bool {
			return m.Get("method").Str == "notifications/subscriptions/acknowledged" && m.Get(`params._meta.io\.modelcontextprotocol/subscriptionId`).Raw == id
		})
		return
	}
	for _, uri := range uris {
		if answer := c.ask("resources/subscribe", `{"uri":`+quoted(uri)+`}`); answer.Get("result").Raw != "{}" {
			c.t.Fatalf("resources/subscribe to %s gave %s", uri, answer.Raw)
		}
	}
}

// call calls a tool, which must go well.
func (c *client) call(tool, arguments string) {
	c.t.Helper()
	answer := c.ask("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
	if !answer.Get("result.content").Exists() || answer.Get("result.isError").Bool() {
		c.t.Fatalf("%s %s gave %s", tool, arguments, answer.Raw)
	}
}

// notice waits for a notification with a text in it, which may have come
// already, and gives its params without what names the subscription.
func (c *client) notice(method, text string) string {
	c.t.Helper()
	wanted := func(notification string) bool {
		return strings.HasPrefix(notification, method+" ") && strings.Contains(notification, text)
	}
	found := slices.IndexFunc(c.noted, wanted)
	if found < 0 {
		c.await(method+" with "+text, func(gjson.Result) bool {
			found = slices.IndexFunc(c.noted, wanted)
			return found >= 0
		})
	}
	params := strings.TrimPrefix(c.noted[found], method+" ")
	c.noted = slices.Delete(c.noted, 0, found+1)
	return strings.ReplaceAll(without(params, "_meta.io\\.modelcontextprotocol/subscriptionId"), `"_meta":{},`, "")
}

const updated = "notifications/resources/updated"

// TestNPMUpdates: a client that subscribes to a server's resource is told what
// one is told that talks to the server itself.
func TestNPMUpdates(t *testing.T) {
	const graph, document = "memory://knowledge-graph", "demo://resource/static/document/features.md"
	const watched, added = "test://watched-resource", "test://added-resource"
	each(t, []string{"npm-everything", "npm-memory", "everything"}, func(t *testing.T, f *fleet, through *client) {
		ofSecond := "everything-2026+" + watched
		through.watch(graph, document, watched, ofSecond)
		for _, test := range []struct {
			server, own, served string
			cause               func(c *client, prefix string)
		}{
			{"npm-memory", graph, graph, func(c *client, prefix string) {
				c.call(prefix+"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":[]}]}`)
			}},
			{"npm-everything", document, document, func(c *client, prefix string) { c.call(prefix+"toggle-subscriber-updates", `{}`) }},
			// This changes by itself while somebody watches it.
			{"everything", watched, watched, func(*client, string) {}},
			{"everything-2026", watched, ofSecond, func(*client, string) {}},
		} {
			direct := f.direct(t, f.server(t, test.server))
			direct.watch(test.own)
			test.cause(direct, "")
			test.cause(through, test.server+".")
			want := strings.Replace(direct.notice(updated, test.own), test.own, test.served, 1)
			if got := through.notice(updated, quoted(test.served)); got != want {
				t.Errorf("the client is told %s, want %s", got, want)
			}
		}
	})
}

// change is what a tool adds and, called again, removes.
type change struct {
	tool, arguments, list, member, key string
	own                                string // its own name or URI
	stays                              bool   // it cannot be removed
}

var changesOf = map[string][]change{
	"npm-everything": {
		{
			tool: "gzip-file-as-resource", arguments: `{"name":"c.gz","data":"data:text/plain,c","outputType":"resourceLink"}`,
			list: "resources", member: "resources", key: "uri", own: "demo://resource/session/c.gz", stays: true,
		},
	},
	"everything": {
		{tool: "test_trigger_tool_change", arguments: `{}`, list: "tools", member: "tools", key: "name", own: "addedTool"},
		{tool: "test_trigger_prompt_change", arguments: `{}`, list: "prompts", member: "prompts", key: "name", own: "addedPrompt"},
		{tool: "toggleResource", arguments: `{}`, list: "resources", member: "resources", key: "uri", own: "test://added-resource"},
		{tool: "toggleResource", arguments: `{}`, list: "resources/templates", member: "resourceTemplates", key: "uriTemplate", own: "test://added/{name}"},
	},
}

// definition gives what a list has of that name, or "".
func (c *client) definition(of change, name string) string {
	c.t.Helper()
	for _, definition := range c.list(of.list+"/list", of.member) {
		if definition.Get(of.key).Str == name {
			return compact(definition.Raw)
		}
	}
	return ""
}

// TestNPMListChanges: what servers add and remove while they run appears and
// disappears, with its definition, and the client is told.
func TestNPMListChanges(t *testing.T) {
	each(t, []string{"npm-everything", "everything"}, func(t *testing.T, f *fleet, through *client) {
		through.watch()
		for _, s := range f.servers {
			direct := f.direct(t, s)
			for _, change := range changesOf[s.kind] {
				followChange(t, s, change, direct, through, true)
				if !change.stays {
					followChange(t, s, change, direct, through, false)
				}
			}
		}
	})
}

// followChange makes a change in both processes of a server, and waits until the
// gateway has it.
func followChange(t *testing.T, s peer, change change, direct, through *client, adds bool) {
	t.Helper()
	through.noted = nil
	direct.call(change.tool, change.arguments)
	through.call(s.name+"."+change.tool, change.arguments)
	want, served := direct.definition(change, change.own), change.own
	if adds != (want != "") {
		t.Fatalf("%s: after the change, %q is %q", s.name, change.own, want)
	}
	if change.key == "name" {
		served = s.name + "." + change.own
	}
	if want != "" {
		want = without(set(t, want, change.key, quoted(served)), "execution")
	}
	list, _, _ := strings.Cut(change.list, "/")
	for {
		through.notice("notifications/"+list+"/list_changed", "")
		if through.definition(change, served) == want {
			return
		}
	}
}

// TestNPMLogLevels: a level counts for all calls that come after it, however
// soon.
func TestNPMLogLevels(t *testing.T) {
	each(t, []string{"everything"}, func(t *testing.T, f *fleet, through *client) {
		for _, s := range f.servers {
			direct := f.direct(t, s)
			for _, level := range []string{"emergency", "debug", "warning", "info", "critical", "alert", "notice", "error"} {
				told := make(map[*client][]string)
				for c, prefix := range map[*client]string{direct: "", through: s.name + "."} {
					c.told = nil
					if c.level = level; c.era == legacy {
						message, _ := c.request("logging/setLevel", `{"level":"`+level+`"}`)
						c.send(message)
					}
					c.call(prefix+"test_logging_tool", `{}`)
					told[c] = c.told
				}
				if len(told[direct]) == 0 || !slices.Equal(told[through], told[direct]) {
					t.Errorf("%s: from the level %s on, the client is told\n%s\nwant\n%s", s.name, level,
						strings.Join(told[through], "\n"), strings.Join(told[direct], "\n"))
				}
			}
		}
	})
}

// TestNPMRootsChange: servers learn that the client has other roots, as there
// are in the legacy era.
func TestNPMRootsChange(t *testing.T) {
	eachOf(t, legacyPairings, []string{"npm-everything"}, func(t *testing.T, f *fleet, through *client) {
		direct := f.direct(t, f.servers[0])
		var answers []string
		for c, prefix := range map[*client]string{direct: "", through: "npm-everything."} {
			c.root, c.rooted, c.told = "/another", 0, nil
			c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
			c.awaitRoots(f.servers...)
			answers = append(answers, c.do("tools/call", `{"name":"`+prefix+`get-roots-list","arguments":{}}`).Answer)
		}
		if answers[0] != answers[1] || !strings.Contains(answers[0], "file:///another") {
			t.Errorf("directly and through the gateway, the roots are %q", answers)
		}
	})
}

// TestNPMReminders: what a server says after it has answered reaches a client of
// the legacy era.
func TestNPMReminders(t *testing.T) {
	eachOf(t, legacyPairings, []string{"setReminder"}, func(t *testing.T, f *fleet, through *client) {
		s := f.servers[0]
		direct := f.direct(t, s)
		told := make(map[*client]string)
		for c, prefix := range map[*client]string{direct: "", through: s.name + "."} {
			c.told = nil
			c.call(prefix+"setReminder", `{"Reminder":"tea","TimeoutMS":0}`)
			for len(c.told) == 0 {
				c.await("the reminder", func(m gjson.Result) bool { return m.Get("method").Str == "notifications/message" })
			}
			told[c] = c.told[0]
		}
		if want := s.signed(told[direct]); told[through] != want {
			t.Errorf("the client is told %s, want %s", told[through], want)
		}
	})
}

// TestNPMPipelined: answers to requests that come all at once are those of the
// servers that they are for, which get theirs in order: the thoughts are
// counted.
func TestNPMPipelined(t *testing.T) {
	const rounds = 40
	asked := []struct{ server, tool, arguments string }{
		{"npm-thinking", "sequentialthinking", `{"thought":"<n>","nextThoughtNeeded":true,"thoughtNumber":<n>,"totalThoughts":900}`},
		{"npm-everything", "echo", `{"message":"<n>"}`},
		{"npm-memory", "search_nodes", `{"query":"<n>"}`},
		{"npm-filesystem", "read_text_file", `{"path":"<root>/none<n>"}`},
		{"helloWorld", "helloWorld", `{"name":"<n>"}`},
		{"helloWorld-2026", "helloWorld", `{"name":"<n>"}`},
		{"everything", "weather", `{"city":"<n>"}`},
		{"filesystem-2026", "read_text_file", `{"path":"<root>/none<n>"}`},
	}
	var kinds []string
	for _, a := range asked {
		kinds = append(kinds, strings.TrimSuffix(a.server, "-2026"))
	}
	each(t, kinds, func(t *testing.T, f *fleet, through *client) {
		c := &comparison{fleet: f, through: through}
		var messages []string
		wanted := make(map[string]string) // by id
		for _, a := range asked {
			s := f.server(t, a.server)
			direct := f.direct(t, s)
			for n := range rounds {
				arguments := strings.NewReplacer("<n>", fmt.Sprint(n+1), "<root>", f.root).Replace(a.arguments)
				answer := direct.do("tools/call", `{"name":"`+a.tool+`","arguments":`+arguments+`}`).Answer
				message, id := through.request("tools/call", `{"name":"`+a.server+"."+a.tool+`","arguments":`+arguments+`}`)
				messages = append(messages, message)
				wanted[id] = a.server + " " + c.neutral(t, s, answer)
			}
		}
		mixed := make([]string, 0, len(messages)) // one of each server after the other
		for n := range rounds {
			for i := range asked {
				mixed = append(mixed, messages[i*rounds+n])
			}
		}
		go through.send(mixed...)
		for len(wanted) > 0 {
			answer := through.await("the other answers", func(m gjson.Result) bool { return m.Get("id").Exists() && !m.Get("method").Exists() })
			id := answer.Get("id").Raw
			name, want, known := strings.Cut(wanted[id], " ")
			if !known {
				t.Fatalf("%s answers nothing that was asked", answer.Raw)
			}
			delete(wanted, id)
			got := "result " + compact(answer.Get("result").Raw)
			if failure := answer.Get("error"); failure.Exists() {
				got = "error " + compact(failure.Raw)
			}
			if got = c.neutral(t, f.server(t, name), got); got != want {
				t.Errorf("%s gives %s, want %s", name, got, want)
			}
		}
	})
}
