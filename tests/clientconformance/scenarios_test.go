//go:build conformance

// Package clientconformance has the official conformance suite of the Model
// Context Protocol judge the client of external servers: the suite plays a server
// over HTTP and starts the program in driver against it.
//
//	go test -tags=conformance ./tests/clientconformance
//
// It needs npm, which fetches the suite, and a Node.js that the suite starts with
// where the system's is older.
package clientconformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds one scenario. The suite itself gives up on a client after 30
// seconds.
const patience = time.Minute

// leastNode is the oldest major version of Node.js that the suite starts with.
const leastNode = 22

// scenario is one of the suite's, played in one revision.
type scenario struct {
	name, revision string
	// unasked are checks that the suite skips, by their name: they are about
	// messages that do not exist in the revision.
	unasked []string
}

// scenarios are those for clients that the two revisions require, apart from
// authorization, and the one that looks at what becomes of schemas.
var scenarios = []scenario{
	{name: "initialize", revision: "2025-11-25"},
	{name: "tools_call", revision: "2025-11-25"},
	{name: "elicitation-sep1034-client-defaults", revision: "2025-11-25"},
	{name: "sse-retry", revision: "2025-11-25"},
	{name: "json-schema-2020-12-preservation", revision: "2025-11-25"},
	{name: "tools_call", revision: "2026-07-28"},
	{name: "request-metadata", revision: "2026-07-28"},
	{name: "sep-2322-client-request-state", revision: "2026-07-28"},
	{
		name: "http-standard-headers", revision: "2026-07-28",
		unasked: []string{"ClientMcpMethodHeader_initialize", "ClientMcpMethodHeader_notifications_initialized"},
	},
	{name: "http-custom-headers", revision: "2026-07-28"},
	{name: "http-invalid-tool-headers", revision: "2026-07-28"},
	{name: "json-schema-ref-no-deref", revision: "2026-07-28"},
	{name: "json-schema-2020-12-preservation", revision: "2026-07-28"},
}

func TestScenarios(t *testing.T) {
	suite := fetchSuite(t)
	driver := buildDriver(t)
	for _, s := range scenarios {
		t.Run(s.name+" "+s.revision, func(t *testing.T) {
			checks, printed := suite.play(t, s, driver)
			for _, problem := range s.problems(checks) {
				t.Error(problem)
			}
			if t.Failed() {
				t.Logf("the suite printed:\n%s", printed)
			}
		})
	}
}

// check is one thing that a scenario looked at.
type check struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// problems tells why the checks are not good enough. That is stricter than the
// suite: nothing may be missed, and one check at least must have succeeded that
// says more than that the messages are valid.
func (s scenario) problems(checks []check) (problems []string) {
	isGood := func(c check) bool { return c.Status == "SUCCESS" && c.ID != "wire-schema-valid" }
	if !slices.ContainsFunc(checks, isGood) {
		problems = append(problems, "no check has succeeded")
	}
	for _, c := range checks {
		isSkipped := c.Status == "SKIPPED"
		isBad := isSkipped != slices.Contains(s.unasked, c.Name) || c.Status == "FAILURE" || c.Status == "WARNING"
		if isBad {
			problems = append(problems, fmt.Sprintf("%s (%s) is a %s: %s; %s", c.ID, c.Name, c.Status, c.Description, c.ErrorMessage))
		}
	}
	return problems
}

// suite is the official conformance suite, a program for Node.js.
type suite struct{ node, program string }

// play has the suite play a server for the driver. A suite that is not content
// with the driver fails the test.
func (s suite) play(t *testing.T, played scenario, driver string) (checks []check, printed []byte) {
	t.Helper()
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	printed, err := exec.CommandContext(ctx, s.node, s.program, "client", "--command", driver,
		"--scenario", played.name, "--spec-version", played.revision, "--output-dir", folder).CombinedOutput()
	if err != nil {
		t.Errorf("the suite is not content: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("there are %d results (%v), and the suite printed:\n%s", len(found), err, printed)
	}
	text, err := os.ReadFile(found[0])
	if err == nil {
		err = json.Unmarshal(text, &checks)
	}
	if err != nil {
		t.Fatalf("what the suite found: %v", err)
	}
	return checks, printed
}

// buildDriver gives the path of the program that is judged.
func buildDriver(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "driver")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if output, err := exec.Command("go", "build", "-o", path, "./driver").CombinedOutput(); err != nil {
		t.Fatalf("building the driver: %v\n%s", err, output)
	}
	return path
}

// The folders whose lockfiles name the suite, and a Node.js for it. The judge of
// servers, tests/conformance, takes both from there, too.
var (
	suiteFolder = filepath.Join("..", "clients", "node")
	nodeFolder  = filepath.Join("..", "conformance")
)

// fetchSuite fetches what is needed, unless it is there.
func fetchSuite(t *testing.T) suite {
	t.Helper()
	install(t, suiteFolder)
	return suite{
		node:    findNode(t),
		program: filepath.Join(suiteFolder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
	}
}

// install fetches what a folder's lockfile names, unless it is there.
func install(t *testing.T, folder string) {
	t.Helper()
	lock, err := os.Stat(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	installed, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err == nil && !installed.ModTime().Before(lock.ModTime()) {
		return
	}
	npm := exec.Command("npm", "ci")
	npm.Dir = folder
	if output, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", folder, err, output)
	}
}

// findNode gives the system's Node.js, or one that is fetched.
func findNode(t *testing.T) string {
	t.Helper()
	if isNewEnough("node") {
		return "node"
	}
	install(t, nodeFolder)
	cpu := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	fetched := filepath.Join(nodeFolder, "node_modules", "node-"+runtime.GOOS+"-"+cpu, "bin", "node")
	if !isNewEnough(fetched) {
		t.Fatalf("the suite needs Node.js %d or newer: your system's package manager or nodejs.org has it", leastNode)
	}
	return fetched
}

func isNewEnough(node string) bool {
	output, err := exec.Command(node, "--version").Output()
	if err != nil {
		return false
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(output), "v"), ".")
	number, err := strconv.Atoi(major)
	return err == nil && number >= leastNode
}
