//go:build unix

// Package docs tests what the documents show. Every command in a block marked
// "console" is run, in a copy of the repository, and must print what stands
// below it; every block of JSON must be JSON; every block of Go must stand in
// some file of the repository, where the compiler sees it.
//
// What a command prints differs from one run to the next. In the documents
//
//	...      alone on a line stands for any lines, or none
//	…        stands for any text within a line
//	<pid>    stands for a process id
//	<time>   stands for the duration of a test, such as 0.012s or (cached)
//
// and the folder for temporary files is /tmp. The line that announces a trace
// file may come at any time, so its place among the others does not count.
package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// notRun are commands that the documents show and that are not run here, with
// the reasons.
var notRun = map[string]string{
	"make test": "it is what runs this test",
}

// block is a fenced block of a document.
type block struct {
	document string // its path from the root
	line     int    // of the opening fence
	language string
	text     string
}

// documents gives the paths of all documents from the root, README.md first:
// later ones may go on from what its commands have built.
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{"README.md"}
	rest, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range rest {
		paths = append(paths, filepath.Join("docs", filepath.Base(path)))
	}
	return paths
}

// blocks gives the blocks of a document that are in a language.
func blocks(t *testing.T, document, language string) []block {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	var open *block
	for i, line := range strings.SplitAfter(string(content), "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &block{document: document, line: i + 1, language: fence}
		case isFence:
			if open.language == language {
				found = append(found, *open)
			}
			open = nil
		case open != nil:
			open.text += line
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", document, open.line)
	}
	return found
}

func TestJSONBlocksAreJSON(t *testing.T) {
	for _, document := range documents(t) {
		for _, b := range blocks(t, document, "json") {
			var value any
			if err := json.Unmarshal([]byte(b.text), &value); err != nil {
				t.Errorf("%s:%d: %v", b.document, b.line, err)
			}
		}
	}
}

// TestGoBlocksAreReal: what the documents show of Go code is an excerpt, line
// by line, of a file in the repository. A line "..." stands for lines left out.
func TestGoBlocksAreReal(t *testing.T) {
	sources := goSources(t)
	for _, document := range documents(t) {
		for _, b := range blocks(t, document, "go") {
			for excerpt := range strings.SplitSeq(b.text, "...\n") {
				excerpt = "\n" + strings.Trim(excerpt, "\n") + "\n"
				if !slices.ContainsFunc(sources, func(source string) bool { return strings.Contains(source, excerpt) }) {
					t.Errorf("%s:%d: no Go file has these lines:%s", b.document, b.line, excerpt)
				}
			}
		}
	}
}

func goSources(t *testing.T) []string {
	t.Helper()
	var sources []string
	for _, path := range files(t) {
		if filepath.Ext(path) != ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, "\n"+string(content)+"\n")
	}
	return sources
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, document := range append(documents(t), "CHANGELOG.md") {
		content, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(content), -1) {
			target := filepath.Join(root, filepath.Dir(document), found[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", document, found[1], err)
			}
		}
	}
}
