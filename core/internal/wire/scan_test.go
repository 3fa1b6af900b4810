package wire

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// scan gives the view of a line that must be valid.
func scan(t *testing.T, line string) *Message {
	t.Helper()
	var m Message
	if err := NewScanner(testDepth).Scan(line, &m); err != nil {
		t.Fatalf("Scan(%.200q) = %v, want nil", line, err)
	}
	return &m
}

func TestScanAccepts(t *testing.T) {
	for _, text := range validTexts {
		want := strings.Trim(text, " \t\r\n")
		if got := scan(t, text).Root.Raw; got != want {
			t.Errorf("Scan(%q): Root.Raw = %q, want %q", text, got, want)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	s := NewScanner(testDepth)
	for _, test := range invalidTexts {
		var m Message
		want := SyntaxError{Offset: test.offset, Reason: test.fault.reason()}
		err := s.Scan(test.text, &m)
		var got *SyntaxError
		if !errors.As(err, &got) || *got != want {
			t.Errorf("Scan(%q) = %v, want %v", test.text, err, &want)
		}
		if m.Root.Kind != Absent {
			t.Errorf("Scan(%q): Root = %+v, want none", test.text, m.Root)
		}
	}
}

// The same faults deep inside a message are found by the other half of the
// scanner: the one that does not look into values.
func TestScanRefusesInside(t *testing.T) {
	s := NewScanner(testDepth)
	for _, around := range []struct{ before, after string }{
		{`{"x":[`, `]}`},
		{`{"params":{"arguments":{"x":{"y":`, `}}}}`},
		{`[[{"x":1,"y":`, `}]]`},
	} {
		for _, test := range invalidTexts {
			line := around.before + test.text + around.after
			if test.fault == cutOff || test.text[0] == ']' || test.text[0] == '}' {
				continue // the text behind may complete or explain these
			}
			var m Message
			var got *SyntaxError
			if err := s.Scan(line, &m); !errors.As(err, &got) {
				t.Errorf("Scan(%q) = %v, want a SyntaxError", line, err)
			}
		}
		for _, text := range validTexts {
			line := around.before + text + around.after
			if err := s.Scan(line, new(Message)); err != nil {
				t.Errorf("Scan(%q) = %v, want nil", line, err)
			}
		}
	}
}

func TestErrorsAreShortSentences(t *testing.T) {
	for _, test := range []struct {
		line, want string
	}{
		{`{"a":1,}`, "invalid JSON at byte 7: a member name in quotation marks is missing"},
		{`{"a":[[]]}`, "JSON is nested deeper than 2 levels at byte 6"},
	} {
		err := NewScanner(2).Scan(test.line, new(Message))
		if err == nil || err.Error() != test.want {
			t.Errorf("Scan(%q) = %v, want %q", test.line, err, test.want)
		}
	}
	for f := cutOff; f <= tooDeep; f++ {
		if reason := f.reason(); reason == tooDeep.reason() && f != tooDeep {
			t.Errorf("fault %d has no reason of its own", f)
		}
	}
}

func TestViewOfMessage(t *testing.T) {
	m := scan(t, ` { "jsonrpc" : "2.0" , "id":1.0, "method":"tools\/call", "extra":[1], "result":{"a":[]},"error":null, "params": {"name":"n","_meta":{"progressToken":"t","a/b":1},"arguments":{"x":[1,{"y":2}],"\u00e4":true},"z":false} } `)
	members := func(pairs ...string) (list []Member) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, Member{Name: pairs[i], Value: scan(t, pairs[i+1]).Root})
		}
		return list
	}
	meta := `{"progressToken":"t","a/b":1}`
	arguments := `{"x":[1,{"y":2}],"\u00e4":true}`
	want := Message{
		Root:         m.Root,
		JSONRPC:      Value{Kind: String, Raw: `"2.0"`},
		ID:           Value{Kind: Number, Raw: `1.0`},
		Method:       Value{Kind: String, Escaped: true, Raw: `"tools\/call"`},
		Params:       Value{Kind: Object, Raw: `{"name":"n","_meta":` + meta + `,"arguments":` + arguments + `,"z":false}`},
		Result:       Value{Kind: Object, Raw: `{"a":[]}`},
		Error:        Value{Kind: Null, Raw: `null`},
		ParamMembers: members("name", `"n"`, "_meta", meta, "arguments", arguments, "z", "false"),
		Meta:         members("progressToken", `"t"`, "a/b", `1`),
		Arguments:    members("x", `[1,{"y":2}]`, "ä", "true"),
	}
	if !reflect.DeepEqual(*m, want) {
		t.Errorf("view = %+v\nwant   %+v", *m, want)
	}
	if got := m.Param("z").Kind; got != False {
		t.Errorf("Param(z).Kind = %d, want %d", got, False)
	}
	if got := m.Param("nope").Kind; got != Absent {
		t.Errorf("Param(nope).Kind = %d, want %d", got, Absent)
	}
}

func TestKinds(t *testing.T) {
	for text, want := range map[string]Kind{
		`null`: Null, `false`: False, `true`: True, `-1e5`: Number, `"s"`: String, `{}`: Object, `[]`: Array,
	} {
		if got := scan(t, text).Root.Kind; got != want {
			t.Errorf("kind of %s = %d, want %d", text, got, want)
		}
		if got := scan(t, `{"id":`+text+`}`).ID; got != (Value{Kind: want, Raw: text}) {
			t.Errorf("id %s = %+v, want kind %d and the same text", text, got, want)
		}
		if got := scan(t, `{"params":{"arguments":{"x":`+text+`}}}`).Arguments[0].Value; got != (Value{Kind: want, Raw: text}) {
			t.Errorf("argument %s = %+v, want kind %d and the same text", text, got, want)
		}
	}
}

func TestIDsAreEchoedAsSent(t *testing.T) {
	for _, id := range []string{
		`"init-7"`, `"1"`, `1`, `""`, `"ü"`, `0`, `-3`, `9007199254740993`, `18446744073709551615`, `1.0`, `1e2`, `1.5`,
		`"\u0061"`, `null`, `true`, `[1]`, `{"a":1}`,
	} {
		line := `{"jsonrpc":"2.0","id": ` + id + ` ,"method":"ping"}`
		if got := scan(t, line).ID.Raw; got != id {
			t.Errorf("id of %q = %q, want %q", line, got, id)
		}
	}
}

func TestNotAnObjectSetsOnlyRoot(t *testing.T) {
	for _, line := range []string{`5`, `null`, `"x"`, `[]`, `[{"id":1,"method":"ping","params":{"arguments":{"a":1}}}]`} {
		m := scan(t, line)
		if want := (Message{Root: m.Root}); !reflect.DeepEqual(*m, want) {
			t.Errorf("view of %q = %+v, want only the root", line, *m)
		}
	}
}

func TestDuplicates(t *testing.T) {
	for _, test := range []struct {
		line  string
		scope Scope
		name  string
	}{
		{`{"id":1,"method":"m"}`, NoScope, ""},
		{`{"id":1,"id":1}`, InMessage, "id"},
		{`{"\u0069d":1,"id":2}`, InMessage, "id"},
		{`{"id":null,"i\u0064":2}`, InMessage, "id"},
		{`{"x":1,"y":2,"\u0078":3}`, InMessage, "x"},
		{`{"params":{},"params":{}}`, InMessage, "params"},
		{`{"params":{"a":1,"b":2,"\u0061":3}}`, InParams, "a"},
		{`{"params":{"_meta":{},"_meta":{}}}`, InParams, "_meta"},
		{`{"params":{"arguments":1,"arguments":{"a":1,"a":2}}}`, InParams, "arguments"},
		{`{"params":{"_meta":{"":1,"":2}}}`, InMeta, ""},
		{`{"params":{"arguments":{"ä":1,"\u00e4":2}}}`, InArguments, "ä"},
		{`{"params":{"arguments":{"a":1,"a":2},"arguments":{}},"params":{}}`, InArguments, "a"},
		{`{"id":1,"id":2,"params":{"a":1,"a":2}}`, InMessage, "id"},
		// Not the view's affair: deeper down, and in other members.
		{`{"params":{"arguments":{"a":{"b":1,"b":2}}}}`, NoScope, ""},
		{`{"result":{"a":1,"a":2},"params":{"x":{"a":1,"a":2}}}`, NoScope, ""},
		{`{"_meta":{"a":1,"a":2},"arguments":{"a":1,"a":2}}`, NoScope, ""},
		{`{"params":{"_meta":{"_meta":{"a":1,"a":1},"arguments":{"a":1,"a":1}}}}`, NoScope, ""},
		// Around the number of members at which the search changes.
		{manyMembers(15), InMessage, "m3"},
		{manyMembers(16), InMessage, "m3"},
		{manyMembers(17), InMessage, "m3"},
		{manyMembers(18), InMessage, "m3"},
		{`{"params":` + manyMembers(500) + `}`, InParams, "m3"},
		{`{"params":{"_meta":` + manyMembers(16) + `}}`, InMeta, "m3"},
		{`{"params":{"arguments":` + manyMembers(17) + `}}`, InArguments, "m3"},
		{strings.Replace(manyMembers(100), `"m3":1`, `"m100":1`, 1), NoScope, ""},
		{strings.Replace(manyMembers(100), `"m3":1`, `"m99":1`, 1), InMessage, "m99"},
		{strings.Replace(manyMembers(100), `"m3":1`, `"m17":1`, 1), InMessage, "m17"},
	} {
		m := scan(t, test.line)
		if m.DuplicateIn != test.scope || m.DuplicateName != test.name {
			t.Errorf("duplicate in %q: scope %d, name %q, want scope %d, name %q",
				test.line, m.DuplicateIn, m.DuplicateName, test.scope, test.name)
		}
	}
}

func TestFirstOccurrenceCounts(t *testing.T) {
	m := scan(t, `{"id":1,"id":2,"params":{"name":"a","name":"b","_meta":{"x":1},"_meta":{"y":2},"arguments":{"p":1},"arguments":{"q":2}},"params":{"name":"c"}}`)
	if m.ID.Raw != "1" {
		t.Errorf("ID = %q, want the first, 1", m.ID.Raw)
	}
	if got := m.Param("name").Text(); got != "a" {
		t.Errorf("Param(name) = %q, want the first, a", got)
	}
	if len(m.ParamMembers) != 6 {
		t.Errorf("%d param members, want all 6 of the first params", len(m.ParamMembers))
	}
	if len(m.Meta) != 1 || m.Meta[0].Name != "x" {
		t.Errorf("Meta = %+v, want the first one, with x alone", m.Meta)
	}
	if len(m.Arguments) != 1 || m.Arguments[0].Name != "p" {
		t.Errorf("Arguments = %+v, want the first ones, with p alone", m.Arguments)
	}
}

// A search that compares every name with all before it would not end before
// the test's deadline.
func TestManyNamesDoNotCostTheirSquare(t *testing.T) {
	const count = 500_000
	var object strings.Builder
	object.WriteString(`{"n":0`)
	for i := range count {
		fmt.Fprintf(&object, `,"n%d":0`, i)
	}
	object.WriteString(`}`)
	for _, line := range []string{object.String(), `{"params":{"arguments":` + object.String() + `}}`} {
		if m := scan(t, line); m.DuplicateIn != NoScope {
			t.Errorf("duplicate %q found among distinct names", m.DuplicateName)
		}
	}
}

func TestDepthLimit(t *testing.T) {
	for _, test := range []struct {
		what, before       string
		opening, innermost string
		closing, after     string
		enclosing          int // levels that before opens
	}{
		{"arrays", ``, `[`, `[]`, `]`, ``, 0},
		{"objects", ``, `{"a":`, `{}`, `}`, ``, 0},
		{"a member", `{"x":`, `[`, `[]`, `]`, `}`, 1},
		{"params", `{"params":`, `{"a":`, `{}`, `}`, `}`, 1},
		{"a param", `{"params":{"x":`, `[`, `{}`, `]`, `}}`, 2},
		{"_meta", `{"params":{"_meta":`, `{"a":`, `{}`, `}`, `}}`, 2},
		{"arguments", `{"params":{"arguments":`, `{"a":`, `{}`, `}`, `}}`, 2},
		{"an argument", `{"params":{"arguments":{"x":`, `[`, `[]`, `]`, `}}}`, 3},
	} {
		for _, limit := range []int{1, 2, 3, 4, 5, 63, 64, 65, 128, 1000} {
			line := func(levels int) string {
				n := max(levels-test.enclosing-1, 0)
				return test.before + strings.Repeat(test.opening, n) + test.innermost + strings.Repeat(test.closing, n) + test.after
			}
			s := NewScanner(limit)
			if err := s.Scan(line(limit), new(Message)); err != nil && limit > test.enclosing {
				t.Errorf("%s at the limit of %d levels: %v, want nil", test.what, limit, err)
			}
			deeper := line(limit + 1)
			err := s.Scan(deeper, new(Message))
			var got *DepthError
			if !errors.As(err, &got) {
				t.Errorf("%s above the limit of %d levels: %v, want a DepthError", test.what, limit, err)
				continue
			}
			opened := strings.Count(deeper[:got.Offset+1], "[") + strings.Count(deeper[:got.Offset+1], "{")
			if got.Limit != limit || opened != limit+1 {
				t.Errorf("%s above the limit of %d levels: %v, want the offset of bracket %d", test.what, limit, err, limit+1)
			}
		}
	}
}

func TestDepthLimitIsAtLeastOne(t *testing.T) {
	if err := NewScanner(-5).Scan(`{"a":1}`, new(Message)); err != nil {
		t.Errorf("a limit below 1 should count as 1, got %v", err)
	}
}

func TestVeryDeepTextIsRefused(t *testing.T) {
	for _, text := range []string{"[", `{"a":`, `[{"a":`} {
		line := strings.Repeat(text, 20<<20/len(text))
		var got *DepthError
		if err := NewScanner(testDepth).Scan(line, new(Message)); !errors.As(err, &got) {
			t.Errorf("Scan of 20 MiB of %q = %v, want a DepthError", text, err)
		}
	}
}

func TestSiblingsDoNotAddUp(t *testing.T) {
	line := `{"a":[` + strings.Repeat(`[],{"x":[]},`, 1000) + `{}]}`
	if err := NewScanner(4).Scan(line, new(Message)); err != nil {
		t.Errorf("Scan = %v, want nil: nothing is deeper than 4 levels", err)
	}
}

func TestCutLineKeepsWhatWasComplete(t *testing.T) {
	for _, test := range []struct {
		line              string
		id, method, param string // Raw of id, method and the first member of params
		arguments         int
	}{
		{`{"jsonrpc":"2.0","id":7,`, `7`, ``, ``, 0},
		{`{"jsonrpc":"2.0","id":7 `, `7`, ``, ``, 0},
		{`{"jsonrpc":"2.0","id":7`, ``, ``, ``, 0}, // may have been 77
		{`{"id":12x`, ``, ``, ``, 0},
		{`{"id":"a"`, `"a"`, ``, ``, 0},
		{`{"id":"a`, ``, ``, ``, 0},
		{`{"id":1,"method":"ping"`, `1`, `"ping"`, ``, 0},
		{`{"id":1,"method":"tools/call","params":{"name":"n","arguments":{"a":1,"b":"xxxx`, `1`, `"tools/call"`, `"n"`, 1},
		{`{"id":1,"method":"tools/call","params":{"name":"n","arguments":{"a":1,"b":2},"c`, `1`, `"tools/call"`, `"n"`, 2},
		{`{"id":1,"method":"m","params":{"name":tru`, `1`, `"m"`, ``, 0},
		{"{\"id\":1,\"method\":\"m\",\"x\":\"\xff\"}", `1`, `"m"`, ``, 0},
		{`{"id":1,"method":"m"}}`, `1`, `"m"`, ``, 0},
	} {
		var m Message
		err := NewScanner(testDepth).Scan(test.line, &m)
		if err == nil {
			t.Errorf("Scan(%q) = nil, want an error", test.line)
		}
		first := ""
		if len(m.ParamMembers) > 0 {
			first = m.ParamMembers[0].Value.Raw
		}
		if m.ID.Raw != test.id || m.Method.Raw != test.method || first != test.param || len(m.Arguments) != test.arguments {
			t.Errorf("Scan(%q): id %q, method %q, first param %q, %d arguments; want %q, %q, %q, %d",
				test.line, m.ID.Raw, m.Method.Raw, first, len(m.Arguments), test.id, test.method, test.param, test.arguments)
		}
		if m.Params.Kind != Absent && m.ID.Kind == Absent {
			t.Errorf("Scan(%q): Params = %+v", test.line, m.Params)
		}
	}
}

func TestTooDeepLineKeepsWhatWasComplete(t *testing.T) {
	var m Message
	err := NewScanner(4).Scan(`{"id":1,"method":"m","params":{"x":1,"y":[[[]]]}}`, &m)
	var depth *DepthError
	if !errors.As(err, &depth) || m.ID.Raw != "1" || m.Method.Raw != `"m"` || len(m.ParamMembers) != 1 {
		t.Errorf("Scan = %v, id %q, method %q, %d params; want a DepthError, 1, \"m\", 1",
			err, m.ID.Raw, m.Method.Raw, len(m.ParamMembers))
	}
}

// Whatever a line is cut to, the scanner ends at its end and gives only what
// the whole line has.
func TestEveryPrefixOfALine(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":-12.5e3,"method":"tools\u002fcall","params":{"name":"ä€𝄞","_meta":{"a":[{"b":null}]},"arguments":{"c":true,"d":{}}}}`
	whole := scan(t, line)
	s := NewScanner(testDepth)
	for n := range len(line) {
		var m Message
		if err := s.Scan(line[:n], &m); err == nil {
			t.Fatalf("Scan(%q) = nil, want an error", line[:n])
		}
		for _, pair := range [][2]Value{
			{m.JSONRPC, whole.JSONRPC}, {m.ID, whole.ID}, {m.Method, whole.Method}, {m.Params, whole.Params},
		} {
			if pair[0].Kind != Absent && pair[0] != pair[1] {
				t.Errorf("Scan(%q): %+v, want %+v or nothing", line[:n], pair[0], pair[1])
			}
		}
		for _, pair := range [][2][]Member{
			{m.ParamMembers, whole.ParamMembers}, {m.Meta, whole.Meta}, {m.Arguments, whole.Arguments},
		} {
			got, want := pair[0], pair[1][:len(pair[0])]
			if len(got) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("Scan(%q): members %+v, want %+v", line[:n], got, want)
			}
		}
	}
}

func TestScanResetsTheView(t *testing.T) {
	s := NewScanner(testDepth)
	var m Message
	full := `{"jsonrpc":"2.0","id":1,"id":1,"method":"m","result":1,"error":2,"params":{"_meta":{"a":1},"arguments":{"b":2}}}`
	for _, next := range []string{`{}`, `5`, ``, `{"id`} {
		if err := s.Scan(full, &m); err != nil {
			t.Fatal(err)
		}
		_ = s.Scan(next, &m) // whether it is valid is beside the point
		got := m
		got.Root = Value{}
		got.ParamMembers, got.Meta = nil, nil
		if !reflect.DeepEqual(got, Message{}) || len(m.ParamMembers)+len(m.Meta) != 0 {
			t.Errorf("after %q the view still has %+v", next, m)
		}
	}
}

// A member behind the end of a reused slice would keep its line alive.
func TestReusedRoomHoldsNoOldLines(t *testing.T) {
	s := NewScanner(testDepth)
	var m Message
	for _, line := range []string{
		`{"params":{"a":1,"b":2,"c":3,"_meta":{"a":1,"b":2,"c":3}}}`, `{"params":{"a":1,"_meta":{}}}`, `{}`,
	} {
		if err := s.Scan(line, &m); err != nil {
			t.Fatal(err)
		}
		for _, members := range [][]Member{m.ParamMembers, m.Meta} {
			for _, left := range members[len(members):cap(members)] {
				if left != (Member{}) {
					t.Errorf("after %q %+v is left behind", line, left)
				}
			}
		}
	}
}

func TestExtraordinaryRoomIsDropped(t *testing.T) {
	s := NewScanner(testDepth)
	var m Message
	if err := s.Scan(`{"params":`+manyMembers(5000)+`}`, &m); err != nil {
		t.Fatal(err)
	}
	if err := s.Scan(`{"params":{"a":1}}`, &m); err != nil {
		t.Fatal(err)
	}
	if got := cap(m.ParamMembers); got > maxReusedMembers {
		t.Errorf("room for %d params after a message of 5000, want at most %d", got, maxReusedMembers)
	}
}

// Messages of all sizes between one argument and several chunks, scanned into
// the same view: the arguments of all of them must stay as they were.
func TestArgumentsAreNeverOverwritten(t *testing.T) {
	s := NewScanner(testDepth)
	var m Message
	var lines []string
	var kept [][]Member
	for round := range 3 {
		for n := range 140 {
			line := fmt.Sprintf(`{"id":%d,"params":{"arguments":%s}}`, round, manyMembers(n))
			if n%7 == 6 {
				line = line[:len(line)-3] // cut off: its arguments are given all the same
			}
			_ = s.Scan(line, &m)
			lines = append(lines, line)
			kept = append(kept, m.Arguments)
		}
	}
	for i, line := range lines {
		var fresh Message
		_ = NewScanner(testDepth).Scan(line, &fresh)
		if !reflect.DeepEqual(kept[i], fresh.Arguments) {
			t.Errorf("arguments of line %d are now\n%+v, want\n%+v", i, kept[i], fresh.Arguments)
		}
		if cap(kept[i]) != len(kept[i]) {
			t.Errorf("arguments of line %d: capacity %d, length %d: an append would reach into others", i, cap(kept[i]), len(kept[i]))
		}
	}
}

// The arguments of a long line must not lie beside those of short ones, which
// would keep the long line alive.
func TestLongLinesDoNotShareRoom(t *testing.T) {
	s := NewScanner(testDepth)
	short := `{"params":{"arguments":{"a":1}}}`
	long := `{"params":{"arguments":{"a":"` + strings.Repeat("x", maxChunkedLine) + `"}}}`
	for _, test := range []struct {
		what, line string
		free       int
	}{
		{"first short line", short, chunkMembers - 1},
		{"long line", long, chunkMembers - 1},
		{"second short line", short, chunkMembers - 2},
	} {
		var m Message
		if err := s.Scan(test.line, &m); err != nil {
			t.Fatal(err)
		}
		if got := cap(s.arguments.free); got != test.free {
			t.Errorf("room for %d arguments after the %s, want %d", got, test.what, test.free)
		}
	}
}

func TestScanNamesTheUnfinishedMember(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"a":"cut`, "result"},
		{`{"jsonrpc":"2.0","id":1,"params":{"a":"cut`, "params"},
		{`{"jsonrpc":"2.0","error":`, "error"},
		{`{"jsonrpc":"2.0","err`, ""},
		{`{"jsonrpc":"2.0"}`, ""},
	} {
		var m Message
		_ = NewScanner(8).Scan(test.line, &m)
		if m.Unfinished != test.want {
			t.Errorf("Scan(%q): Unfinished = %q, want %q", test.line, m.Unfinished, test.want)
		}
	}
}
