// Package house keeps the rules of this repository that no compiler knows. Its
// tests read the source of every package, for every operating system.
package house

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "mcpserver"
)

// source is one Go file of the module.
type source struct {
	path      string // from the root, with slashes
	inPackage string // its package's import path within the module
	isTest    bool
	syntax    *ast.File
	position  *token.FileSet
}

// sources parses all Go files of the module, whatever they are built for.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, p := range packages(t) {
		paths, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			all = append(all, parse(t, path, p.ImportPath))
		}
	}
	if len(all) == 0 {
		t.Fatal("the module has no Go files")
	}
	return all
}

func parse(t *testing.T, path, importPath string) source {
	t.Helper()
	position := token.NewFileSet()
	syntax, err := parser.ParseFile(position, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(absolute, path)
	if err != nil {
		t.Fatal(err)
	}
	return source{
		path:      filepath.ToSlash(relative),
		inPackage: strings.TrimPrefix(importPath, module+"/"),
		isTest:    strings.HasSuffix(path, "_test.go"),
		syntax:    syntax,
		position:  position,
	}
}

type listed struct{ ImportPath, Dir string }

// packages lists the packages of the module.
func packages(t *testing.T) []listed {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-json=ImportPath,Dir", "./...")
	list.Dir = root
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
}

// line gives the line that a node of the file begins in.
func (s source) line(node ast.Node) int { return s.position.Position(node.Pos()).Line }

// within reports whether a slash-separated path is the pattern, or is below it
// when the pattern ends with "/...".
func within(path, pattern string) bool {
	folder, isFolder := strings.CutSuffix(pattern, "/...")
	return path == pattern || isFolder && strings.HasPrefix(path, folder+"/")
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		path, pattern string
		want          bool
	}{
		{"core", "core", true},
		{"core/server", "core", false},
		{"core/server", "core/...", true},
		{"core/server/deep", "core/...", true},
		{"cores/x", "core/...", false},
		{"core", "core/...", false},
	} {
		if got := within(test.path, test.pattern); got != test.want {
			t.Errorf("within(%q, %q) = %t, want %t", test.path, test.pattern, got, test.want)
		}
	}
}
