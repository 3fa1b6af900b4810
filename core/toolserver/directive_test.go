package toolserver_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"mcpserver/core/toolserver"
)

func notify(t *testing.T, key string, data any) toolserver.Directive {
	t.Helper()
	made, err := toolserver.NotifyPresenter(key, data)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestDirectives(t *testing.T) {
	full := toolserver.Completion{Summary: "s", CoverageGap: true, GapDescription: "g", SuggestedFiles: []string{"a", "b"}}
	for _, test := range []struct {
		got  toolserver.Directive
		want string
	}{
		{toolserver.StopProcessing(), `{"type":"stop_processing"}`},
		{toolserver.TierChange("big", "hard"), `{"type":"tier_change","tier":"big","reason":"hard"}`},
		{toolserver.TierChange("big", ""), `{"type":"tier_change","tier":"big"}`},
		{toolserver.Delegate("big", "do \"it\"", 3), `{"type":"delegate","target":"big","task":"do \"it\"","max_turns":3}`},
		{toolserver.Delegate("big", "t", 0), `{"type":"delegate","target":"big","task":"t"}`},
		{toolserver.Delegate("big", "t", -1), `{"type":"delegate","target":"big","task":"t"}`},
		{toolserver.Pipeline("t", "a", "b"), `{"type":"pipeline","stages":["a","b"],"task":"t"}`},
		{toolserver.Pipeline("t"), `{"type":"pipeline","stages":[],"task":"t"}`},
		{toolserver.Complete(toolserver.Completion{Summary: "s"}), `{"type":"complete","summary":"s"}`},
		{toolserver.Complete(full), `{"type":"complete","summary":"s","coverage_gap":true,"gap_description":"g","suggested_files":["a","b"]}`},
		{toolserver.ClearSelfTodos(), `{"type":"clear_self_todos"}`},
		{toolserver.InjectContext("c", ""), `{"type":"inject_context","content":"c","role":"user"}`},
		{toolserver.InjectContext("c", "system"), `{"type":"inject_context","content":"c","role":"system"}`},
		{toolserver.PruneMessages(2), `{"type":"prune_messages","keep_recent":2}`},
		{toolserver.PruneMessages(-1), `{"type":"prune_messages","keep_recent":0}`},
		{toolserver.ContextAnchor("k", ""), `{"type":"context_anchor","key":"k"}`},
		{toolserver.ContextAnchor("k", "c"), `{"type":"context_anchor","key":"k","content":"c"}`},
		{toolserver.PhaseChange("plan"), `{"type":"phase_change","phase":"plan"}`},
		{notify(t, "k", nil), `{"type":"notify_presenter","key":"k"}`},
		{notify(t, "k", map[string]int{"a": 1}), `{"type":"notify_presenter","key":"k","data":{"a":1}}`},
		{notify(t, "k", json.RawMessage("[1,\n \"\xff\"]")), "{\"type\":\"notify_presenter\",\"key\":\"k\",\"data\":[1,\"\ufffd\"]}"},
		{toolserver.Directive{}, `{}`},
	} {
		if got := test.got.JSON(); got != test.want || !json.Valid([]byte(got)) {
			t.Errorf("the directive is\n got %s\nwant %s", got, test.want)
		}
	}
	if made, err := toolserver.NotifyPresenter("k", math.NaN()); err == nil {
		t.Errorf("NotifyPresenter of what is no JSON gave %s, want an error", made.JSON())
	}
}

func TestParseResponse(t *testing.T) {
	server := base(t, named("x", gives("r", toolserver.Delegate("big", "t", 3), notify(t, "a.b", 1))))
	response, err := toolserver.ParseResponse(server.Execute(t.Context(), "x", ""))
	if err != nil || response.Result != "r" || response.IsError || len(response.Directives) != 2 {
		t.Fatalf("ParseResponse gave %+v, %v", response, err)
	}
	first := response.Directives[0]
	if first.Type() != "delegate" || first.Member("max_turns").Int() != 3 || first.Member("nope").Exists() {
		t.Errorf("the directive %s is read as %q", first.JSON(), first.Type())
	}
	failed, err := toolserver.ParseResponse(`{"result":"no","directives":[],"is_error":true}`)
	if want := (toolserver.Response{Result: "no", IsError: true}); err != nil || !reflect.DeepEqual(failed, want) {
		t.Errorf("ParseResponse gave %+v, %v, want %+v", failed, err, want)
	}
	if read, err := toolserver.ParseResponse("oops"); err == nil {
		t.Errorf("ParseResponse of no response gave %+v, want an error", read)
	}
}
