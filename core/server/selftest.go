package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// answerLimit is how long a self-test waits for its answer, and for a
// notification unless it says otherwise.
const answerLimit = 5 * time.Second

// selfTest is a client in the same process, on a pipe to a real connection.
type selfTest struct {
	toServer io.Writer
	messages chan string // the server's, closed at its end
	last     int         // the id given last
	answers  map[string]json.RawMessage
	faults   []string // messages that are no valid JSON-RPC
}

// test runs the self-tests: messages go to stdout, verdicts to stderr.
func (r *Runner) test(ctx context.Context) int {
	<-r.opened
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := serve(ctx, r.aspect, fromClient, toClient, &r.line.options, r.trace, r.notices)
		fromClient.Close()
		toClient.Close()
		served <- err
	}()
	t := &selfTest{toServer: toServer, messages: make(chan string)}
	printed := make(chan error, 1)
	go func() { printed <- t.pump(fromServer, r.out) }()

	failed := 0
	tests := r.selfTests()
	for _, test := range tests {
		if err := t.run(test); err != nil {
			failed++
			r.verdict("FAIL", test.Name+": "+err.Error())
		} else {
			r.verdict("PASS", test.Name)
		}
	}
	toServer.Close()
	for range t.messages {
		continue
	}
	for what, err := range map[string]error{"serving": <-served, "printing": <-printed} {
		if err != nil {
			failed++
			r.verdict("FAIL", what+": "+err.Error())
		}
	}
	for _, fault := range t.faults {
		failed++
		r.verdict("FAIL", fault)
	}
	r.verdict("----", fmt.Sprintf("%d tests, %d failures", len(tests), failed))
	return min(failed, 1)
}

// verdict goes to stderr directly: nothing of the protocol waits for it.
func (r *Runner) verdict(word, text string) {
	fmt.Fprintln(r.stderr, word, text)
}

// selfTests are those of every server, then the aspect's own.
func (r *Runner) selfTests() []core.SelfTest {
	discover := core.Expect{}
	if protocol.Ceiling.Legacy() {
		discover.ErrorCode = protocol.CodeMethodNotFound
	}
	name := r.aspect.Name
	tests := []core.SelfTest{
		{
			Name:   "initialize",
			Method: "initialize",
			Params: `{"protocolVersion":"` + protocol.NewestLegacy.String() + `","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}},"clientInfo":{"name":"self-test","version":"1"}}`,
			Expect: core.Expect{Values: map[string]any{"serverInfo.name": name, "serverInfo.version": r.aspect.Version, "protocolVersion": protocol.NewestLegacy.String()}},
		},
		{Name: "tools/list", Method: "tools/list", Expect: core.Expect{Values: map[string]any{`tools.#(name=="` + aboutName + `").name`: aboutName}}},
		{Name: aboutName, Tool: aboutName, Expect: core.Expect{Values: map[string]any{"content.0.type": "text"}}},
		{Name: "server/discover", Method: "server/discover", Expect: discover},
	}
	return append(tests, r.aspect.SelfTests...)
}

// pump prints every message of the server as it is and hands it on.
func (t *selfTest) pump(fromServer io.Reader, out io.Writer) error {
	defer close(t.messages)
	lines := bufio.NewReader(fromServer)
	scanner := wire.NewScanner(10_000)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
			if fault := checkMessage(scanner, line); fault != "" {
				t.faults = append(t.faults, fault)
			}
			t.messages <- line
		}
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// checkMessage tells why a line is no valid JSON-RPC message; "" when it is.
func checkMessage(scanner *wire.Scanner, line string) string {
	var m wire.Message
	err := scanner.Scan(line, &m)
	request := m.Method.Kind == wire.String && m.Result.Kind == wire.Absent && m.Error.Kind == wire.Absent
	response := m.Method.Kind == wire.Absent && (m.Result.Kind == wire.Object) != (m.Error.Kind == wire.Object)
	switch {
	case err != nil:
		return fmt.Sprintf("a message is not JSON: %v", err)
	case m.JSONRPC.Text() != "2.0" || m.DuplicateIn != wire.NoScope || !request && !response:
		return "a message is not JSON-RPC: " + line
	}
	return ""
}

// run sends one test's request and tells why it failed, or nil.
func (t *selfTest) run(test core.SelfTest) error {
	t.answers = test.Answers
	t.last++
	id := strconv.Itoa(t.last)
	if err := t.send(`{"jsonrpc":"2.0","id":` + id + requestMembers(test) + `}`); err != nil {
		return err
	}
	answered, err := false, error(nil)
	awaited := test.Notification
	limit := time.NewTimer(limitOf(test))
	defer limit.Stop()
	for !answered || awaited != nil {
		select {
		case line, open := <-t.messages:
			if !open {
				return fmt.Errorf("the server ended")
			}
			message := gjson.Parse(line)
			switch {
			case message.Get("id").Raw == id && !message.Get("method").Exists():
				answered = true
				err = check(test, message)
			case message.Get("id").Exists() && message.Get("method").Exists():
				if err := t.answer(message); err != nil {
					return err
				}
			case awaited != nil && matches(awaited, message):
				awaited = nil
			}
		case <-limit.C:
			return fmt.Errorf("within %v there came %s", limitOf(test), missing(answered, awaited))
		}
	}
	if test.Method == "initialize" && err == nil {
		return t.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return err
}

func (t *selfTest) send(line string) error {
	_, err := io.WriteString(t.toServer, line+"\n")
	return err
}

// answer answers a question of the server by the test's script.
func (t *selfTest) answer(question gjson.Result) error {
	method := question.Get("method").Str
	head := `{"jsonrpc":"2.0","id":` + question.Get("id").Raw
	scripted, known := t.answers[method]
	if !known {
		return t.send(head + `,"error":{"code":-32601,"message":"the self-test has no answer for this method"}}`)
	}
	line, err := wire.AppendCompact([]byte(head+`,"result":`), string(scripted))
	if err != nil {
		return fmt.Errorf("the answer for %s: %w", method, err)
	}
	return t.send(string(line) + "}")
}

// requestMembers gives the method and params members of a test's request.
func requestMembers(test core.SelfTest) string {
	method, params := test.Method, test.Params
	if test.Tool != "" {
		method = "tools/call"
		call := append([]byte(`{"name":`), wire.AppendString(nil, test.Tool)...)
		if test.Arguments != "" {
			call = append(append(call, `,"arguments":`...), test.Arguments...)
		}
		params = string(call) + "}"
	}
	line := append([]byte(`,"method":`), wire.AppendString(nil, method)...)
	if params == "" {
		return string(line)
	}
	// Both were checked with the aspect, and are compacted to stay on one line.
	line, err := wire.AppendCompact(append(line, `,"params":`...), params)
	if err != nil {
		return string(line)
	}
	return string(line)
}

func limitOf(test core.SelfTest) time.Duration {
	if test.Notification != nil && test.Notification.Within > 0 {
		return test.Notification.Within
	}
	return answerLimit
}

func missing(answered bool, awaited *core.ExpectNotification) string {
	if !answered {
		return "no answer"
	}
	return "no " + awaited.Method + " as expected"
}

// check tells why an answer is not as expected, or nil.
func check(test core.SelfTest, answer gjson.Result) error {
	failure, result := answer.Get("error"), answer.Get("result")
	want := test.Expect
	switch {
	case want.ErrorCode != 0:
		if failure.Get("code").Int() != int64(want.ErrorCode) {
			return fmt.Errorf("want error %d, got %s", want.ErrorCode, answer.Raw)
		}
		return checkValues(failure, want.Values)
	case failure.Exists():
		return fmt.Errorf("got error %s", failure.Raw)
	case result.Get("isError").Bool() != want.ToolError:
		return fmt.Errorf("want isError %t, got %s", want.ToolError, result.Raw)
	}
	return checkValues(result, want.Values)
}

func matches(want *core.ExpectNotification, message gjson.Result) bool {
	return message.Get("method").Str == want.Method && checkValues(message.Get("params"), want.Values) == nil
}

func checkValues(object gjson.Result, values map[string]any) error {
	for _, path := range slices.Sorted(maps.Keys(values)) {
		want, err := json.Marshal(values[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		got := object.Get(path)
		if !got.Exists() || !equal(got, gjson.ParseBytes(want)) {
			return fmt.Errorf("%s: want %s, got %q", path, want, got.Raw)
		}
	}
	return nil
}

// equal compares two JSON values, texts by their meaning and not their escapes.
func equal(a, b gjson.Result) bool {
	if a.Type == gjson.JSON || a.Type != b.Type {
		return a.Raw == b.Raw
	}
	return a.Value() == b.Value()
}
