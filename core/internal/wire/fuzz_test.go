package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// transcribed gives what clients and servers say in the transcripts.
func transcribed(f *testing.F) (lines []string) {
	paths, err := filepath.Glob("../../../tests/transcripts/testdata/*.txt")
	if err != nil || len(paths) == 0 {
		f.Fatalf("there are no transcripts: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "< ") {
				lines = append(lines, strings.TrimSuffix(line[2:], "\n"))
			}
		}
	}
	return lines
}

func FuzzScan(f *testing.F) {
	for _, line := range transcribed(f) {
		f.Add(line)
	}
	for _, text := range validTexts {
		f.Add(text)
	}
	for _, test := range invalidTexts {
		f.Add(test.text)
	}
	s := NewScanner(testDepth)
	f.Fuzz(func(t *testing.T, line string) {
		var m Message
		err := s.Scan(line, &m)
		valid := utf8.ValidString(line) && json.Valid([]byte(line))
		if valid != (err == nil) {
			t.Fatalf("Scan(%q) = %v, but valid by encoding/json: %t", line, err, valid)
		}
		if err != nil {
			checkPartialView(t, line, &m)
			return
		}
		if want := strings.Trim(line, " \t\r\n"); m.Root.Raw != want {
			t.Errorf("Root of %q = %q, want %q", line, m.Root.Raw, want)
		}
		want := referenceView(t, line)
		want.Root = m.Root
		if !reflect.DeepEqual(m, *want) {
			t.Errorf("view of %q =\n%+v, want\n%+v", line, m, *want)
		}
		if m.Root.Kind == Object {
			for name, got := range map[string]Value{"id": m.ID, "method": m.Method, "params": m.Params} {
				if want := gjson.Get(line, name).Raw; got.Raw != want {
					t.Errorf("%s of %q = %q, gjson has %q", name, line, got.Raw, want)
				}
			}
		}
		if m.Root.Kind == Array {
			checkElements(t, m.Root.Raw)
		}
	})
}

// checkPartialView checks that what the view of a faulty line has is JSON.
func checkPartialView(t *testing.T, line string, m *Message) {
	t.Helper()
	values := []Value{m.JSONRPC, m.ID, m.Method, m.Params, m.Result, m.Error}
	for _, member := range slices.Concat(m.ParamMembers, m.Meta, m.Arguments) {
		values = append(values, member.Value)
	}
	for _, v := range values {
		if v.Kind != Absent && !json.Valid([]byte(v.Raw)) {
			t.Errorf("the view of %q has %q", line, v.Raw)
		}
	}
	if m.Root.Kind != Absent {
		t.Errorf("the view of %q has a root", line)
	}
}

func checkElements(t *testing.T, array string) {
	t.Helper()
	var want []json.RawMessage
	if err := json.Unmarshal([]byte(array), &want); err != nil {
		t.Fatalf("Unmarshal(%q): %v", array, err)
	}
	got, ok := Elements(array, len(want))
	same := slices.EqualFunc(got, want, func(a string, b json.RawMessage) bool { return a == string(b) })
	if !ok || !same {
		t.Errorf("Elements(%q) = %q, %t, want %q", array, got, ok, want)
	}
}

// referenceView is the view of a valid line by way of encoding/json, but for
// its root.
func referenceView(t *testing.T, line string) *Message {
	t.Helper()
	m := new(Message)
	members, ok := referenceMembers(t, line)
	if !ok {
		return m
	}
	seen := make(map[string]bool)
	for _, member := range members {
		if member.Name == "params" && !seen["params"] {
			referenceParams(t, m, member.Value.Raw)
		}
		if seen[member.Name] {
			m.noteDuplicate(InMessage, member.Name)
		} else if slot := m.slot(member.Name); slot != nil {
			*slot = member.Value
		}
		seen[member.Name] = true
	}
	return m
}

func referenceParams(t *testing.T, m *Message, params string) {
	t.Helper()
	members, _ := referenceMembers(t, params)
	seen := make(map[string]bool)
	for _, member := range members {
		switch {
		case seen[member.Name]:
			m.noteDuplicate(InParams, member.Name)
		case member.Name == "_meta":
			m.Meta, _ = referenceMembers(t, member.Value.Raw)
			noteFirstDuplicate(m, InMeta, m.Meta)
		case member.Name == "arguments":
			m.Arguments, _ = referenceMembers(t, member.Value.Raw)
			noteFirstDuplicate(m, InArguments, m.Arguments)
		}
		seen[member.Name] = true
	}
	m.ParamMembers = members
}

func noteFirstDuplicate(m *Message, scope Scope, members []Member) {
	seen := make(map[string]bool)
	for _, member := range members {
		if seen[member.Name] {
			m.noteDuplicate(scope, member.Name)
		}
		seen[member.Name] = true
	}
}

// referenceMembers lists the members of an object; ok is false for another
// value.
func referenceMembers(t *testing.T, object string) (members []Member, ok bool) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatalf("encoding/json on %q: %v", object, err)
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			t.Fatalf("encoding/json on %q: %v", object, err)
		}
		value := referenceValue(t, string(raw))
		members = append(members, Member{Name: name.(string), Value: value})
	}
	return members, true
}

// referenceValue gives the value of a valid text, and checks its decoding.
func referenceValue(t *testing.T, raw string) Value {
	t.Helper()
	kinds := map[byte]Kind{'n': Null, 't': True, 'f': False, '"': String, '{': Object, '[': Array}
	kind, ok := kinds[raw[0]]
	if !ok {
		kind = Number
	}
	v := Value{Kind: kind, Raw: raw}
	if kind == String {
		v.Escaped = strings.Contains(raw, `\`)
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatalf("encoding/json on %q: %v", raw, err)
		}
		if got := v.Text(); got != want {
			t.Errorf("Text of %s = %q, encoding/json has %q", raw, got, want)
		}
	}
	return v
}

func FuzzReader(f *testing.F) {
	lines := transcribed(f)
	for i := 0; i+8 < len(lines); i += 8 {
		f.Add([]byte(strings.Join(lines[i:i+8], "\n")), []byte{7, 100}, uint8(255))
	}
	for _, test := range readerTexts {
		f.Add([]byte(test.text), []byte{1, 0, 2, 5}, uint8(readerTextsLimit))
	}
	f.Add([]byte("\xEF\xBB\xBF{\"a\":\"ä\"}\r\n\r\n{}"), []byte{1}, uint8(200))
	f.Fuzz(func(t *testing.T, input, cuts []byte, maxLine uint8) {
		source := new(script)
		rest := string(input)
		for i := 0; rest != "" && len(cuts) > 0; i++ {
			// Of the empty reads that a cut of 0 asks for, one a round is made.
			n := min(int(cuts[i%len(cuts)]), len(rest))
			if n == 0 && i%len(cuts) == 0 {
				n = 1
			}
			if i%(maxEmptyReads/2) == 0 {
				n = min(max(n, 1), len(rest))
			}
			source.gives = append(source.gives, give{data: rest[:n]})
			rest = rest[n:]
		}
		source.gives = append(source.gives, give{data: rest, err: io.EOF})

		got, err := readAll(t, NewReader(source, int(maxLine)))
		want := referenceLines(input, int(maxLine))
		if !slices.Equal(got, want) || err != io.EOF {
			t.Errorf("lines of %q cut by %v, limit %d = %q, %v, want %q, EOF", input, cuts, maxLine, got, err, want)
		}
	})
}

// referenceLines gives what readAll should.
func referenceLines(input []byte, maxLine int) (lines []string) {
	for _, line := range bytes.Split(input, []byte("\n")) {
		text := bytes.TrimPrefix(line, []byte(byteOrderMark))
		switch {
		case len(line) > maxLine:
			line = bytes.TrimPrefix(line[:maxLine], []byte(byteOrderMark))
			lines = append(lines, "TOO LONG "+string(line))
		case len(bytes.Trim(text, " \t\r")) > 0:
			lines = append(lines, string(bytes.TrimSuffix(text, []byte("\r"))))
		}
	}
	return lines
}

func FuzzAppendString(f *testing.F) {
	for _, test := range plainTexts {
		f.Add(test.text)
	}
	f.Fuzz(checkString)
}

func FuzzAppendFloat(f *testing.F) {
	for _, n := range floats {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n float64) {
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			checkFloat(t, n)
		}
	})
}

func FuzzAppendCompact(f *testing.F) {
	for _, text := range validTexts {
		f.Add(text)
	}
	for _, test := range invalidTexts {
		f.Add(test.text)
	}
	f.Fuzz(checkCompact)
}

// checkCompact checks that AppendCompact and encoding/json agree on raw.
func checkCompact(t *testing.T, raw string) {
	t.Helper()
	got, err := AppendCompact(nil, raw)
	// By the way of runes U+FFFD comes in for what is not valid UTF-8.
	mended := string([]rune(raw))
	var want bytes.Buffer
	wantErr := json.Compact(&want, []byte(mended))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("AppendCompact(%q) = %v, json.Compact: %v", raw, err, wantErr)
	}
	if err != nil {
		var syntax *SyntaxError
		var depth *DepthError
		if len(got) > 0 || !errors.As(err, &syntax) && !errors.As(err, &depth) {
			t.Errorf("AppendCompact(%q) = %q, %T", raw, got, err)
		}
		return
	}
	if string(got) != want.String() {
		t.Errorf("AppendCompact(%q) = %q, want %q", raw, got, want.String())
	}
	if err := NewScanner(compactDepth).Scan(string(got), new(Message)); err != nil {
		t.Errorf("AppendCompact(%q) = %q, which is no line: %v", raw, got, err)
	}
}

func FuzzNumbers(f *testing.F) {
	for _, test := range numberTexts {
		f.Add(test.raw)
	}
	s := NewScanner(1)
	f.Fuzz(func(t *testing.T, raw string) {
		var m Message
		if s.Scan(raw, &m) != nil || m.Root.Kind != Number {
			return
		}
		v := m.Root
		n, fits := v.Int()
		integer := v.IsInteger()
		if f, ok := v.Float(); ok {
			var want float64
			if err := json.Unmarshal([]byte(raw), &want); err != nil || f != want {
				t.Errorf("Float of %s = %g, encoding/json has %g, %v", raw, f, want, err)
			}
		}
		if fits && !integer {
			t.Errorf("%s: Int is %d, but it is no integer", raw, n)
		}
		if len(raw) > 1000 || slices.ContainsFunc(strings.FieldsFunc(raw, isExponentMark)[1:], isLongExponent) {
			return // beyond what math/big expands in reasonable time
		}
		exact, ok := new(big.Rat).SetString(strings.TrimSpace(raw))
		if !ok {
			t.Fatalf("math/big does not read %s", raw)
		}
		if integer != exact.IsInt() {
			t.Errorf("IsInteger of %s = %t, math/big has %t", raw, integer, exact.IsInt())
		}
		if want := exact.IsInt() && exact.Num().IsInt64(); fits != want || fits && n != exact.Num().Int64() {
			t.Errorf("Int of %s = %d, %t, math/big has %s", raw, n, fits, exact)
		}
	})
}

func isExponentMark(r rune) bool { return r == 'e' || r == 'E' }

func isLongExponent(exponent string) bool {
	return len(strings.TrimLeft(exponent, "+-0")) > 3
}
