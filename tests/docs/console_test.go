//go:build unix

package docs

import (
	"crypto/rand"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestConsoleBlocksAreTrue runs the commands of all documents, one after the
// other, in a fresh copy of the repository.
func TestConsoleBlocksAreTrue(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "repository")
	copyRepository(t, folder)
	temporary := t.TempDir()
	environment := newEnvironment(t, temporary)
	unused := make(map[string]bool)
	for command := range notRun {
		unused[command] = true
	}
	for _, document := range documents(t) {
		for _, b := range blocks(t, document, "console") {
			for _, s := range steps(t, b) {
				if _, exempt := notRun[s.command]; exempt {
					delete(unused, s.command)
					continue
				}
				removeAspect(t, folder, s.command)
				shell := exec.Command("bash", "-c", s.command)
				shell.Dir, shell.Env = folder, environment
				output, err := shell.CombinedOutput()
				printed := strings.ReplaceAll(string(output), temporary, "/tmp")
				if err != nil || !matches(s.output, printed) {
					t.Errorf("%s:%d: $ %s (%v) printed\n%s\nwant\n%s", b.document, b.line, s.command, err, printed, s.output)
				}
			}
		}
	}
	for command := range unused {
		t.Errorf("no document shows %q, so it needs no exemption", command)
	}
}

var newAspect = regexp.MustCompile(`^make aspect NAME=([A-Za-z0-9]+)$`)

// removeAspect removes, from the copy, the aspect that a command is to make: who
// has followed the document has it already.
func removeAspect(t *testing.T, folder, command string) {
	t.Helper()
	made := newAspect.FindStringSubmatch(command)
	if made == nil {
		return
	}
	for _, path := range []string{filepath.Join("aspects", made[1]), filepath.Join("cmd", "MCPServer_"+made[1])} {
		if err := os.RemoveAll(filepath.Join(folder, path)); err != nil {
			t.Fatal(err)
		}
	}
}

// step is a command and what it prints.
type step struct{ command, output string }

func steps(t *testing.T, b block) []step {
	t.Helper()
	var all []step
	for line := range strings.Lines(b.text) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isCommand:
			all = append(all, step{command: strings.TrimSpace(command)})
		case len(all) == 0:
			t.Fatalf("%s:%d: the block does not begin with a command", b.document, b.line)
		default:
			all[len(all)-1].output += line
		}
	}
	return all
}

// files lists what belongs to the repository: neither its history nor what was
// built or fetched.
func files(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "build", "node_modules"}, entry.Name()):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		relative, err := filepath.Rel(root, path)
		paths = append(paths, relative)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func copyRepository(t *testing.T, folder string) {
	t.Helper()
	for _, path := range files(t) {
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, content, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// newEnvironment gives the environment of a person's shell: nothing of the make
// that may have started this test. With -trimpath, packages that the build cache
// has are not compiled again because the copy lies elsewhere. With a key in it,
// servers make no file for one in the person's configuration folder.
func newEnvironment(t *testing.T, temporary string) []string {
	t.Helper()
	goFlags, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	ofMake := []string{
		"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "CFG", "NAME", "FUZZTIME",
		"ClampMCPProtocolVersion_20251125", "IncludePromptTools", "GOFLAGS", "TMPDIR",
	}
	environment := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(ofMake, name)
	})
	return append(environment, "TMPDIR="+temporary, "MCPSERVER_STATE_KEY="+rand.Text(), "GOFLAGS="+strings.TrimSpace(string(goFlags))+" -trimpath")
}

// announcement is the line about the trace file.
var announcement = regexp.MustCompile(`(?m)^trace: .*\n`)

// matches reports whether a command printed what a document shows.
func matches(shown, printed string) bool {
	return matchesText(announcement.ReplaceAllString(shown, ""), announcement.ReplaceAllString(printed, "")) &&
		matchesText(lines(announcement, shown), lines(announcement, printed))
}

func lines(pattern *regexp.Regexp, text string) string {
	return strings.Join(pattern.FindAllString(text, -1), "")
}

var placeholders = strings.NewReplacer(
	`\.\.\.`+"\n", `(?:.*\n)*`,
	`…`, `.*`,
	`<pid>`, `[0-9]+`,
	`<time>`, `(?:[0-9.]+s|\(cached\))`,
)

func matchesText(shown, printed string) bool {
	return regexp.MustCompile(`^` + placeholders.Replace(regexp.QuoteMeta(shown)) + `$`).MatchString(printed)
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		shown, printed string
		want           bool
	}{
		{"", "", true},
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n", "", false},
		{"", "a\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n...\nd\n", "a\nd\n", true},
		{"a\n...\nd\n", "a\nb\nc\n", false},
		{"x…z\n", "xyz\n", true},
		{"x…z\n", "xy\nz\n", false},
		{"a.b\n", "axb\n", false},
		{"end <pid>.\n", "end 42.\n", true},
		{"end <pid>.\n", "end of.\n", false},
		{"ok <time>\n", "ok 0.012s\n", true},
		{"ok <time>\n", "ok (cached)\n", true},
		{"ok <time>\n", "ok soon\n", false},
		{"trace: x\na\nb\n", "a\ntrace: x\nb\n", true},
		{"a\nb\n", "a\ntrace: x\nb\n", false},
		{"trace: x\na\n", "a\n", false},
		{"trace: x\na\nb\n", "trace: x\nb\na\n", false},
	} {
		if got := matches(test.shown, test.printed); got != test.want {
			t.Errorf("matches(%q, %q) = %t, want %t", test.shown, test.printed, got, test.want)
		}
	}
}
