package house

import (
	"go/ast"
	"strings"
	"testing"
)

const (
	mostFileLines     = 500
	mostFunctionLines = 70
)

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, file := range sources(t) {
		// An aspect is mostly its tables.
		if file.isTest || strings.HasPrefix(file.path, "aspects/") {
			continue
		}
		if lines := file.position.Position(file.syntax.FileEnd).Line; lines > mostFileLines {
			t.Errorf("%s has %d lines, over %d", file.path, lines, mostFileLines)
		}
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first := file.line(function)
			last := file.position.Position(function.End()).Line
			if lines := last - first + 1; lines > mostFunctionLines {
				t.Errorf("%s:%d: %s has %d lines, over %d", file.path, first, function.Name.Name, lines, mostFunctionLines)
			}
		}
	}
}

// TestMainsAreOneStatement: if a server's main needs a second one, the runner is
// missing something.
func TestMainsAreOneStatement(t *testing.T) {
	mains := 0
	for _, file := range sources(t) {
		if !within(file.inPackage, "cmd/...") || file.isTest {
			continue
		}
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			mains++
			if function.Name.Name != "main" || len(function.Body.List) != 1 {
				t.Errorf("%s:%d: want func main with one statement and nothing else", file.path, file.line(function))
			}
		}
	}
	if mains == 0 {
		t.Error("there is no main in cmd/")
	}
}

// TestStdoutIsTheProtocols: what a server links writes to stdout through the
// runner alone, and does nothing before main.
func TestStdoutIsTheProtocols(t *testing.T) {
	for _, file := range sources(t) {
		isServers := file.inPackage == "core" || within(file.inPackage, "core/...") ||
			within(file.inPackage, "aspects/...") || within(file.inPackage, "cmd/...")
		if !isServers || file.isTest {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if use := stdoutUse(node); use != "" && !mayUse(file.path, use) {
				t.Errorf("%s:%d: %s", file.path, file.line(node), use)
			}
			return true
		})
	}
}

// stdoutUse names what a node has to do with stdout or with the time before
// main, or gives "".
func stdoutUse(node ast.Node) string {
	switch node := node.(type) {
	case *ast.FuncDecl:
		if node.Recv == nil && node.Name.Name == "init" {
			return "func init"
		}
	case *ast.SelectorExpr:
		from, ok := node.X.(*ast.Ident)
		if !ok {
			return ""
		}
		name := from.Name + "." + node.Sel.Name
		switch {
		case strings.HasSuffix(name, ".Stdout"), name == "fmt.Print", name == "fmt.Printf", name == "fmt.Println":
			return name
		}
	}
	return ""
}

// mayUse makes an exception of the file that takes stdout away from everybody
// else.
func mayUse(path, use string) bool {
	return strings.HasPrefix(path, "core/internal/stdio/isolate_") && strings.HasSuffix(use, ".Stdout")
}
