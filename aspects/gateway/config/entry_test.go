package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// parse fails the test if the text is no JSON with comments.
func parse(t *testing.T, text string) *File {
	t.Helper()
	file, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return file
}

// problems gives the problems of a file as texts.
func problems(file *File) []string {
	var all []string
	for _, problem := range file.Problems {
		all = append(all, problem.String())
	}
	return all
}

func wantProblems(t *testing.T, file *File, want ...string) {
	t.Helper()
	if got := problems(file); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEntries(t *testing.T) {
	for _, test := range []struct {
		name, entry string
		want        Entry
	}{
		{"the least", `{"command": "x"}`, Entry{Type: Stdio, Command: "x"}},
		{"all of a program", `{
			"type": "stdio", "command": "npx", "args": ["-y", "", "é"], "cwd": "/x", "envFile": "/x/.env",
			"env": {"B": "2", "A": "", "N": 1.50, "U": null}, "disabled": true,
			"timeout": 90, "allow": ["a*", "b"], "deny": ["[xy]?"]
		}`, Entry{
			Type: Stdio, Command: "npx", Args: []string{"-y", "", "é"}, Dir: "/x", EnvFile: "/x/.env",
			Env:      []EnvironmentVariable{{Name: "B", Value: "2"}, {Name: "A"}, {Name: "N", Value: "1.50"}, {Name: "U", Unset: true}},
			Disabled: true, Timeout: 90 * time.Second, Allow: []string{"a*", "b"}, Deny: []string{"[xy]?"},
		}},
		{"all of an address", `{
			"type": "http", "url": "https://example.com/mcp?a=b", "headers": {"X-B": "2", "Authorization": "Bearer ${T}\t"},
			"disabled": false, "timeout": "2m", "allow": [], "deny": []
		}`, Entry{
			Type: HTTP, URL: "https://example.com/mcp?a=b", Headers: []Header{{"X-B", "2"}, {"Authorization", "Bearer ${T}\t"}},
			Timeout: 2 * time.Minute, Allow: []string{}, Deny: []string{},
		}},
		{"a URL alone", `{"url": "HTTP://[::1]:8080"}`, Entry{Type: HTTP, URL: "HTTP://[::1]:8080"}},
		{"a URL with references", `{"url": "${BASE}/mcp"}`, Entry{Type: HTTP, URL: "${BASE}/mcp"}},
		{"SSE", `{"type": "sse", "url": "http://x"}`, Entry{Type: SSE, URL: "http://x"}},
		{"upper case", `{"type": "SSE", "url": "http://x"}`, Entry{Type: SSE, URL: "http://x"}},
		{"transport", `{"transport": "sse", "url": "http://x"}`, Entry{Type: SSE, URL: "http://x"}},
		{"type and transport agree", `{"type": "http", "transport": "streamable-http", "url": "http://x"}`, Entry{Type: HTTP, URL: "http://x"}},
		{"streamable-http", `{"type": "streamable-http", "url": "http://x"}`, Entry{Type: HTTP, URL: "http://x"}},
		{"streamableHttp", `{"type": "streamableHttp", "url": "http://x"}`, Entry{Type: HTTP, URL: "http://x"}},
		{"local", `{"type": "local", "command": "x"}`, Entry{Type: Stdio, Command: "x"}},
		{"Stdio", `{"type": "Stdio", "command": "x"}`, Entry{Type: Stdio, Command: "x"}},
		{
			"the type decides for the program",
			`{"type": "stdio", "command": "x", "args": ["y"], "url": "http://x", "headers": {"A": "b"}}`,
			Entry{Type: Stdio, Command: "x", Args: []string{"y"}},
		},
		{
			"the type decides for the address",
			`{"type": "http", "command": "x", "args": ["y"], "env": {"A": "b"}, "envFile": "z", "cwd": "/", "url": "http://x"}`,
			Entry{Type: HTTP, URL: "http://x"},
		},
		{"an empty command is none", `{"command": "", "url": "http://x"}`, Entry{Type: HTTP, URL: "http://x"}},
		{
			"null is nothing",
			`{"type": null, "transport": null, "command": "x", "url": null, "args": null, "env": null, "envFile": null, "cwd": null,
			"headers": null, "disabled": null, "timeout": null, "allow": null, "deny": null, "tools": null}`,
			Entry{Type: Stdio, Command: "x"},
		},
		{
			"members of other programs",
			`{"command": "x", "dev": {"watch": "*"}, "gallery": true, "alwaysAllow": ["a"], "autoApprove": [], "tools": {"a": 1},
			"version": "1", "sandbox": null, "Command": "y", "description": 1}`,
			Entry{Type: Stdio, Command: "x"},
		},
		{"tools that are no names", `{"command": "x", "tools": ["a", {"name": "b"}]}`, Entry{Type: Stdio, Command: "x"}},
		{"tools", `{"command": "x", "tools": ["*"]}`, Entry{Type: Stdio, Command: "x", Allow: []string{"*"}}},
		{"no tools", `{"command": "x", "tools": []}`, Entry{Type: Stdio, Command: "x", Allow: []string{}}},
		{"includeTools", `{"command": "x", "includeTools": ["a"]}`, Entry{Type: Stdio, Command: "x", Allow: []string{"a"}}},
		{"excludeTools", `{"command": "x", "excludeTools": ["a"]}`, Entry{Type: Stdio, Command: "x", Deny: []string{"a"}}},
		{"disabledTools", `{"command": "x", "disabledTools": ["a"]}`, Entry{Type: Stdio, Command: "x", Deny: []string{"a"}}},
		{"null is no second spelling", `{"command": "x", "deny": ["a"], "disabledTools": null}`, Entry{Type: Stdio, Command: "x", Deny: []string{"a"}}},
		{"no timeout", `{"command": "x", "timeout": 0}`, Entry{Type: Stdio, Command: "x"}},
		{"half a second", `{"command": "x", "timeout": 0.5}`, Entry{Type: Stdio, Command: "x", Timeout: time.Second / 2}},
		{"an hour", `{"command": "x", "timeout": 3600}`, Entry{Type: Stdio, Command: "x", Timeout: time.Hour}},
		{"milliseconds", `{"command": "x", "timeout": 3601}`, Entry{Type: Stdio, Command: "x", Timeout: 3601 * time.Millisecond}},
		{"a week", `{"command": "x", "timeout": 604800000}`, Entry{Type: Stdio, Command: "x", Timeout: 7 * 24 * time.Hour}},
		{"escapes", `{"\u0063ommand": "\u00e9\ud83d\ude42\\"}`, Entry{Type: Stdio, Command: `é🙂\`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parse(t, "{\n  \"servers\": {\"n\": "+test.entry+"}}")
			wantProblems(t, file)
			test.want.Name, test.want.Line, test.want.Column = "n", 2, 15
			if len(file.Entries) != 1 || !reflect.DeepEqual(file.Entries[0], test.want) {
				t.Errorf("got  %+v\nwant %+v", file.Entries, test.want)
			}
		})
	}
}

// long gives an array of that many strings.
func long(elements int) string {
	return `["` + strings.Repeat(`","`, elements-1) + `"]`
}

// many gives an object of that many members with such a value.
func many(members int, value string) string {
	var object strings.Builder
	for i := range members {
		fmt.Fprintf(&object, `, "N%d": %s`, i, value)
	}
	return "{" + strings.TrimPrefix(object.String(), ", ") + "}"
}

// TestBadEntries: each has its problem, with its place, and the others stay.
func TestBadEntries(t *testing.T) {
	tooLong := strings.Repeat("x", maxText+1)
	for _, test := range []struct{ name, entry, want string }{
		{"null", `null`, `column 6: server "n": a server must be an object, not null`},
		{"a string", `"x"`, `column 6: server "n": a server must be an object, not a string`},
		{"an array", `[]`, `column 6: server "n": a server must be an object, not an array`},
		{"nothing", `{}`, `column 1: server "n": it has neither "command", to start it, nor "url", to reach it`},
		{"an empty command", `{"command": "", "args": ["x"]}`, `column 1: server "n": it has neither "command", to start it, nor "url", to reach it`},
		{
			"both", `{"command": "x", "url": "http://x"}`,
			`column 1: server "n": it has both "command" and "url"; remove one of them, or say which holds with "type": stdio, http or sse`,
		},
		{"no command", `{"type": "stdio", "url": "http://x"}`, `column 1: server "n": it is of type stdio, which needs "command"`},
		{"no url", `{"type": "http", "command": "x"}`, `column 1: server "n": it is of type http, which needs "url"`},
		{"no url of an SSE server", `{"type": "sse"}`, `column 1: server "n": it is of type sse, which needs "url"`},
		{"a type that is none", `{"type": "ws", "url": "http://x"}`, `column 15: server "n": the type "ws" is not known; it must be stdio, http or sse`},
		{"a transport that is none", `{"transport": "ws"}`, `column 20: server "n": the transport "ws" is not known; it must be stdio, http or sse`},
		{"an empty type", `{"type": "", "command": "x"}`, `column 15: server "n": the type "" is not known; it must be stdio, http or sse`},
		{"a type of a kind", `{"type": 1, "command": "x"}`, `column 15: server "n": "type" must be a string, not a number`},
		{"a transport of a kind", `{"transport": {"type": "http"}}`, `column 20: server "n": "transport" must be a string, not an object`},
		{
			"types that differ", `{"type": "sse", "transport": "http", "url": "http://x"}`,
			`column 35: server "n": the type is sse, and the transport is http; remove one of them`,
		},
		{"a command of a kind", `{"command": ["x", "y"]}`, `column 18: server "n": "command" must be a string, not an array`},
		{"a command with NUL", `{"command": "a\u0000"}`, `column 18: server "n": "command" has a NUL character, which cannot be passed on`},
		{"a long command", `{"command": "` + tooLong + `"}`, `column 18: server "n": "command" is longer than 64 KiB`},
		{"args of a kind", `{"args": "secret"}`, `column 15: server "n": "args" must be an array of strings, not a string`},
		{"args with a number", `{"args": ["é", 8080]}`, `column 21: server "n": "args" must be an array of strings; the element 1 is a number`},
		{"args with NUL", `{"args": ["\u0000secret"]}`, `column 16: server "n": the element 0 of "args" has a NUL character, which cannot be passed on`},
		{"long args", `{"args": ["` + tooLong + `"]}`, `column 16: server "n": the element 0 of "args" is longer than 64 KiB`},
		{"many args", `{"args": ` + long(maxArguments+1) + `}`, `column 3016: server "n": "args" has more than 1000 elements`},
		{"env of a kind", `{"env": ["A=b"]}`, `column 14: server "n": "env" must be an object that has the variables by their names, not an array`},
		{"env with a boolean", `{"env": {"A": true}}`, `column 20: server "n": "env.A" must be a string, a number or null, not a boolean`},
		{"env with an object", `{"env": {"A": {}}}`, `column 20: server "n": "env.A" must be a string, a number or null, not an object`},
		{"env without a name", `{"env": {"": "a"}}`, `column 19: server "n": the name of a variable in "env" is empty`},
		{"env with =", `{"env": {"A=B": "a"}}`, `column 22: server "n": the name of a variable in "env" has a =`},
		{"env with a name with NUL", `{"env": {"A\u0000": "a"}}`, `column 26: server "n": the name of a variable in "env" has the character U+0000, which cannot be shown`},
		{"env with NUL", `{"env": {"A": "secret\u0000"}}`, `column 20: server "n": "env.A" has a NUL character, which cannot be passed on`},
		{"env with a long name", `{"env": {"` + strings.Repeat("é", 129) + `": ""}}`, `column 148: server "n": the name of a variable in "env" is longer than 128 characters`},
		{"env that says it twice", `{"env": {"A": "1", "A": "2"}}`, `column 25: server "n": "A" occurs twice`},
		{"many variables", `{"env": ` + many(maxVariables+1, `""`) + `}`, `column 11914: server "n": "env" has more than 1000 variables`},
		{"envFile of a kind", `{"envFile": true}`, `column 18: server "n": "envFile" must be a string, not a boolean`},
		{"cwd of a kind", `{"cwd": 1}`, `column 14: server "n": "cwd" must be a string, not a number`},
		{"a url of a kind", `{"url": {}}`, `column 14: server "n": "url" must be a string, not an object`},
		{"a url without a scheme", `{"url": "secret.example"}`, `column 14: server "n": "url" must be that of an HTTP server, such as https://example.com/mcp`},
		{"a url of another scheme", `{"url": "ws://secret"}`, `column 14: server "n": "url" must be that of an HTTP server, such as https://example.com/mcp`},
		{"a url that is none", `{"url": "http://secret:x"}`, `column 14: server "n": "url" must be that of an HTTP server, such as https://example.com/mcp`},
		{"a url without a host", `{"url": "http:///secret"}`, `column 14: server "n": "url" must be that of an HTTP server, such as https://example.com/mcp`},
		{"headers of a kind", `{"headers": ["A: b"]}`, `column 18: server "n": "headers" must be an object that has the headers by their names, not an array`},
		{"a header of a kind", `{"headers": {"A": 1}}`, `column 24: server "n": "headers.A" must be a string, not a number`},
		{"a header that is null", `{"headers": {"A": null}}`, `column 24: server "n": "headers.A" must be a string, not null`},
		{
			"a header with a space", `{"headers": {"A B": "1"}}`,
			`column 26: server "n": "headers" has a name that no header can have; a name has letters, digits and - or _, and up to 128 of them`,
		},
		{
			"a header without a name", `{"headers": {"": "1"}}`,
			`column 23: server "n": "headers" has a name that no header can have; a name has letters, digits and - or _, and up to 128 of them`,
		},
		{"a header with a line break", `{"headers": {"A": "secret\r\nB: c"}}`, `column 24: server "n": "headers.A" has a line break or another control character, which no header can have`},
		{"a header twice", `{"headers": {"A-b": "1", "a-B": "2"}}`, `column 38: server "n": the header "a-B" occurs twice; upper and lower case do not matter`},
		{"a header twice in the same case", `{"headers": {"A": "1", "A": "2"}}`, `column 29: server "n": "A" occurs twice`},
		{"many headers", `{"headers": ` + many(maxHeaders+1, `""`) + `}`, `column 1117: server "n": "headers" has more than 100 headers`},
		{"disabled of a kind", `{"command": "x", "disabled": "true"}`, `column 35: server "n": "disabled" must be true or false, not a string`},
		{"a timeout of a kind", `{"timeout": true}`, `column 18: server "n": "timeout" must be a number or a string, not a boolean`},
		{"a timeout without a unit", `{"timeout": "90"}`, `column 18: server "n": "timeout" must be a number, or a string with a unit such as "90s" or "2m"`},
		{"a timeout before now", `{"timeout": -1}`, `column 18: server "n": "timeout" must be from 0 to 7 days`},
		{"a string before now", `{"timeout": "-1s"}`, `column 18: server "n": "timeout" must be from 0 to 7 days`},
		{"a long timeout", `{"timeout": 604800001}`, `column 18: server "n": "timeout" must be from 0 to 7 days`},
		{"an endless timeout", `{"timeout": 1e999}`, `column 18: server "n": "timeout" must be from 0 to 7 days`},
		{"patterns of a kind", `{"allow": "*"}`, `column 16: server "n": "allow" must be an array of strings, not a string`},
		{"a pattern of a kind", `{"deny": [null]}`, `column 16: server "n": "deny" must be an array of strings; the element 0 is null`},
		{"a pattern that is none", `{"deny": ["a", "b[c"]}`, `column 15: server "n": the element 1 of "deny" is no pattern: a [ is not closed, or a \ stands at its end`},
		{"another pattern that is none", `{"includeTools": ["*\\"]}`, `column 23: server "n": the element 0 of "includeTools" is no pattern: a [ is not closed, or a \ stands at its end`},
		{"many patterns", `{"allow": ` + long(maxPatterns+1) + `}`, `column 3017: server "n": "allow" has more than 1000 elements`},
		{"two spellings", `{"deny": ["a"], "disabledTools": ["b"]}`, `column 39: server "n": "disabledTools" says again what "deny" says; join them`},
		{"two spellings of allow", `{"tools": [], "allow": []}`, `column 29: server "n": "allow" says again what "tools" says; join them`},
		{"a member twice", `{"command": "x", "command": "y"}`, `column 23: server "n": "command" occurs twice`},
		{"a member twice in other letters", `{"command": "x", "\u0063ommand": "y"}`, `column 23: server "n": "command" occurs twice`},
		{"another program's member twice", `{"command": "x", "y": 1, "y": 1}`, `column 31: server "n": "y" occurs twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parse(t, "{\"mcpServers\": {\"ok\": {\"command\": \"x\"},\r\n\"n\": "+test.entry+",\r\n\"too\": {\"url\": \"http://x\"}}}")
			wantProblems(t, file, "line 2, "+test.want)
			if strings.Contains(test.want, "secret") {
				t.Error("the problem tells a secret")
			}
			if len(file.Entries) != 2 || file.Entries[0].Name != "ok" || file.Entries[1].Name != "too" {
				t.Errorf("the entries are %+v, want ok and too", file.Entries)
			}
		})
	}
}

// TestAllProblemsOfAnEntryAreTold, so that they can be mended at once.
func TestAllProblemsOfAnEntryAreTold(t *testing.T) {
	file := parse(t, "{\"servers\": {\"n\": {\n\"command\": 1,\n\"args\": 2,\n\"env\": {\"A\": [], \"B\": {}}\n}}}")
	wantProblems(
		t, file,
		`line 2, column 12: server "n": "command" must be a string, not a number`,
		`line 3, column 9: server "n": "args" must be an array of strings, not a number`,
		`line 4, column 14: server "n": "env.A" must be a string, a number or null, not an array`,
		`line 4, column 23: server "n": "env.B" must be a string, a number or null, not an object`,
	)
}
