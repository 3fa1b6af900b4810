//go:build mcp20260728 && unix && !aix

package filesystem

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const modern = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":` + forms + `}`

func (c *client) callModern(tool string, given arguments, more string) gjson.Result {
	c.t.Helper()
	c.send(callOf(1, tool, given, modern+more))
	return c.next("1")
}

// answered gives what a client sends back: the answer and the state.
func answered(t *testing.T, asked gjson.Result, answer string) (responses, state string) {
	t.Helper()
	if asked.Get("result.resultType").Str != "input_required" {
		t.Fatalf("the server gave %s, want a question", asked.Raw)
	}
	var all []string
	for key := range asked.Get("result.inputRequests").Map() {
		all = append(all, `"`+key+`":`+answer)
	}
	return `,"inputResponses":{` + strings.Join(all, ",") + `}`, `,"requestState":` + asked.Get("result.requestState").Raw
}

func TestModernAsking(t *testing.T) {
	inside, outside := pair(t)
	c := connect(t, asking, inside)
	path := arguments{"path": outside + "/a"}
	responses, state := answered(t, c.callModern("read_text_file", path, ""), yes)
	if got := said(c.callModern("read_text_file", path, responses+state)); got != "outer" {
		t.Errorf("after a yes it reads %q", got)
	}
	no, state := answered(t, c.callModern("read_text_file", path, ""), `{"action":"decline"}`)
	wants(t, "a no", said(c.callModern("read_text_file", path, no+state)), "did not allow it")

	responses, state = answered(t, c.callModern("write_file", arguments{"path": outside + "/new", "content": "x"}, ""), yes)
	wants(t, "the write", said(c.callModern("write_file", arguments{"path": outside + "/new", "content": "x"}, responses+state)), "Successfully")
	wantFile(t, outside+"/new", "x")
}

// An answer without its question, or with that of another call, opens nothing.
func TestModernAnswersAreBound(t *testing.T) {
	inside, outside := pair(t)
	c := connect(t, asking, inside)
	a, b := arguments{"path": outside + "/a"}, arguments{"path": outside + "/b"}
	responses, state := answered(t, c.callModern("read_text_file", a, ""), yes)
	_, otherState := answered(t, c.callModern("read_text_file", b, ""), yes)
	for name, test := range map[string]struct {
		tool  string
		given arguments
		more  string
	}{
		"no state":             {"read_text_file", a, responses},
		"another path":         {"read_text_file", b, responses + state},
		"another call's":       {"read_text_file", b, responses + otherState},
		"another tool":         {"read_media_file", a, responses + state},
		"more than was asked":  {"read_text_file", arguments{"path": outside + "/a", "head": 1}, responses + state},
		"a state of one's own": {"read_text_file", a, responses + `,"requestState":"yes"`},
	} {
		if got := c.callModern(test.tool, test.given, test.more); strings.Contains(got.Raw, "outer") || strings.Contains(got.Raw, "other\"") {
			t.Errorf("%s opened the file: %s", name, got.Raw)
		}
	}
	if got := said(c.callModern("read_text_file", a, responses+state)); got != "outer" {
		t.Errorf("the honest answer gave %q", got)
	}
}
