package bridge

import (
	"strings"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	result := `{"jsonrpc":"2.0","id":$id,"result":{}}`
	for _, test := range []struct{ name, method, parameters, want string }{
		{"no JSON", "m", saying("hello", result), "a line is no message (not JSON): \"hello\""},
		{"an empty line", "m", saying("", result), "a line is no message"},
		{"a batch", "m", saying("["+result+"]", result), "a line is no message"},
		{"neither request nor response", "m", saying(`{"jsonrpc":"2.0","id":1}`, result), "neither a request nor a notification nor a response"},
		{"an answer without id", "m", saying(`{"jsonrpc":"2.0","result":{}}`, result), "a response without id"},
		{"another JSON-RPC", "m", saying(`{"jsonrpc":"1.0","id":$id,"result":{}}`), "not of JSON-RPC 2.0"},
		{"JSON-RPC as a number", "m", saying(`{"jsonrpc":2.0,"id":$id,"result":{}}`), "not of JSON-RPC 2.0"},
		{"a line without end", "m", sayingText(result) + `,"exit":0`, "the last line has no end"},
		{"a second answer", "m", saying(result, result), "a second answer"},
		{"an answer to nothing", "m", saying(`{"jsonrpc":"2.0","id":5,"result":{}}`, result), "an answer to no request"},
		{"an answer to nobody", "m", saying(`{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":""}}`, result), "an answer to no request"},
		{"an answer without an id to nobody", "subscriptions/listen", saying(acknowledged, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`), "an answer to no request"},
		{"an id of another type", "m", saying(`{"jsonrpc":"2.0","id":"$id","result":{}}`), `m has the id 1000001, and the server calls it "1000001"`},
		{"a request to the client", "m", saying(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, result), "a request to the client"},
		{"a cancellation of nothing", "m", saying(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, result), "a cancellation of no open request"},
		{"a notification of no subscription", "m", saying(strings.Replace(acknowledged, "$id", "5", 1), result), "a notification of no open subscription"},
		{"a subscription of another type", "subscriptions/listen", saying(strings.Replace(acknowledged, "$id", `"$id"`, 1)), "subscriptions/listen has the id 1000001"},
		{"an end of its own", "m", `"say":"","exit":0`, "the process ended on its own: exit status 0"},
		{"a failure at the end", "m", saying(result) + `,"exitAtEnd":3`, "the process ended after its input with exit status 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tt := start(t, Options{Patience: patience})
			tt.open(t.Context(), modern("1", test.method, test.parameters)).Body.Close()
			found := tt.findings()
			if all := strings.Join(found.Faults, "\n"); !strings.Contains(all, test.want) {
				t.Errorf("got faults %q, want %q in them", found.Faults, test.want)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	result := `{"jsonrpc":"2.0","id":$id,"result":{}}`
	for _, test := range []struct{ name, parameters, want string }{
		{"progress", saying(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`, result), "progress of no open request"},
		{"a log message", saying(result, logged), "a message while no request is open"},
		{"a change", saying(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, result), "a notification without any subscription"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tt := start(t, Options{Patience: patience})
			tt.open(t.Context(), modern("1", "m", test.parameters)).Body.Close()
			found := tt.findings()
			if all := strings.Join(found.Notes, "\n"); !strings.Contains(all, test.want) || len(found.Faults) > 0 {
				t.Errorf("got notes %q and faults %q, want %q in the former alone", found.Notes, found.Faults, test.want)
			}
		})
	}
}

// TestImpatience: whether an impatient bridge gets the answers of the second case
// in time is of no account.
func TestImpatience(t *testing.T) {
	for _, test := range []struct{ name, parameters, want string }{
		{"no answer", `"say":""`, "m 1000001 is not answered within 20ms"},
		{"no end", `"staysAtEnd":true`, "the process still ran 20ms after its stdin was closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tt := start(t, Options{Patience: 20 * time.Millisecond})
			tt.open(t.Context(), modern("1", "m", test.parameters)).Body.Close()
			found := tt.findings()
			if all := strings.Join(append(found.Faults, found.Notes...), "\n"); !strings.Contains(all, test.want) {
				t.Errorf("got faults %q and notes %q, want %q in them", found.Faults, found.Notes, test.want)
			}
		})
	}
}

func TestFindingsAreBounded(t *testing.T) {
	r := &recorder{}
	for range 3 * mostFindings {
		r.fault("fault")
	}
	if got := r.all().Faults; len(got) != mostFindings+1 || got[mostFindings] != "and more" {
		t.Errorf("got %d faults, the last %q, want %d and \"and more\"", len(got), got[len(got)-1], mostFindings+1)
	}
}
