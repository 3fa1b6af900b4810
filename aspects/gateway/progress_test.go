package gateway_test

import (
	"fmt"
	"strings"
	"testing"
)

// progressing is an action that reports progress under a token, or under that of
// the request for "", and answers.
func progressing(token string) action {
	return func(l *link, a arrival) string {
		if token == "" {
			token = a.params.Get("_meta.progressToken").Raw
		}
		for i := range 3 {
			l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3,"message":"step","x-new":{"a":1.0}}`, orNull(token), i+1))
		}
		return textResult("done")
	}
}

func orNull(token string) string {
	if token == "" {
		return "null"
	}
	return token
}

// TestProgressHasTheClientsToken, whatever token the server has been given,
// and before the answer.
func TestProgressHasTheClientsToken(t *testing.T) {
	t.Parallel()
	for _, token := range []string{`"d1"`, `0`, `""`, `9007199254740993`} {
		for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
			f.on("tools/call", progressing(""))
			c := legacy(t, f)
			id := c.request("tools/call", `{"name":"s.x","_meta":{"progressToken":`+token+`,"other":[1.0]}}`)
			c.answer(id)
			for i, notice := range c.came("notifications/progress") {
				want := fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3,"message":"step","x-new":{"a":1.0}}`, token, i+1)
				if got := notice.Get("params").Raw; got != want {
					t.Errorf("progress of the token %s: got %s, want %s", token, got, want)
				}
			}
			if came := len(c.came("notifications/progress")); came != 3 {
				t.Errorf("%d notices of the token %s came before the answer, want 3", came, token)
			}
			there := f.sent("tools/call")[0].params.Get("_meta")
			if got := there.Get("progressToken").Raw; got == token || got == "" {
				t.Errorf("the server was given the token %q for the client's %s", got, token)
			}
			if got := there.Get("other").Raw; got != "[1.0]" {
				t.Errorf("the server was given other metadata %s", got)
			}
			c.close()
		}
	}
}

// TestProgressNobodyAskedFor is not passed on: without a token, under a token
// that is nobody's, after the answer, and when it does not rise.
func TestProgressNobodyAskedFor(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := legacy(t, f)
	f.on("tools/call", progressing(""))
	c.call("s.x", "")
	if meta := f.sent("tools/call")[0].params.Get("_meta"); meta.Exists() {
		t.Errorf("the server was asked for progress that nobody wants: %s", meta.Raw)
	}
	c.result("tools/call", `{"name":"s.x","_meta":{"progressToken":null}}`)
	f.on("tools/call", progressing(`"nobody's"`))
	c.result("tools/call", `{"name":"s.x","_meta":{"progressToken":"d"}}`)
	// After the answer, and of another call's.
	f.on("tools/call", func(l *link, a arrival) string {
		l.result(a.id, textResult("early"))
		return progressing(a.params.Get("_meta.progressToken").Raw)(l, a)
	})
	c.result("tools/call", `{"name":"s.x","_meta":{"progressToken":"late"}}`)
	f.on("tools/call", func(l *link, a arrival) string {
		for _, progress := range []string{"2", "1", "2", `"x"`, "3"} {
			l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%s}`, a.params.Get("_meta.progressToken").Raw, progress))
		}
		return textResult("done")
	})
	c.result("tools/call", `{"name":"s.x","_meta":{"progressToken":"up"}}`)
	c.fence()
	var got []string
	for _, notice := range c.came("notifications/progress") {
		got = append(got, notice.Get("params.progressToken").Raw+" "+notice.Get("params.progress").Raw)
	}
	if want := `"up" 2, "up" 3`; strings.Join(got, ", ") != want {
		t.Errorf("progress came: %q, want %s", got, want)
	}
}

// TestProgressOfSeveralCalls goes to the call that it is about.
func TestProgressOfSeveralCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", silent)
	c := legacy(t, f)
	var ids []string
	for i := range 3 {
		ids = append(ids, c.request("tools/call", fmt.Sprintf(`{"name":"s.x","_meta":{"progressToken":%d}}`, i)))
	}
	f.awaitSent("tools/call", 3)
	for i := 2; i >= 0; i-- {
		there := f.sent("tools/call")[i]
		f.link(0).notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1,"message":"%d"}`, there.params.Get("_meta.progressToken").Raw, i))
		f.link(0).result(there.id, textResult(fmt.Sprint(i)))
		if got := c.answer(ids[i]).Get("result.content.0.text").Str; got != fmt.Sprint(i) {
			t.Errorf("call %d has the answer of %s", i, got)
		}
		notice := c.message("notifications/progress")
		if notice.Get("params.progressToken").Int() != int64(i) || notice.Get("params.message").Str != fmt.Sprint(i) {
			t.Errorf("the progress of call %d came as %s", i, notice.Raw)
		}
	}
}

// TestMuchProgress: however much of it there is, answers come, and the newest
// notice before its answer.
func TestMuchProgress(t *testing.T) {
	t.Parallel()
	const notices = 10_000
	f := legacyServer(t, "s", "x", "quick")
	f.on("tools/call", func(l *link, a arrival) string {
		if a.params.Get("name").Str == "quick" {
			return textResult("quick")
		}
		var text strings.Builder
		for i := range notices {
			fmt.Fprintf(&text, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n",
				a.params.Get("_meta.progressToken").Raw, i+1)
		}
		l.write(text.String())
		return textResult("done")
	})
	c := legacy(t, f)
	slow := c.request("tools/call", `{"name":"s.x","_meta":{"progressToken":"p"}}`)
	c.wantText("s.quick", "quick")
	c.answer(slow)
	all := c.came("notifications/progress")
	if len(all) == 0 || all[len(all)-1].Get("params.progress").Int() != notices {
		t.Fatalf("%d notices came, and the last is not the newest", len(all))
	}
	places := c.order(fmt.Sprintf(`"progress":%d}`, notices), `"id":`+slow)
	if places[0] > places[1] {
		t.Error("progress came after the answer")
	}
}

// TestCompletion goes to the server that has the prompt or the template, under
// its own name for it.
func TestCompletion(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), modernServer(t, "b")
	for _, f := range []*fake{a, b} {
		f.has("prompts", promptOf("p"))
		f.has("resourceTemplates", templateOf("t://{x}"))
		f.has("resources", resourceOf("r://"+f.name))
	}
	c := legacy(t, a, b)
	for _, test := range []struct{ ref, server, there string }{
		{`{"type":"ref/prompt","name":"a.p","title":"n"}`, "a", `{"type":"ref/prompt","name":"p","title":"n"}`},
		{`{"type":"ref/prompt","name":"b.p"}`, "b", `{"type":"ref/prompt","name":"p"}`},
		{`{"type":"ref/resource","uri":"t://{x}"}`, "a", `{"type":"ref/resource","uri":"t://{x}"}`},
		{`{"type":"ref/resource","uri":"b+t://{x}"}`, "b", `{"type":"ref/resource","uri":"t://{x}"}`},
		{`{"type":"ref/resource","uri":"r://b"}`, "b", `{"type":"ref/resource","uri":"r://b"}`},
	} {
		more := `"argument":{"name":"x","value":"v"},"context":{"arguments":{"y":"1.0"}}`
		values := c.result("completion/complete", `{"ref":`+test.ref+`,`+more+`}`).Get("completion.values")
		if values.Get("0").Str != test.server || values.Get("1").Str != test.there {
			t.Errorf("completing %s gives %s", test.ref, values.Raw)
		}
	}
	there := a.sent("completion/complete")[0].params
	if there.Get("argument").Raw != `{"name":"x","value":"v"}` || there.Get("context").Raw != `{"arguments":{"y":"1.0"}}` {
		t.Errorf("the server has got %s", there.Raw)
	}
	c.refused("completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"v"}}`, -32602, "Unknown prompt: p")
	c.refused("completion/complete", `{"ref":{"type":"ref/resource","uri":"no://{x}"},"argument":{"name":"x","value":"v"}}`, -32602, "Unknown resource template: no://{x}")
	a.on("completion/complete", func(l *link, a arrival) string { l.fail(a.id, -32601, "no completions here"); return "" })
	c.refused("completion/complete", `{"ref":{"type":"ref/prompt","name":"a.p"},"argument":{"name":"x","value":"v"}}`, -32601, "no completions here")
}
