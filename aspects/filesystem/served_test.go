//go:build unix && !aix

package filesystem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"
)

func TestToolsAreThoseOfTheReference(t *testing.T) {
	c := ready(t, `{}`, nil, makeFolder(t))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	listed := make(map[string]gjson.Result)
	for _, tool := range c.next("1").Get("result.tools").Array() {
		listed[tool.Get("name").Str] = tool
	}
	for name, want := range map[string]struct {
		arguments, required string
		reads               bool
	}{
		"read_file":                 {"path tail head", "path", true},
		"read_text_file":            {"path tail head", "path", true},
		"read_media_file":           {"path", "path", true},
		"read_multiple_files":       {"paths", "paths", true},
		"write_file":                {"path content", "path content", false},
		"edit_file":                 {"path edits dryRun replaceAll", "path edits", false},
		"create_directory":          {"path", "path", false},
		"list_directory":            {"path", "path", true},
		"list_directory_with_sizes": {"path sortBy", "path", true},
		"directory_tree":            {"path excludePatterns", "path", true},
		"move_file":                 {"source destination", "source destination", false},
		"search_files":              {"path pattern excludePatterns", "path pattern", true},
		"get_file_info":             {"path", "path", true},
		"list_allowed_directories":  {"", "", true},
	} {
		tool := listed[name]
		var names, required []string
		tool.Get("inputSchema.properties").ForEach(func(name, _ gjson.Result) bool { names = append(names, name.Str); return true })
		for _, one := range tool.Get("inputSchema.required").Array() {
			required = append(required, one.Str)
		}
		if got := strings.Join(names, " "); got != want.arguments || strings.Join(required, " ") != want.required {
			t.Errorf("%s takes %q and needs %q, want %q and %q", name, got, required, want.arguments, want.required)
		}
		if tool.Get("annotations.readOnlyHint").Bool() != want.reads || !tool.Get("outputSchema").Exists() {
			t.Errorf("%s is listed as %s", name, tool.Raw)
		}
	}
}

// Clients get texts both ways, and media as content of its kind.
func TestStructuredAnswers(t *testing.T) {
	folder := makeFolder(t, "a=text", "empty=", "b.png=png", "c.wav=wav", "d e.bin=\x00")
	c := ready(t, `{}`, nil, folder)
	for _, test := range []struct{ tool, path, want string }{
		{"read_text_file", "a", `{"content":[{"type":"text","text":"text"}],"structuredContent":{"content":"text"}}`},
		{"read_text_file", "empty", `{"content":[{"type":"text","text":""}],"structuredContent":{"content":""}}`},
		{"read_media_file", "b.png", `{"content":[{"type":"image","data":"cG5n","mimeType":"image/png"}],"structuredContent":{"content":[{"data":"cG5n","mimeType":"image/png","type":"image"}]}}`},
		{"read_media_file", "c.wav", `{"content":[{"type":"audio","data":"d2F2","mimeType":"audio/wav"}],"structuredContent":{"content":[{"data":"d2F2","mimeType":"audio/wav","type":"audio"}]}}`},
		{"read_media_file", "d e.bin", `{"content":[{"type":"resource","resource":{"uri":"file://` + folder + `/d%20e.bin","mimeType":"application/octet-stream","blob":"AA=="}}],` +
			`"structuredContent":{"content":[{"resource":{"blob":"AA==","mimeType":"application/octet-stream","uri":"file://` + folder + `/d%20e.bin"},"type":"resource"}]}}`},
	} {
		c.send(callOf(1, test.tool, arguments{"path": test.path}, ""))
		if got := c.next("1").Get("result").Raw; got != test.want {
			t.Errorf("%s of %s gave\n%s\nwant\n%s", test.tool, test.path, got, test.want)
		}
	}
}

// A read that was sent behind a write sees it, whatever path it takes to it.
func TestCallsOnOnePathKeepTheirOrder(t *testing.T) {
	folder := makeFolder(t, "a=0", "sub/")
	c := ready(t, `{}`, nil, folder)
	for round := range 10 {
		c.send(
			callOf(1, "write_file", arguments{"path": "a", "content": fmt.Sprint(round)}, ""),
			callOf(2, "read_text_file", arguments{"path": folder + "/./a"}, ""),
			callOf(3, "edit_file", arguments{"path": "sub/../a", "edits": []arguments{{"oldText": fmt.Sprint(round), "newText": "edited"}}}, ""),
			callOf(4, "read_multiple_files", arguments{"paths": []string{"sub", "a"}}, ""),
			callOf(5, "move_file", arguments{"source": "a", "destination": "sub/b"}, ""),
			callOf(6, "list_directory", arguments{"path": "."}, ""),
			callOf(7, "directory_tree", arguments{"path": "."}, ""),
		)
		for id, want := range map[string]string{
			"1": "Successfully wrote", "2": fmt.Sprint(round), "3": "+edited", "4": "a:\nedited\n", "5": "Successfully moved",
			"6": "[DIR] sub", "7": `"name": "b"`,
		} {
			wants(t, "call "+id, said(c.next(id)), want)
		}
		wants(t, "the way back", c.call("move_file", arguments{"source": "sub/b", "destination": "a"}), "Successfully moved")
	}
}

// Progress of a tree and of a search is told, and a cancelled one stops.
func TestProgressAndCancellation(t *testing.T) {
	var entries []string
	for n := range 120 {
		entries = append(entries, fmt.Sprintf("%d/%d=", n%12, n/12))
	}
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	s.reportEvery = 50
	c := connectTo(t, aspectOf(s, nil), nil, makeFolder(t, entries...))
	c.handshake(`{}`)
	for _, tool := range []string{"directory_tree", "search_files"} {
		c.send(callOf(1, tool, arguments{"path": ".", "pattern": "**"}, `,"_meta":{"progressToken":"p"}`))
		var told []float64
		for {
			message := c.read()
			if message.Get("method").Str != "notifications/progress" {
				break
			}
			told = append(told, message.Get("params.progress").Float())
			wants(t, "the progress", message.Get("params.message").Str, "entries")
		}
		if len(told) != 2 || told[0] < 50 || told[1] < told[0]+50 {
			t.Errorf("%s told %v, want two times about 50 more", tool, told)
		}
	}
	// What waits behind a cancelled call goes on.
	c.send(
		callOf(1, "directory_tree", arguments{"path": "."}, ""),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		callOf(2, "write_file", arguments{"path": "0/0", "content": "x"}, ""),
	)
	wants(t, "the call behind it", said(c.next("2")), "Successfully wrote")
}

// Everything that may take long ends with its context.
func TestCancelledWorkStops(t *testing.T) {
	s := serve(t, nil, makeFolder(t, "a=x\ny\n", "sub/b="))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, given := range map[string]arguments{
		"directory_tree":            {"path": "."},
		"search_files":              {"path": ".", "pattern": "**"},
		"list_directory":            {"path": "."},
		"list_directory_with_sizes": {"path": "."},
		"read_multiple_files":       {"paths": []string{"a"}},
		"edit_file":                 {"path": "a", "edits": []arguments{{"oldText": "x", "newText": "z"}}},
	} {
		if got := s.execute(t, ctx, tool, given); !got.IsError || !strings.Contains(got.Result, "canceled") {
			t.Errorf("%s of a call that is cancelled gave %s", tool, got.Result)
		}
	}
	for _, part := range []string{"head", "tail"} {
		if got := s.execute(t, ctx, "read_text_file", arguments{"path": "a", part: 1}); !got.IsError {
			t.Errorf("%s of a call that is cancelled gave %s", part, got.Result)
		}
	}
}

// A search that is cancelled in the middle goes no further.
func TestSearchStopsInTheMiddle(t *testing.T) {
	var entries []string
	for n := range 200 {
		entries = append(entries, fmt.Sprintf("%d/file=", n))
	}
	s := serve(t, nil, makeFolder(t, entries...))
	root, err := os.OpenRoot(s.given.list[0].real)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var visited atomic.Int32
	running := &traversal[struct{}]{root: root, base: ".", most: 1000, every: 1000, visit: func(in folder[struct{}], entries []entry) (into []folder[struct{}]) {
		if visited.Add(1) == 10 {
			cancel()
		}
		for _, found := range entries {
			if found.directory {
				into = append(into, folder[struct{}]{name: found.name, depth: 1})
			}
		}
		return into
	}}
	if err := running.run(ctx, struct{}{}); !errors.Is(err, context.Canceled) || visited.Load() > 10+walkers {
		t.Errorf("it ended with %v, %d directories on", err, visited.Load())
	}
}
