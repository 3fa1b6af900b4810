package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asFake is the environment variable that makes this test binary, as JSON of a
// fake, what the trials need: the suite, the validator or, without arguments, the
// server.
const asFake = "CONFORMANCE_TEST_FAKE"

// fake says what the programs of a trial do. The suite requires the scenarios a, b
// and, without scoring it, c.
type fake struct {
	Checks     map[string]status // what the suite finds; a scenario without one does not run
	SuiteExit  int
	Violations string // what the validator prints, if anything
	ServerSays string // before its answer
	Version    string // what Node.js says
}

func TestMain(m *testing.M) {
	text := os.Getenv(asFake)
	if text == "" {
		os.Exit(m.Run())
	}
	var f fake
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		panic(err)
	}
	os.Exit(f.main(os.Args[1:]))
}

func (f fake) main(arguments []string) (status int) {
	switch {
	case len(arguments) == 0:
		return f.serve()
	case arguments[0] == "--version":
		fmt.Println(f.Version)
		return 0
	case arguments[0] == validator:
		fmt.Print(f.Violations)
		return min(1, len(f.Violations))
	case arguments[1] == "list":
		fmt.Print("Server scenarios (test against a server):\n  - a\n  - b\n\nRun and reported, but never scored:\n  pending (1):\n    - c [server]\n")
		return 0
	}
	// suite server --url URL --requirements REVISION --output-dir FOLDER
	return f.examine(arguments[3], arguments[7])
}

// serve answers every line with the same.
func (f fake) serve() (status int) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Print(f.ServerSays, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	}
	return 0
}

// examine is the suite's part.
func (f fake) examine(url, folder string) (status int) {
	response, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
	if err != nil {
		panic(err)
	}
	response.Body.Close()
	for name, status := range f.Checks {
		path := filepath.Join(folder, "server-"+name+"-2026-07-28T00-00-00-000Z")
		if err := os.Mkdir(path, 0o755); err != nil {
			panic(err)
		}
		checks := fmt.Sprintf(`[{"id":"wire-schema-valid","status":"SUCCESS"},{"id":"x","status":%q,"errorMessage":"that is\nso"}]`, status)
		if err := os.WriteFile(filepath.Join(path, "checks.json"), []byte(checks), 0o644); err != nil {
			panic(err)
		}
	}
	return f.SuiteExit
}

// judge runs a trial with it.
func (f fake) judge(t *testing.T, scored int, all exceptions) (report, error) {
	t.Helper()
	f.use(t)
	s := suite{node: os.Args[0], program: "suite"}
	return s.judge(t.Context(), trial{"clamped", os.Args[0], "2025-11-25", scored}, t.TempDir(), all)
}

// use makes it what this test binary is when the test starts it.
func (f fake) use(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asFake, string(text))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector need not wait a second
}
