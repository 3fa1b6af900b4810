package config

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// maxExpanded is how long the values of an entry may become together.
	maxExpanded = 1 << 20
	// maxReferences is how deep defaults may have references in them.
	maxReferences = 10
)

// expansion writes texts with what their references stand for. It stops at the
// first error, and no error has a value in it.
type expansion struct {
	// value gives what the name in a reference stands for. Its error says what
	// to do; with isSet false it is the error for a reference without a default.
	value func(name string) (text string, isSet bool, err error)
	// left is how many bytes may still be written.
	left int
	out  strings.Builder
}

// expand gives a text with what its references stand for.
func (x *expansion) expand(text string) (string, error) {
	x.out.Reset()
	if err := x.write(text, 0); err != nil {
		return "", err
	}
	return x.out.String(), nil
}

func (x *expansion) write(text string, depth int) error {
	for {
		before, after, found := strings.Cut(text, "$")
		if err := x.add(before); err != nil || !found {
			return err
		}
		text = after
		if rest, ok := strings.CutPrefix(text, "{"); ok {
			reference, rest, ok := cutReference(rest)
			if !ok {
				return errors.New("a ${ is not closed; close it with }, or write $$ for a dollar")
			}
			if err := x.reference(reference, depth); err != nil {
				return err
			}
			text = rest
			continue
		}
		text = strings.TrimPrefix(text, "$") // the second of $$
		if err := x.add("$"); err != nil {
			return err
		}
	}
}

func (x *expansion) add(text string) error {
	if len(text) > x.left {
		return fmt.Errorf("the values of the server become longer than %d MiB together", maxExpanded>>20)
	}
	x.left -= len(text)
	x.out.WriteString(text)
	return nil
}

// cutReference cuts a text that follows "${" at the } that closes it, which is
// not one of a reference within.
func cutReference(text string) (reference, rest string, ok bool) {
	for at, open := 0, 1; at < len(text); at++ {
		switch {
		case strings.HasPrefix(text[at:], "$$"):
			at++
		case strings.HasPrefix(text[at:], "${"):
			open++
			at++
		case text[at] == '}':
			if open--; open == 0 {
				return text[:at], text[at+1:], true
			}
		}
	}
	return "", "", false
}

// reference writes what one reference stands for, or its default.
func (x *expansion) reference(reference string, depth int) error {
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	text, isSet, err := x.value(name)
	switch {
	case err != nil && (isSet || !hasFallback):
		return err
	case !hasFallback || isSet && text != "":
		return x.add(text)
	case depth == maxReferences:
		return fmt.Errorf("defaults stand more than %d deep in each other", maxReferences)
	}
	return x.write(fallback, depth+1)
}
