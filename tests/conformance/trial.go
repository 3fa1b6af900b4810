package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcpserver/tests/conformance/bridge"
)

// trial is one requirement set for one build of the server.
type trial struct {
	build    string
	server   string // its program
	revision string // whose requirements it is to meet
	scored   int    // how many scored scenarios those have
}

// name is that of the trial's folder.
func (t trial) name() string { return t.build + "-" + t.revision }

func trials(clamped, unclamped string) []trial {
	return []trial{
		{"clamped", clamped, "2025-11-25", 30},
		{"unclamped", unclamped, "2025-11-25", 30},
		{"unclamped", unclamped, "2026-07-28", 37},
	}
}

// judge has the suite judge a server. What the trial leaves behind goes into a
// folder. An error says that there is no judgement.
func (s suite) judge(ctx context.Context, t trial, folder string, all exceptions) (report, error) {
	required, err := s.requirements(ctx, t.revision)
	if err != nil {
		return report{}, err
	}
	e, err := s.examine(ctx, t, folder)
	if err != nil {
		return report{}, err
	}
	r := report{trial: t, findings: e.findings}
	for _, required := range required {
		checks, ran := e.checks[required.name]
		r.judgements = append(r.judgements, judgeScenario(required, checks, ran, all.has(t.revision, required.name)))
	}
	scored, passing := r.count(isScored), r.count(isScored, hasPassed)
	if scored != t.scored {
		r.problems = append(r.problems, fmt.Sprintf("the suite requires %d scenarios, %d are expected", scored, t.scored))
	}
	if scored == passing && !e.isContent {
		r.problems = append(r.problems, "the suite itself is not content: see suite.log")
	}
	r.problems = slices.Concat(r.problems, all.unknown(t.revision, required), e.violations)
	return r, nil
}

// examination is what came to light about a server.
type examination struct {
	isContent  bool               // so the suite said when it ended
	checks     map[string][]check // of the scenarios that ran
	findings   bridge.Findings
	violations []string // of the official schemas
}

// examine runs the suite against a server behind a bridge.
func (s suite) examine(ctx context.Context, t trial, folder string) (examination, error) {
	server, err := filepath.Abs(t.server)
	if err != nil {
		return examination{}, err
	}
	if _, err := os.Stat(server); err != nil {
		return examination{}, fmt.Errorf("the server: %w", err)
	}
	checks, recordings, home := filepath.Join(folder, "checks"), filepath.Join(folder, "recordings"), filepath.Join(folder, "home")
	for _, path := range []string{checks, recordings, home} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return examination{}, err
		}
	}
	stderr, err := os.Create(filepath.Join(folder, "server.log"))
	if err != nil {
		return examination{}, err
	}
	b := bridge.New(bridge.Options{Command: []string{server}, Environment: environment(home), Stderr: stderr, Recordings: recordings})

	var e examination
	run := func(url string) (err error) {
		e.isContent, err = s.run(ctx, url, t.revision, checks, filepath.Join(folder, "suite.log"))
		return err
	}
	err = whileServing(b, run)
	findings, closed := b.Close()
	e.findings = findings
	if err := errors.Join(err, closed, stderr.Close()); err != nil {
		return examination{}, err
	}
	if e.checks, err = readChecks(checks); err != nil {
		return examination{}, err
	}
	e.violations, err = s.violations(ctx, recordings)
	return e, err
}

// environment is ours, but servers leave traces and keys in a folder of the trial.
func environment(home string) []string {
	home, err := filepath.Abs(home)
	if err != nil {
		panic(err) // it has been made
	}
	environment := os.Environ()
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP", "HOME", "XDG_CONFIG_HOME", "APPDATA"} {
		environment = append(environment, variable+"="+home)
	}
	return environment
}

// whileServing serves the path /mcp on a port of this machine until do returns.
func whileServing(handler http.Handler, do func(url string) error) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = do("http://" + listener.Addr().String() + "/mcp")
	closed := server.Close()
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		closed = errors.Join(closed, served)
	}
	return errors.Join(err, closed)
}
