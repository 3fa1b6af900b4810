package toolserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"mcpserver/core/toolserver"
)

func TestSameArguments(t *testing.T) {
	server := base(t)
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":2}`, "{ \"b\" : 2,\n\"a\":1 }", true},
		{`{"a":"é"}`, `{"a":"\u00e9"}`, true},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":100}`, `{"a":1e2}`, true},
		{`{"a":0.01}`, `{"a":1E-2}`, true},
		{`{"a":0}`, `{"a":-0.0e5}`, true},
		{`{"a":0.0010}`, `{"a":10e-4}`, true},
		{`{"a":[{"x":1,"y":[]}]}`, `{"a":[{"y":[],"x":1}]}`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`null`, `{}`, true},
		{strings.Repeat(`{"a":`, 9_998) + "1" + strings.Repeat("}", 9_998), strings.Repeat(`{"a":`, 9_998) + "1.0" + strings.Repeat("}", 9_998), true},
		{``, `[1]`, true},
		{`{"a":1`, `{}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"a":-1}`, false},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":10}`, `{"a":1}`, false},
		{`{"a":1}`, `{"a":1e99999999999999999999}`, false},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":false}`, `{"a":null}`, false},
		{`{"a":[]}`, `{"a":{}}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":[[1],2]}`, `{"a":[[1,2]]}`, false},
		{`{"a":"b","c":"d"}`, `{"a":"bc","":"d"}`, false},
	} {
		var duplicates toolserver.Duplicates
		duplicates.Record(server, "x", test.a)
		if got := duplicates.Record(server, "x", test.b).InARow == 1; got != test.same {
			t.Errorf("%.60s and %.60s are the same: %t, want %t", test.a, test.b, got, test.same)
		}
	}
}

func TestDuplicates(t *testing.T) {
	server := &custom{Base: base(t)} // its tool "always" skips the check
	other := base(t)
	type step struct {
		on              toolserver.Server
		tool, arguments string
		want            toolserver.Repetition
	}
	before := func(inARow, inConversation int) toolserver.Repetition {
		return toolserver.Repetition{InARow: inARow, InConversation: inConversation}
	}
	var duplicates toolserver.Duplicates
	play := func(steps ...step) {
		t.Helper()
		for i, s := range steps {
			if got := duplicates.Record(s.on, s.tool, s.arguments); got != s.want {
				t.Errorf("call %d, %s(%s): %+v, want %+v", i+1, s.tool, s.arguments, got, s.want)
			}
		}
	}
	play(
		step{server, "read", `{"p":"a"}`, before(0, 0)},
		step{server, "read", `{"p":"a"}`, before(1, 1)},
		step{server, "read", `{"p" : "a"}`, before(2, 2)},
		step{server, "read", `{"p":"b"}`, before(0, 0)},
		step{server, "read", `{"p":"a"}`, before(0, 3)},
		step{server, "write", `{"p":"a"}`, before(0, 0)},
		step{other, "write", `{"p":"a"}`, before(0, 0)},
		step{server, "always", `{}`, before(0, 0)},
		step{server, "always", `{}`, before(0, 0)},
		step{other, "write", `{"p":"a"}`, before(0, 1)}, // the other call broke the row
		step{other, "write", `{"p":"a"}`, before(1, 2)},
	)
	duplicates.Forget(other, "write", `{"p": "a"}`)
	duplicates.Forget(other, "never", `{}`)
	play(
		step{other, "write", `{"p":"a"}`, before(0, 0)},
		step{server, "read", `{"p":"a"}`, before(0, 4)},
	)
	duplicates.Clear()
	play(step{server, "read", `{"p":"a"}`, before(0, 0)})
}

func TestDuplicatesAreBounded(t *testing.T) {
	server := base(t)
	var duplicates toolserver.Duplicates
	for i := range 10_001 {
		duplicates.Record(server, "x", fmt.Sprintf(`{"i":%d}`, i))
	}
	if got := duplicates.Record(server, "x", `{"i":1}`).InConversation; got != 1 {
		t.Errorf("the second oldest call was made %d times before, want 1", got)
	}
	if got := duplicates.Record(server, "x", `{"i":0}`).InConversation; got != 0 {
		t.Errorf("the oldest of 10,001 calls was made %d times before, want it forgotten", got)
	}
}

func TestDuplicatesConcurrently(t *testing.T) {
	server := base(t)
	var duplicates toolserver.Duplicates
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for range 100 {
				duplicates.Record(server, "x", `{}`)
			}
		})
	}
	working.Wait()
	if got := duplicates.Record(server, "x", "").InConversation; got != 800 {
		t.Errorf("%d calls were counted, want 800", got)
	}
}

// FuzzSameArguments: arguments are the same as themselves, written anew.
func FuzzSameArguments(f *testing.F) {
	f.Add(`{"a":[1,1.0,1e2,-0,"x",null,true,{"b":{}}]}`)
	f.Add(`{"a":1e999999999999}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		var duplicates toolserver.Duplicates
		server := base(t)
		duplicates.Record(server, "x", arguments)
		rewritten := "\n" + strings.Replace(toolserver.ParseArguments(arguments).JSON(), "{", "{ ", 1) + " "
		if got := duplicates.Record(server, "x", rewritten); got.InARow != 1 {
			t.Errorf("%q and %q are not the same", arguments, rewritten)
		}
	})
}
