package transcripts

import (
	"slices"
	"strings"
	"testing"
)

// TestFalseTranscriptsFail shows that a transcript can fail, by each step.
func TestFalseTranscriptsFail(t *testing.T) {
	const (
		serve = "serve MCPServer_helloWorld\n"
		ping  = `> {"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
		pong  = `{"jsonrpc":"2.0","id":1,"result":{}}`
		end   = "eof\nexits 0\n"
	)
	for _, test := range []struct{ name, transcript, want string }{
		{"unknown step", "greet\n", `1: there is no step "greet"`},
		{"indented line", "\n  > x\n", "2: an indented line"},
		{"no program", ping, "1: >: there is a program already"},
		{"unknown program", "serve MCPServer_none\n", "1: serve: exec"},
		{"left running", serve, "1: the program still runs"},
		{"other answer", serve + ping + `< {"jsonrpc":"2.0","id":2,"result":{}}` + "\n" + end, "3: <: \nwant"},
		{"other pattern", serve + ping + `< {"jsonrpc":"2.0","id":«[2-9]»,"result":{}}` + "\n" + end, "3: <: \nwant"},
		{"none of these", serve + ping + "<any a\n<any b\n" + end, "3: <any: \nwant one of"},
		{"answer too many", serve + ping + end, "4: exits: there is more output"},
		{"answer too few", serve + ping + "< " + pong + "\neof\n< " + pong + "\n", "5: <: the output has ended"},
		{"no silence", serve + ping + "silence\n" + end, "3: silence: want silence"},
		{"other version", serve + "init 1999-01-01\n" + end, "2: init: want the result"},
		{"other status", serve + "eof\nexits 3\n", "3: exits: want status 3, got 0"},
		{"nothing on stderr", serve + "eof\nstderr no such text\n", "3: stderr: stderr has ended"},
		{"no Go string", serve + ">bytes x\n", "2: >bytes: x is no Go string"},
		{"unknown build", "[both] " + serve, "1: [both] serve MCPServer_helloWorld begins with no build"},
		{"unknown step of the other build", "[clamped] greet\n", `1: there is no step "greet"`},
		{"nameless", "let a1 b\n", "1: let: it gives no text a name"},
		{"unknown name", serve + "> «$a»\n", "2: >: nothing has the name a"},
		{"other than before", serve + ping + `< {"jsonrpc":"2.0",«pair="id":.»,"result":{}}` + "\n> {«$pair»}\n< " + pong + "\n", "5: <: \nwant"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := play(t, "", test.transcript)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("play(%q) = %v, want an error that begins with %q", test.transcript, err, test.want)
			}
		})
	}
}

func TestStepsAreForOneBuild(t *testing.T) {
	const transcript = "serve a\n[clamped] <any b\n[unclamped] <any c\n  d\n<any e\n\n[unclamped] eof\nexits 0\n"
	for _, test := range []struct {
		build build
		want  []step
	}{
		{clamped, []step{
			{first: 1, last: 1, verb: "serve", text: "a"},
			{first: 2, last: 5, only: clamped, verb: "<any", text: "b\ne"},
			{first: 8, last: 8, verb: "exits", text: "0"},
		}},
		{unclamped, []step{
			{first: 1, last: 1, verb: "serve", text: "a"},
			{first: 3, last: 5, only: unclamped, verb: "<any", text: "cd\ne"},
			{first: 7, last: 7, only: unclamped, verb: "eof"},
			{first: 8, last: 8, verb: "exits", text: "0"},
		}},
	} {
		got, err := parse(transcript, test.build)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("parse(%q, %s) = %+v, %v; want %+v", transcript, test.build, got, err, test.want)
		}
	}
}

func TestFilesAreForOneBuild(t *testing.T) {
	for _, test := range []struct {
		path               string
		clamped, unclamped bool
	}{
		{"testdata/ids.txt", true, true},
		{"testdata/modern-discover.txt", false, true},
		{"testdata/clamped-discover.txt", true, false},
	} {
		if got := clamped.isPlayed(test.path); got != test.clamped {
			t.Errorf("the clamped build plays %s: %t, want %t", test.path, got, test.clamped)
		}
		if got := unclamped.isPlayed(test.path); got != test.unclamped {
			t.Errorf("the unclamped build plays %s: %t, want %t", test.path, got, test.unclamped)
		}
	}
}

func TestNames(t *testing.T) {
	named, same, err := match("<«first=[a-z]+»-«.»-«second=.*»>", "<ab-c-(d>")
	if err != nil || !same || named["first"] != "ab" || named["second"] != "(d" {
		t.Fatalf("match gave %q, %t, %v; want the names of ab and (d", named, same, err)
	}
	expanded, err := expand("«$second»«$first»«.»«\"x\"*3»", named)
	if want := "(dab«.»xxx"; err != nil || expanded != want {
		t.Errorf("expand = %q, %v; want %q", expanded, err, want)
	}
	names := map[string]string{"long": strings.Repeat("a", 20), "longer": strings.Repeat("a", 21), "short": "b"}
	if got, want := abbreviated("b"+names["longer"]+names["long"], names), "b«$longer»«$long»"; got != want {
		t.Errorf("abbreviated = %q, want %q", got, want)
	}
}

func TestRewriteWrapsLongLines(t *testing.T) {
	transcript := "# first\n< old\n  older\n# last\n"
	long := `{"a":"` + strings.Repeat(",", 100) + `","b":["` + strings.Repeat("x", 60) + `",{"c":1}]}`
	steps, err := parse(transcript, thisBuild)
	if err != nil {
		t.Fatal(err)
	}
	steps[0].text = long
	got := rewrite(transcript, steps)
	want := "# first\n< " + `{"a":"` + strings.Repeat(",", 100) + `",` + "\n    " + `"b":["` + strings.Repeat("x", 60) + `",` + "\n    " + `{"c":1}]}` + "\n# last\n"
	if got != want {
		t.Fatalf("rewrite = %q, want %q", got, want)
	}
	again, err := parse(got, thisBuild)
	if err != nil || again[0].text != long {
		t.Errorf("parse(%q) = %v, %v; want the text %q", got, again, err, long)
	}
}

// TestFalseOutputIsNoticed shows that the check of FuzzServe can fail.
func TestFalseOutputIsNoticed(t *testing.T) {
	const input = `{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n"
	for _, test := range []struct{ output, want string }{
		{`{"jsonrpc":"2.0","id":"a","result":{}}` + "\n", ""},
		{"", `the request "a" was answered 0 times`},
		{`{"jsonrpc":"2.0","id":"b","result":{}}` + "\n", `the request "a" was answered 0 times`},
		{strings.Repeat(`{"jsonrpc":"2.0","id":"a","result":{}}`+"\n", 2), `the request "a" was answered 2 times`},
		{`{"jsonrpc":"2.0","id":"a","result":{}}`, "is no line of UTF-8"},
		{"\"\xff\"\n", "is no line of UTF-8"},
		{"trace: on\n", "it is no JSON-RPC message"},
		{"[]\n", "it is no JSON-RPC message"},
		{`{"id":"a","result":{}}` + "\n", "it is no JSON-RPC message"},
		{`{"jsonrpc":"2.0","result":{}}` + "\n", "it is a result of nothing"},
		{`{"jsonrpc":"2.0","id":"a"}` + "\n", "it has not one of result and error"},
		{`{"jsonrpc":"2.0","id":"a","result":{},"error":{}}` + "\n", "it has not one of result and error"},
		{`{"jsonrpc":"2.0","id":"a","error":{"code":1}}` + "\n", "its error has no code and message"},
		{`[{"jsonrpc":"2.0","method":"a","result":{}}]` + "\n", "it is a request and a response"},
	} {
		err := checkOutput([]byte(input), []byte(test.output))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("checkOutput(%q) = %v, want %q", test.output, err, test.want)
		}
	}
}
