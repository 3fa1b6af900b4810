package config

import (
	"errors"
	"fmt"
	"strings"
)

const maxDotenv = 1 << 20

// readDotenv gives the variables of a file, in its order. The error names the
// file and, where it is not written as it should be, the line; it never has
// anything that the file says in it.
func readDotenv(path string) ([]EnvironmentVariable, error) {
	data, err := readRegular(path, maxDotenv)
	if err != nil {
		return nil, err
	}
	variables, err := parseDotenv(data)
	if err != nil {
		return nil, fmt.Errorf("%s, %w", path, err)
	}
	return variables, nil
}

// parseDotenv reads lines of these forms:
//
//	# a comment
//	NAME=value # a comment, after a space
//	export NAME=value
//	NAME='a text, in which nothing is special'
//	NAME="a text with \n, \r, \t, \" and \\"
//
// A text in quotes may go over several lines. Spaces around a name and around a
// value that is not in quotes do not count. There are no references in values.
// Of a name that occurs twice the last value holds, as in a shell.
func parseDotenv(data []byte) ([]EnvironmentVariable, error) {
	d := &dotenv{text: string(withoutMark(data)), line: 1, places: map[string]int{}}
	at := invalidUTF8([]byte(d.text))
	if at < 0 {
		at = strings.IndexByte(d.text, 0)
	}
	if at >= 0 {
		return nil, fmt.Errorf("line %d: expected UTF-8 without NUL characters; save the file as UTF-8", 1+strings.Count(d.text[:at], "\n"))
	}
	for d.text != "" {
		if err := d.readLine(); err != nil {
			return nil, err
		}
	}
	return d.variables, nil
}

// dotenv is a file that is being read.
type dotenv struct {
	text      string // what is yet to be read
	line      int    // where that begins
	variables []EnvironmentVariable
	places    map[string]int // in variables, by name
}

// readLine reads one line, or several if a value goes over them.
func (d *dotenv) readLine() error {
	first := d.line
	line, _, _ := strings.Cut(d.text, "\n")
	if content := strings.TrimSpace(line); content == "" || content[0] == '#' {
		d.skip(len(line))
		d.endLine()
		return nil
	}
	name, _, hasValue := strings.Cut(line, "=")
	if !hasValue {
		return fmt.Errorf("line %d: expected NAME=value", first)
	}
	d.skip(len(name) + 1)
	name = strings.TrimSpace(name)
	if rest, ok := strings.CutPrefix(name, "export"); ok && rest != strings.TrimSpace(rest) {
		name = strings.TrimSpace(rest)
	}
	if !isVariableName(name) {
		return fmt.Errorf("line %d: expected a name of letters, digits, _, . and - before the =", first)
	}
	value, err := d.readValue()
	if err != nil {
		return fmt.Errorf("line %d: %w", first, err)
	}
	d.set(name, value)
	return nil
}

func (d *dotenv) set(name, value string) {
	if at, ok := d.places[name]; ok {
		d.variables[at].Value = value
		return
	}
	d.places[name] = len(d.variables)
	d.variables = append(d.variables, EnvironmentVariable{Name: name, Value: value})
}

// skip goes on within the text, and counts the lines.
func (d *dotenv) skip(length int) {
	d.line += strings.Count(d.text[:length], "\n")
	d.text = d.text[length:]
}

// endLine skips the end of the line, if there is one.
func (d *dotenv) endLine() {
	if d.text != "" {
		d.skip(1)
	}
}

// readValue reads what follows the =, to the end of the line.
func (d *dotenv) readValue() (string, error) {
	d.skip(len(d.text) - len(strings.TrimLeft(d.text, " \t")))
	if d.text == "" || d.text[0] != '"' && d.text[0] != '\'' {
		line, _, _ := strings.Cut(d.text, "\n")
		d.skip(len(line))
		d.endLine()
		return strings.TrimSpace(withoutComment(line)), nil
	}
	length := quotedLength(d.text)
	if length == 0 {
		return "", errors.New("the quote that the value begins with is not closed")
	}
	quoted := d.text[:length]
	d.skip(length)
	rest, _, _ := strings.Cut(d.text, "\n")
	if after := strings.TrimSpace(rest); after != "" && after[0] != '#' {
		return "", errors.New("expected the end of the line, or a comment, after the value in quotes")
	}
	d.skip(len(rest))
	d.endLine()
	if quoted[0] == '\'' {
		return quoted[1 : length-1], nil
	}
	return unescaped.Replace(quoted[1 : length-1]), nil
}

// withoutComment cuts a line at a # that begins it or follows a space.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// quotedLength gives the length of the quoted text that a text begins with, or
// 0 if it has no end.
func quotedLength(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return 0
}

// unescaped replaces the escapes of a text in double quotes. What follows any
// other backslash stays as it is, with it.
var unescaped = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`)

func isVariableName(name string) bool {
	isOther := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '.' || r == '-')
	}
	return name != "" && len(name) <= maxName && strings.IndexFunc(name, isOther) < 0
}
