//go:build filesystem

package filesystem

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// files are what both servers find in their directory. A name that ends with a
// slash is a directory.
type files map[string]string

var project = files{
	"README.md":          "# Title\n\nfirst\nsecond\nthird\n",
	"empty.txt":          "",
	"no-newline.txt":     "one\ntwo\nthree",
	"windows.txt":        "one\r\ntwo\r\nthree\r\n",
	"mark.txt":           "\ufeffone\ntwo\n",
	"latin1.txt":         "caf\xe9\nbar\n",
	"picture.png":        "\x89PNG\r\n\x1a\n\x00\x00",
	"sound.mp3":          "ID3\x03",
	"data.bin":           "\x00\x01\x02",
	"src/main.go":        "package main\n\nfunc main() {\n\tif true {\n\t\tprintln(\"hi\")\n\t}\n}\n",
	"src/util/util.go":   "package util\n",
	"src/util/util.json": "{}\n",
	"src/.hidden":        "x\n",
	"docs/a b.md":        "text\n",
	"docs/ü.md":          "text\n",
	"nothing/":           "",
}

// make creates the files in a new directory.
func (f files) make(t *testing.T) string {
	t.Helper()
	// Both servers show paths; /tmp may be a link.
	directory, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range f {
		path := filepath.Join(directory, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

// snapshot gives what is in a directory: each path with its mode and content.
func snapshot(t *testing.T, directory string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var read []byte
			read, err = os.ReadFile(path)
			content = string(read)
		}
		name, _ := filepath.Rel(directory, path)
		fmt.Fprintf(&text, "%s %v %q\n", name, info.Mode(), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text.String(), directory, "ROOT")
}

// outcome is what a call gave and left behind, with ROOT for the directory.
type outcome struct{ result, after string }

// try makes the calls on a server of its own, and gives the outcome of all.
func try(t *testing.T, server kind, prepare func(t *testing.T, directory string), calls []call) outcome {
	t.Helper()
	directory := project.make(t)
	if prepare != nil {
		prepare(t, directory)
	}
	c := start(t, server, directory)
	var results []string
	for _, call := range calls {
		arguments, err := json.Marshal(call.arguments)
		if err != nil {
			t.Fatal(err)
		}
		inPlace := strings.ReplaceAll(string(arguments), "ROOT", directory)
		results = append(results, plain(c.call(call.tool, json.RawMessage(inPlace)), directory))
	}
	c.end()
	return outcome{strings.Join(results, "\n"), snapshot(t, directory)}
}

// plain gives what a client makes of an answer: whether it failed, and the
// content, once as it is and once structured.
func plain(answer gjson.Result, directory string) string {
	if answer.Get("error").Exists() {
		return "error " + answer.Get("error.code").Raw
	}
	result := answer.Get("result")
	if result.Get("isError").Bool() {
		return "failed"
	}
	text := result.Get("content.0.text").Str
	if result.Get("content.#").Int() != 1 || result.Get("content.0.type").Str != "text" {
		text = result.Get("content").Raw
	}
	var structured any // in which the order of members is of no account
	if err := json.Unmarshal([]byte(result.Get("structuredContent").Raw), &structured); err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(fmt.Sprintf("%s\n%v", text, structured), directory, "ROOT")
}

type call struct {
	tool      string
	arguments map[string]any
}

func one(tool string, arguments map[string]any) []call { return []call{{tool, arguments}} }

// TestSideBySide makes the same calls on both servers. What differs on purpose
// has a reason in docs/FILESYSTEM.md.
func TestSideBySide(t *testing.T) {
	used := make(map[string]bool)
	for _, test := range comparisons() {
		t.Run(test.name, func(t *testing.T) {
			own, other := try(t, ours, test.prepare, test.calls), try(t, npms, test.prepare, test.calls)
			same := own == other
			used[test.difference] = true
			switch {
			case test.difference == "" && !same:
				t.Errorf("ours gave\n%s\nwith\n%s\nnpm's gave\n%s\nwith\n%s", own.result, own.after, other.result, other.after)
			case test.difference != "" && same:
				t.Errorf("there is no difference: %s\n%s", test.difference, own.result)
			}
		})
	}
	delete(used, "")
	for _, difference := range documented(t) {
		if !used[difference] {
			t.Errorf("docs/FILESYSTEM.md names a difference that no comparison shows: %s", difference)
		}
		delete(used, difference)
	}
	for difference := range used {
		t.Errorf("docs/FILESYSTEM.md does not name the difference: %s", difference)
	}
}

// documented gives the first cells of the table of differences.
func documented(t *testing.T) (differences []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/FILESYSTEM.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Differences\n")
	if !found {
		t.Fatal("docs/FILESYSTEM.md has no section Differences")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			differences = append(differences, strings.TrimSpace(cells[1]))
		}
	}
	return slices.DeleteFunc(differences, func(cell string) bool { return cell == "what" || strings.HasPrefix(cell, "---") })
}
