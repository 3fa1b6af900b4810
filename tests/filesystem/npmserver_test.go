//go:build npmserver && unix && !aix

package filesystem

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const npmServer = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

// npm makes the command of the npm server.
func npm(t testing.TB, given ...string) *exec.Cmd {
	t.Helper()
	script, err := filepath.Abs(npmServer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("the npm server is not there, which \"run\" fetches: %v", err)
	}
	return exec.Command("node", append([]string{script}, given...)...)
}

// side is one of the two servers, with a directory of its own.
type side struct {
	*client
	root string
}

// fill makes the directory anew: the same on both sides.
func (s side) fill(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(s.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(s.root, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range fixture {
		write(t, filepath.Join(s.root, name), content)
	}
	for name, target := range links {
		if err := os.Symlink(strings.ReplaceAll(target, "<root>", s.root), filepath.Join(s.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(s.root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.root, "script"), 0o750); err != nil {
		t.Fatal(err)
	}
}

// fixture are the files that each call finds.
var fixture = map[string]string{
	"a.txt":              "one\ntwo\nthree\n",
	"open.txt":           "one\ntwo\nthree",
	"windows.txt":        "one\r\ntwo\r\nthree\r\n",
	"mark.txt":           "\ufeffone\ntwo\n",
	"latin1.txt":         "caf\xe9\none\n",
	"binary":             "a\x00b",
	"script":             "#!/bin/sh\necho one\n",
	"indented.go":        "func f() {\n\tif x {\n\t\tone()\n\t\ttwo()\n\t}\n}\n",
	"twice.txt":          "same\nother\nsame\n",
	"long.txt":           strings.Repeat("line of text\n", 500),
	"picture.png":        "\x89PNG\r\n",
	"sound.mp3":          "ID3",
	"data.bin":           "\x00\x01",
	".hidden":            "hidden\n",
	"größe.txt":          "umlaut\n",
	"sub/b.txt":          "b\n",
	"sub/deep/c.txt":     "c\n",
	"sub/deep/d.go":      "package d\n",
	"other/deep/e.go":    "package e\n",
	"other/same [x].txt": "brackets\n",
	"order/B":            "",
	"order/a":            "",
	"empty.txt":          "",

	"break/line\n[DIR] forged": "",
}

var links = map[string]string{
	"link":     "a.txt",
	"linkdir":  "sub",
	"absolute": "<root>/sub/b.txt",
	"outside":  "/etc/hostname",
	"dangling": "nothing",
}

// state tells all that is in the directory.
func (s side) state(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, s.root)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			fmt.Fprintf(&text, "%s -> %s\n", name, target)
			return err
		case info.IsDir():
			fmt.Fprintf(&text, "%s/ %v\n", name, info.Mode())
		default:
			content, err := os.ReadFile(path)
			fmt.Fprintf(&text, "%s %v %q\n", name, info.Mode(), content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text.String(), s.root, "<root>")
}

// outcome is what a call did.
type outcome struct {
	result string // the texts that the model gets, or "error"
	state  string // of the directory afterwards
	raw    string
}

func (s side) run(t *testing.T, tool string, given arguments) outcome {
	t.Helper()
	s.fill(t)
	filled := make(arguments, len(given))
	for name, value := range given {
		filled[name] = value
		if text, ok := value.(string); ok {
			filled[name] = strings.ReplaceAll(text, "<root>", s.root)
		}
	}
	result := s.call(tool, filled)
	done := outcome{result: plain(result), state: s.state(t), raw: result.Raw}
	done.result = strings.ReplaceAll(done.result, s.root, "<root>")
	done.raw = strings.ReplaceAll(done.raw, s.root, "<root>")
	return done
}

// plain gives all that a result has, but not why something has failed: that is
// said in each server's own words.
func plain(result gjson.Result) string {
	if result.Get("isError").Bool() || result.Get("code").Exists() {
		return "error"
	}
	var text strings.Builder
	for _, block := range result.Get("content").Array() {
		if block.Get("type").Str == "text" {
			text.WriteString(block.Get("text").Str + "\n")
		} else {
			text.WriteString(sorted(block) + "\n")
		}
	}
	structured := result.Get("structuredContent.content")
	if structured.IsArray() {
		for _, block := range structured.Array() {
			text.WriteString(sorted(block) + "\n")
		}
	} else {
		text.WriteString(structured.Str)
	}
	return text.String()
}

// sorted gives JSON in which the order of members is always the same.
func sorted(value gjson.Result) string {
	return value.Get("@pretty:{\"sortKeys\":true}").Raw
}

// pair starts both servers.
func pair(t *testing.T) (ours, theirs side) {
	t.Helper()
	ours.root, theirs.root = folder(t), folder(t)
	ours.client = start(t, exec.Command(binary, ours.root))
	theirs.client = start(t, npm(t, theirs.root))
	return ours, theirs
}
