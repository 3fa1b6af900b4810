//go:build conformance

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGreeterDoesNotConform has the real suite judge a server that has next to
// nothing of what it asks for. That is the proof that a server can fail here, and
// fails by what it lacks: what it has passes, and no fault is found in what it
// says.
func TestGreeterDoesNotConform(t *testing.T) {
	t.Chdir(root)
	s, err := fetchSuite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	build := func(name, tags string) string {
		program := filepath.Join(folder, name)
		if output, err := exec.Command("go", "build", "-tags="+tags, "-o", program, "./cmd/MCPServer_helloWorld").CombinedOutput(); err != nil {
			t.Fatalf("building helloWorld: %v\n%s", err, output)
		}
		return program
	}
	want := map[string]map[string]verdict{
		"2025-11-25": {
			"server-initialize": passed, "ping": passed, "tools-list": passed, "dns-rebinding-protection": passed,
			"tools-call-image": failed, "tools-call-with-progress": failed, "tools-call-sampling": failed,
			"prompts-get-simple": failed, "resources-read-text": failed, "completion-complete": failed,
			"json-schema-2020-12": failed, "server-sse-polling": failed,
		},
		"2026-07-28": {
			"tools-list": passed, "dns-rebinding-protection": passed,
			"server-stateless": failed, "caching": failed, "tools-call-image": failed, "prompts-get-simple": failed,
			"input-required-result-tampered-state": failed, "json-schema-2020-12": failed, "tasks-lifecycle": failed,
			// The suite is content with these: it only warns.
			"sep-2164-resource-not-found": failed, "input-required-result-missing-input-response": failed,
		},
	}
	for _, trial := range trials(build("clamped", ""), build("unclamped", "mcp20260728")) {
		t.Run(trial.name(), func(t *testing.T) {
			r, err := s.judge(t.Context(), trial, filepath.Join(folder, trial.name()), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]judgement)
			for _, j := range r.judgements {
				got[j.name] = j
			}
			for name, verdict := range want[trial.revision] {
				if got[name].verdict != verdict {
					t.Errorf("%s: got %q, want %q; checks %+v", name, got[name].verdict, verdict, got[name].checks)
				}
			}
			if r.isFit() {
				t.Error("the server is fit")
			}
			if len(r.problems)+len(r.findings.Faults) > 0 {
				t.Errorf("got problems %q and faults %q, want none", r.problems, r.findings.Faults)
			}
			if t.Failed() {
				r.print(os.Stdout)
			}
		})
	}
}
