package house

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// forbidden are notes to oneself, which belong into a tracker. They are put
// together here so that this file does not have them.
var forbidden = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

// notOurs are folders and files that nobody writes by hand.
var notOurs = []string{".git", "build", "node_modules", "go.sum", "package-lock.json"}

func TestTextHasNoNotesToOneself(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(notOurs, entry.Name()) && entry.IsDir():
			return filepath.SkipDir
		case slices.Contains(notOurs, entry.Name()) || !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for number, line := range bytes.Split(content, []byte("\n")) {
			if word := forbidden.Find(line); word != nil {
				t.Errorf("%s:%d: %s", path, number+1, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
