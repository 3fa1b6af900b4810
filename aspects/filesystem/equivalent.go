package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var errAmbiguous = errors.New("could be several files, whose names look the same and differ in Unicode characters")

// equivalent finds the entry of a directory whose name is a missing one in other
// Unicode characters for the same letters: "ü" is one character or two. People
// and models cannot tell them apart. The part is given back with fs.ErrNotExist
// where there is none.
func (w *walk) equivalent(directory *os.Root, part string) (found string, err error) {
	if isASCII(part) {
		return part, fs.ErrNotExist
	}
	wanted, count := norm.NFC.String(part), 0
	var reader entryReader
	defer reader.close()
	err = reader.readAll(w.access.ctx, directory, ".", "", func(entries []entry) bool {
		for _, candidate := range entries {
			if !isASCII(candidate.name) && norm.NFC.String(candidate.name) == wanted {
				found = candidate.name
				count++
			}
		}
		return count < 2
	})
	switch {
	case count > 1:
		return part, errAmbiguous
	case count == 0 || err != nil:
		return part, fs.ErrNotExist
	}
	return found, nil
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
