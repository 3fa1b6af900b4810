package house

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Libraries that parts of the house use.
const (
	gjson = "github.com/tidwall/gjson"
	sjson = "github.com/tidwall/sjson"
	pflag = "github.com/spf13/pflag"
	xsys  = "golang.org/x/sys/..."
	// anyLibrary stands for everything outside of this module.
	anyLibrary = "*"
)

// parts say what each part of the house may import besides the standard
// library. The first part that a package belongs to counts. Dependencies point
// down only: cmd, then aspects and the runner, then core, then core/internal.
var parts = []struct {
	packages string
	imports  []string
}{
	{"core/internal/stdio", []string{xsys}},
	{"core/internal/...", []string{"core/internal/..."}},
	{"core", []string{"core/internal/...", gjson, sjson}},
	{"core/aspecttest", []string{"core", "core/server", "core/internal/...", gjson}},
	{"core/client/transport", []string{"core/internal/...", xsys}},
	// These five never import each other.
	{"core/server", []string{"core", "core/internal/...", gjson, pflag}},
	{"core/toolserver", []string{"core", "core/internal/...", gjson, sjson}},
	{"core/client", []string{"core", "core/client/transport", "core/internal/...", anyLibrary}},
	{"core/jsonschema", []string{"core", "core/internal/...", anyLibrary}},
	{"core/uritemplate", []string{"core", anyLibrary}},
	// An aspect may use what it likes, but never the runner, nor another aspect.
	{"aspects/gateway", []string{"aspects/gateway/config", "core", "core/client/...", "core/client", "core/uritemplate", anyLibrary}},
	{"aspects/...", []string{"core", "core/toolserver", "core/client/...", "core/client", "core/jsonschema", "core/uritemplate", anyLibrary}},
	{"scripts/newaspect/myAspect", []string{"core"}},
	{"cmd/...", []string{"aspects/...", "core/server"}},
	{"scripts/...", nil},
	{"tests/conformance", []string{"tests/conformance/bridge"}},
	{"tests/...", []string{"aspects/...", "core/...", "core", anyLibrary}},
}

func TestImportsPointDown(t *testing.T) {
	for _, file := range sources(t) {
		if file.isTest {
			continue
		}
		for _, spec := range file.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if problem := importProblem(file.inPackage, imported); problem != "" {
				t.Errorf("%s:%d: %s", file.path, file.line(spec), problem)
			}
		}
	}
}

// importProblem tells why a package of the module may not import another, or
// "".
func importProblem(importing, imported string) string {
	own, isOwn := strings.CutPrefix(imported, module+"/")
	if !isOwn && !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return "" // the standard library
	}
	for _, part := range parts {
		if !within(importing, part.packages) {
			continue
		}
		allowed := slices.ContainsFunc(part.imports, func(pattern string) bool {
			return within(own, pattern) || !isOwn && pattern == anyLibrary
		})
		if !allowed {
			return part.packages + " must not import " + imported
		}
		return ""
	}
	return importing + " belongs to no part of the house; say in tests/house what it may import"
}

func TestImportProblem(t *testing.T) {
	for _, test := range []struct {
		importing, imported string
		allowed             bool
	}{
		{"core", "strings", true},
		{"core", "encoding/json", true},
		{"core", gjson, true},
		{"core", module + "/core/internal/wire", true},
		{"core", module + "/core/server", false},
		{"core", pflag, false},
		{"core/internal/wire", gjson, false},
		{"core/internal/wire", module + "/core", false},
		{"core/internal/stdio", "golang.org/x/sys/unix", true},
		{"core/server", module + "/core", true},
		{"core/server", module + "/core/client", false},
		{"core/client", module + "/core/server", false},
		{"aspects/helloWorld", module + "/core", true},
		{"aspects/helloWorld", module + "/core/server", false},
		{"aspects/helloWorld", module + "/core/internal/wire", false},
		{"aspects/helloWorld", module + "/aspects/wordArt", false},
		{"aspects/helloWorld", "example.com/library", true},
		{"cmd/MCPServer_helloWorld", module + "/aspects/helloWorld", true},
		{"cmd/MCPServer_helloWorld", module + "/core", false},
		{"elsewhere", module + "/core", false},
	} {
		if problem := importProblem(test.importing, test.imported); (problem == "") != test.allowed {
			t.Errorf("importProblem(%q, %q) = %q, want allowed: %t", test.importing, test.imported, problem, test.allowed)
		}
	}
}
