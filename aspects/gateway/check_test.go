package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/gateway"
	"mcpserver/core"
)

// check runs the command Check. Interactive answers are those of a person at a
// terminal.
func check(t *testing.T, config, answers string, flags ...string) (out string, asked string, err error) {
	t.Helper()
	aspect := gateway.Aspect()
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	aspect.Flags(set)
	if err := set.Parse(append([]string{"--config=" + config}, flags...)); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	terminal := core.Terminal{
		In: strings.NewReader(answers), Out: &stdout, Err: &stderr, Interactive: answers != "", Args: set.Args(),
		Hide: func() (show func(), err error) {
			stderr.WriteString("[hidden]")
			return func() { stderr.WriteString("[shown]") }, nil
		},
	}
	for _, command := range aspect.Commands {
		if command.Name == "Check" {
			err = command.Run(t.Context(), terminal)
			return stdout.String(), stderr.String(), err
		}
	}
	t.Fatal("there is no command Check")
	return "", "", nil
}

// rows gives the lines of the table, without the times, and what stands below it.
func rows(out string, servers int) (table []string, below string) {
	lines := strings.SplitAfter(out, "\n")
	for _, line := range lines[:min(servers+1, len(lines))] {
		fields := strings.Fields(line)
		if len(fields) > 6 && fields[6] == "ms" {
			fields = slices.Delete(fields, 5, 7)
		}
		table = append(table, strings.Join(fields, " "))
	}
	return table, strings.Join(lines[min(servers+1, len(lines)):], "")
}

// TestCheckOfGoodServers: a table, nothing else, and no error.
func TestCheckOfGoodServers(t *testing.T) {
	t.Parallel()
	a, m, off := legacyServer(t, "a", "x", "y"), modernServer(t, "m", "x"), legacyServer(t, "off", "x")
	off.entry = `"disabled":true`
	// What a server asks and tells is in nobody's way.
	a.on("notifications/initialized", func(l *link, _ arrival) string {
		l.ask(`"q"`, "roots/list", `{}`)
		l.notify("notifications/message", `{"level":"error","data":"hello"}`)
		l.notify("notifications/resources/updated", `{"uri":"r://1"}`)
		l.notify("notifications/tools/list_changed", `{}`)
		return ""
	})
	out, _, err := check(t, configFile(t, a, m, off), "")
	table, below := rows(out, 2)
	want := []string{"SERVER STATE ERA REVISION TOOLS TIME REASON", "a ok legacy 2025-11-25 2", "m ok modern 2026-07-28 1"}
	if !slices.Equal(table, want) || below != "" || err != nil {
		t.Errorf("Check prints\n%s%v; want the rows %q and no error", out, err, want)
	}
	if off.starts() > 0 {
		t.Error("a disabled server was started")
	}
	for _, f := range []*fake{a, m} {
		f.mustBeGone()
	}
}

// TestCheckOfBadServers: each has its reason, and the others their rows; the error
// makes the exit status 1.
func TestCheckOfBadServers(t *testing.T) {
	t.Parallel()
	good, dead, mute, listless := legacyServer(t, "good", "x"), legacyServer(t, "dead"), legacyServer(t, "mute"), legacyServer(t, "listless", "x")
	dead.live = func(l *link) { l.complain("no licence\n"); l.exit(3) }
	mute.on("server/discover", silent).on("initialize", silent)
	listless.on("tools/list", func(l *link, a arrival) string { l.fail(a.id, -32603, "not now"); return "" })
	servers := []*fake{good, dead, mute, listless}
	out, _, err := check(t, configFile(t, servers...), "", "--connect-timeout=3s")
	table, _ := rows(out, 4)
	for i, want := range [][]string{
		{"good ok legacy 2025-11-25 1"},
		{"dead failed - - 0", "exit status 3", "no licence"},
		{"mute failed - - 0", "3s"},
		{"listless failed legacy 2025-11-25 0", "its tools could not be listed", "not now"},
	} {
		for _, words := range want {
			if !strings.Contains(table[i+1], words) {
				t.Errorf("row %d is %q, want %q in it", i+1, table[i+1], words)
			}
		}
	}
	if err == nil {
		t.Errorf("Check is pleased with\n%s", out)
	}
	for _, f := range servers {
		f.mustBeGone()
	}
}

// TestCheckNames what is served otherwise than its server has it, and what is not.
func TestCheckNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	a, b := legacyServer(t, "a", "s p", long), legacyServer(t, "b")
	a.has("resources", resourceOf("cfg://info"))
	b.has("tools", `{"name":"bad"}`, toolsOf("hidden")[0], toolsOf("good")[0]).has("resources", resourceOf("cfg://info"))
	b.entry = `"deny":["hidden"]`
	out, _, err := check(t, configFile(t, a, b), "")
	table, below := rows(out, 2)
	if table[1] != "a ok legacy 2025-11-25 2" || table[2] != "b ok legacy 2025-11-25 1" || err != nil {
		t.Errorf("the table is %q, %v", table, err)
	}
	for _, want := range []string{
		`a: the tool "s p" is served as "a.s_p"`, `a: the tool "` + long + `" is served as "a.xxx`,
		`b: the tool "bad"`, `b: "cfg://info" is served as "b+cfg://info", since the server a has it, too`,
	} {
		if !strings.Contains(below, want) {
			t.Errorf("there is no %q in\n%s", want, below)
		}
	}
}

// TestCheckJSON is for machines.
func TestCheckJSON(t *testing.T) {
	t.Parallel()
	a, dead := legacyServer(t, "a", "s p"), legacyServer(t, "dead")
	dead.live = func(l *link) { l.complain("<no> licence\n"); l.exit(3) }
	config := writeConfig(t, `{"servers":{"a":`+a.configuration()+`,"dead":`+dead.configuration()+`,"bad":5}}`)
	out, _, err := check(t, config, "", "--json")
	if !gjson.Valid(out) || err == nil {
		t.Fatalf("Check prints\n%s\n%v", out, err)
	}
	found := gjson.Parse(out)
	for path, want := range map[string]string{
		"servers.#": "2", "servers.0.server": "a", "servers.0.state": "ok", "servers.0.era": "legacy", "servers.0.revision": "2025-11-25", "servers.0.tools": "1",
		"servers.1.server": "dead", "servers.1.state": "failed", "problems.#": "1", "servers.0.notes.#": "1",
	} {
		if got := found.Get(path).String(); got != want {
			t.Errorf("%s is %q, want %q in\n%s", path, got, want, out)
		}
	}
	if !found.Get("servers.0.milliseconds").Exists() || !strings.Contains(found.Get("servers.1.reason").Str, "<no> licence") || !strings.Contains(found.Get("problems.0").Str, `server "bad"`) {
		t.Errorf("Check prints\n%s", out)
	}
}

// TestCheckStatus is good only if every enabled entry is.
func TestCheckStatus(t *testing.T) {
	t.Parallel()
	good, failing := legacyServer(t, "good", "x"), legacyServer(t, "failing", "x")
	failing.live = func(l *link) { l.exit(1) }
	one := good.configuration()
	for _, test := range []struct {
		config string
		flags  []string
		well   bool
	}{
		{`{"servers":{"good":` + one + `}}`, nil, true},
		{`{"servers":{"good":` + one + `,"off":{"command":"/nowhere","disabled":true}}}`, nil, true},
		{`{"servers":{"good":` + one + `,"failing":` + failing.configuration() + `}}`, nil, false},
		{`{"servers":{"good":` + one + `,"failing":` + failing.configuration() + `}}`, []string{"--only=good"}, true},
		{`{"servers":{"good":` + one + `,"failing":` + failing.configuration() + `}}`, []string{"--exclude=fail*"}, true},
		{`{"servers":{"good":` + one + `,"bad":{"command":7}}}`, nil, false},
		{`{"servers":{"good":` + one + `,"bad":{"command":7}}}`, []string{"--only=good"}, true},
		{`{"servers":{"good":` + one + `,"bad":{"command":7}}}`, []string{"--exclude=bad"}, true},
		{`{"servers":{"good":` + one + `,"unset":{"command":"${GATEWAY_NOT_SET}"}}}`, nil, false},
		{`{"servers":{"good":` + one + `}}`, []string{"--only=good,typo"}, false},
		{`{"servers":{"good":` + one + `}}`, []string{"surplus"}, false},
		{`{"servers":{}}`, nil, false},
		{`{"servers":{"off":{"command":"x","disabled":true}}}`, nil, false},
		{`{}`, nil, false},
		{`not JSON`, nil, false},
	} {
		out, _, err := check(t, writeConfig(t, test.config), "", test.flags...)
		if (err == nil) != test.well {
			t.Errorf("%s %q: the error is %v; it prints\n%s", test.config, test.flags, err, out)
		}
	}
	if out, _, err := check(t, writeConfig(t, `{"servers":`), "", "--json"); err == nil || gjson.Get(out, "problems.0").Str != err.Error() || !gjson.Get(out, "servers").IsArray() {
		t.Errorf("of a file that is no JSON, --json prints\n%s\n%v", out, err)
	}
	if _, _, err := check(t, "/no/such/file", ""); err == nil || !strings.Contains(err.Error(), "/no/such/file") {
		t.Errorf("without a file the error is %v", err)
	}
	if _, _, err := check(t, "", ""); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("without a configuration the error is %v", err)
	}
}

// TestCheckAsks a person for what nothing else says.
func TestCheckAsks(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.options = []string{"${input:one}", "${input:two}", "${input:one}", "${input:three}"}
	config := writeConfig(t, `{"inputs":[{"id":"one","description":"The first"},{"id":"two"},{"id":"three","default":"3"}],"servers":{"s":`+f.configuration()+`}}`)
	_, asked, err := check(t, config, "1\r\n2\n")
	if err != nil || !strings.Contains(asked, "The first (one): ") || !strings.Contains(asked, "two: ") || strings.Contains(asked, "three") {
		t.Errorf("the person is asked %q, and the error is %v", asked, err)
	}
	if got, want := f.link(0).greeting.Arguments[2:], []string{"1", "2", "1", "3"}; !slices.Equal(got, want) {
		t.Errorf("the arguments are %q, want %q", got, want)
	}
	out, asked, err := check(t, config, "", "--input=one=1")
	if err == nil || !strings.Contains(out, "two") || asked != "" {
		t.Errorf("without a person, it asks %q, prints\n%s and returns %v", asked, out, err)
	}
	if f.starts() != 1 {
		t.Error("a server was started that lacks a value")
	}
}

// TestCheckHidesPasswords while they are typed, and nothing else.
func TestCheckHidesPasswords(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.options = []string{"${input:user}", "${input:key}"}
	config := writeConfig(t, `{"inputs":[{"id":"user"},{"id":"key","password":true}],"servers":{"s":`+f.configuration()+`}}`)
	_, asked, err := check(t, config, "me\nsecret\n")
	if want := "user: key: [hidden][shown]\n"; asked != want || err != nil {
		t.Errorf("the person is asked %q, %v; want %q", asked, err, want)
	}
}

// TestConfigurationAtHome: a client gives the gateway a path that no shell has
// seen.
func TestConfigurationAtHome(t *testing.T) {
	folder, name := filepath.Split(configFile(t, legacyServer(t, "s", "x")))
	t.Setenv("HOME", folder)
	t.Setenv("USERPROFILE", folder) // on Windows
	if _, _, err := check(t, "~"+string(filepath.Separator)+name, ""); err != nil {
		t.Error(err)
	}
}

// TestCheckEnds with its context, and takes its servers with it.
func TestCheckEnds(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("initialize", silent)
	aspect := withFlags(t, "--config="+configFile(t, f))
	set := flag.NewFlagSet("", flag.ContinueOnError)
	aspect.Flags(set)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	var out bytes.Buffer
	go func() { done <- aspect.Commands[0].Run(ctx, core.Terminal{Out: &out}) }()
	f.awaitSent("initialize", 1)
	cancel()
	if err := <-done; err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(out.String(), "failed") {
		t.Errorf("Check returns %v and prints\n%s", err, out.String())
	}
	f.mustBeGone()
}
