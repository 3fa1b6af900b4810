package gateway_test

import (
	"slices"
	"strings"
	"testing"
)

// TestAllowAndDeny: what is not allowed is neither listed nor called, whichever
// side says so.
func TestAllowAndDeny(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		entry string
		flags []string
		want  []string
	}{
		{"", nil, []string{"s.read", "s.read_all", "s.sub/x", "s.write"}},
		{`"allow":["read*"]`, nil, []string{"s.read", "s.read_all"}},
		{`"deny":["read*"]`, nil, []string{"s.sub/x", "s.write"}},
		{`"allow":["read*","write"],"deny":["*_all"]`, nil, []string{"s.read", "s.write"}},
		{`"allow":[]`, nil, nil},
		{`"deny":["sub*"]`, nil, []string{"s.read", "s.read_all", "s.write"}},
		{"", []string{"--allow=s.read*,s.write"}, []string{"s.read", "s.read_all", "s.write"}},
		{"", []string{"--allow=s.read", "--allow=s.write"}, []string{"s.read", "s.write"}},
		{"", []string{"--deny=*.write,s.sub*"}, []string{"s.read", "s.read_all"}},
		{"", []string{"--allow=*", "--deny=s.*"}, nil},
		{`"allow":["read*"]`, []string{"--allow=s.write"}, nil},
		{`"deny":["read"]`, []string{"--allow=s.read*"}, []string{"s.read_all"}},
	} {
		f := legacyServer(t, "s", "read", "read_all", "write", "sub/x")
		f.entry = test.entry
		c := legacyWith(t, settings{flags: test.flags}, `{}`, f)
		var got []string
		for _, name := range c.tools() {
			got = append(got, strings.TrimPrefix(c.call(name, "").Get("content.0.text").Str, "s:"))
		}
		var want []string
		for _, name := range test.want {
			want = append(want, strings.TrimPrefix(name, "s."))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %q: the tools are %q, want %q", test.entry, test.flags, got, want)
		}
		for _, own := range []string{"read", "read_all", "write"} {
			if !slices.Contains(want, own) {
				c.refused("tools/call", callParams("s."+own, ""), -32602, "Unknown tool: s."+own)
			}
		}
		if called := len(f.sent("tools/call")); called != len(want) {
			t.Errorf("%s %q: the server was called %d times", test.entry, test.flags, called)
		}
		c.close()
	}
}

// TestDenyingWhatIsServedOtherwise: a name that is changed to be served is denied
// by what it would have been, too.
func TestDenyingWhatIsServedOtherwise(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	f := legacyServer(t, "s", long, "delete file", "good")
	for _, flags := range [][]string{
		{"--deny=s." + long + ",s.delete file"}, {"--deny=s." + long, "--deny=s.delete_file"}, {"--allow=s.good"}, {"--allow=*", "--deny=*x,*file"},
	} {
		c := legacyWith(t, settings{flags: flags}, `{}`, f)
		if got := c.tools(); !slices.Equal(got, []string{"s.good"}) {
			t.Errorf("%q: the tools are %q", flags, got)
		}
		c.close()
	}
	c := legacyWith(t, settings{flags: []string{"--allow=s." + long + ",s.delete file"}}, `{}`, f)
	if got := c.tools(); len(got) != 2 {
		t.Errorf("the tools that are allowed are %q", got)
	}
}

// TestOnlyAndExclude: servers that are left out are not even started.
func TestOnlyAndExclude(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flags []string
		want  string
		about string
	}{
		{nil, "ab ac b", ""},
		{[]string{"--only=a*"}, "ab ac", ""},
		{[]string{"--only=ab,b"}, "ab b", ""},
		{[]string{"--exclude=a*"}, "b", ""},
		{[]string{"--only=a*", "--exclude=ac"}, "ab", ""},
		{[]string{"--only=b,typo"}, "b", "--only=typo names no server of "},
		{[]string{"--exclude=typo*"}, "ab ac b", "--exclude=typo* names no server of "},
	} {
		servers := []*fake{legacyServer(t, "ab", "x"), legacyServer(t, "off", "x"), legacyServer(t, "ac", "x"), legacyServer(t, "b", "x")}
		servers[1].entry = `"disabled":true`
		c := legacyWith(t, settings{flags: test.flags}, `{}`, servers...)
		var started []string
		for _, f := range servers {
			if f.starts() > 0 {
				started = append(started, f.name)
			}
		}
		if got := strings.Join(started, " "); got != test.want {
			t.Errorf("%q: the servers %q were started, want %q", test.flags, got, test.want)
		}
		about := c.about()
		if !strings.Contains(about, test.about) {
			t.Errorf("%q: about_tsar-mcp has no %q:\n%s", test.flags, test.about, about)
		}
		if strings.Contains(about, "Server off") {
			t.Errorf("a disabled server is spoken of:\n%s", about)
		}
		c.close()
	}
}

// TestSettingsThatCannotBe are told before anything is served.
func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, `{"mcpServers":{}}`)
	for flags, want := range map[string]string{
		"--separator=":           "--separator",
		"--separator=/":          "--separator",
		"--separator=_____":      "--separator",
		"--max-name=19":          "--max-name",
		"--max-name=129":         "--max-name",
		"--connect-timeout=0":    "--connect-timeout",
		"--list-wait=-1s":        "--list-wait",
		"--resume-timeout=0":     "--resume-timeout",
		"--config=/no/such/file": "/no/such/file",
		"--config=":              "--config",
		"--input=novalue":        "id=value",
		"--input==value":         "id=value",
		"--only=[":               "no glob",
		"--deny=a,[":             "no glob",
	} {
		err := tryFlags("--config="+config, flags)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Serve returned %v, want an error with %q", flags, err, want)
		}
	}
	if err := tryFlags("--config=" + config); err != nil {
		t.Errorf("a configuration without servers: %v", err)
	}
}
