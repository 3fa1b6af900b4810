package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// suitePatience is how long the suite may take for one requirement set.
const suitePatience = 3 * time.Minute

// suite is the official conformance suite, a program for Node.js.
type suite struct {
	node    string
	program string
}

// scenario is one of the suite's, as a requirement set lists it.
type scenario struct {
	name     string
	isScored bool
	reason   string // why it is not
}

// check is one thing that a scenario looked at.
type check struct {
	ID           string `json:"id"`
	Status       status `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// status is what the suite says of a check. It has INFO as well.
type status string

const (
	success status = "SUCCESS"
	failure status = "FAILURE"
	warning status = "WARNING" // what should be is not
	skipped status = "SKIPPED"
)

// isGood reports whether the check succeeded and says something of the server: a
// server that does nothing right passes the one that its messages are valid, which
// nearly every scenario has.
func (c check) isGood() bool { return c.Status == success && c.ID != "wire-schema-valid" }

// isBad reports whether the check was not passed.
func (c check) isBad() bool {
	return c.Status == failure || c.Status == warning || c.Status == skipped
}

// requirements lists the scenarios for servers in a revision's requirement set.
func (s suite) requirements(ctx context.Context, revision string) ([]scenario, error) {
	list := exec.CommandContext(ctx, s.node, s.program, "list", "--requirements", revision)
	output, err := list.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("listing the scenarios for %s: %w", revision, err)
	}
	return parseRequirements(string(output)), nil
}

var (
	heading  = regexp.MustCompile(`^(Server scenarios|Client scenarios|Run and reported)\b`)
	unscored = regexp.MustCompile(`^  (\S+) \(\d+\):$`)
	listed   = regexp.MustCompile(`^ +- (\S+)(?: \[(server|client)\])?$`)
)

// parseRequirements reads what the suite prints for people: two lists of what is
// scored, for servers and for clients, and then one of what is not, by reasons.
func parseRequirements(text string) []scenario {
	var all []scenario
	var under, reason string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if found := heading.FindStringSubmatch(line); found != nil {
			under = found[1]
		}
		if found := unscored.FindStringSubmatch(line); found != nil {
			reason = found[1]
		}
		found := listed.FindStringSubmatch(line)
		switch {
		case found == nil:
		case under == "Server scenarios":
			all = append(all, scenario{name: found[1], isScored: true})
		case under == "Run and reported" && found[2] == "server":
			all = append(all, scenario{name: found[1], reason: reason})
		}
	}
	return all
}

// run runs a requirement set against the server at a URL. What it finds goes to
// one folder, what it prints into a file. It reports whether the suite itself is
// content.
func (s suite) run(ctx context.Context, url, revision, folder, printed string) (isContent bool, err error) {
	log, err := os.Create(printed)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, suitePatience, fmt.Errorf("the suite has not ended within %v", suitePatience))
	defer cancel()
	command := exec.CommandContext(ctx, s.node, s.program, "server", "--url", url, "--requirements", revision, "--output-dir", folder)
	command.Stdout, command.Stderr = log, log
	err = errors.Join(command.Run(), log.Close())
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return false, nil // it ends so if a scored scenario fails
	}
	return err == nil, err
}

// validator is the client tests' judge of recorded conversations. It holds each
// message to the official schema of its revision, and allows no members that the
// schema does not name.
const validator = clientTests + "/validate.mjs"

// violations lists what is not valid in the conversations in a folder.
func (s suite) violations(ctx context.Context, recordings string) ([]string, error) {
	output, err := exec.CommandContext(ctx, s.node, validator, recordings).Output()
	if err == nil {
		return nil, nil
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	if !ended || exit.ExitCode() != 1 {
		return nil, fmt.Errorf("checking the conversations in %s: %w", recordings, err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

// resultFolder is the name of a folder that has the checks of one scenario.
var resultFolder = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// readChecks reads what a run has found, by scenario.
func readChecks(folder string) (map[string][]check, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("what the suite found: %w", err)
	}
	found := make(map[string][]check)
	for _, entry := range entries {
		name := resultFolder.FindStringSubmatch(entry.Name())
		if name == nil {
			continue
		}
		path := filepath.Join(folder, entry.Name(), "checks.json")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("what the suite found: %w", err)
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		found[name[1]] = append(found[name[1]], checks...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no results: the suite has run nothing", folder)
	}
	return found, nil
}
