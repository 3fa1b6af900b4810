package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

// answerLimit is how long a self-test waits for its answer, and for a
// notification unless it says otherwise.
const answerLimit = 5 * time.Second

// trial is a self-test in one era.
type trial struct {
	core.SelfTest
	modern bool
}

// selfTest is a client in the same process, on a pipe to a real connection.
type selfTest struct {
	toServer io.Writer
	messages chan string // the server's, closed at its end
	last     int         // the id given last
	answers  map[string]json.RawMessage
	count    int      // tests that were run
	faults   []string // messages that are no valid JSON-RPC, and the like
}

// SelfTest runs an aspect's self-tests as "<binary> Test" does, through the same
// path as a client's requests: every message that the server writes goes to
// messages, a verdict a line to verdicts. The error says that not all was well.
func SelfTest(ctx context.Context, aspect *core.Aspect, messages, verdicts io.Writer, options *Options) error {
	options, file, err := prepare(aspect, options)
	if err != nil {
		return err
	}
	defer file.Close()
	return runSelfTests(ctx, aspect, messages, verdicts, options, file, nil)
}

// test runs the self-tests of this process's aspect.
func (r *Runner) test(ctx context.Context) int {
	<-r.opened
	if err := runSelfTests(ctx, r.aspect, r.out, r.stderr, &r.line.options, r.trace, r.notices); err != nil {
		return 1
	}
	return 0
}

func runSelfTests(ctx context.Context, aspect *core.Aspect, messages, verdicts io.Writer, options *Options, file *trace.Trace, notices *stdio.Notices) error {
	own := *options
	own.selfTesting = true
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := serve(ctx, aspect, fromClient, toClient, &own, file, notices)
		fromClient.Close()
		toClient.Close()
		served <- err
	}()
	t := &selfTest{toServer: toServer, messages: make(chan string)}
	printed := make(chan error, 1)
	go func() {
		err := t.pump(fromServer, messages)
		fromServer.Close()
		printed <- err
	}()
	for _, tool := range aspect.Tools {
		for _, warning := range core.ToolWarnings(tool) {
			fmt.Fprintln(verdicts, "WARN", warning)
		}
	}
	failures := t.runAll(selfTests(aspect), verdicts)
	toServer.Close()
	for range t.messages {
		continue
	}
	for _, err := range []error{<-served, <-printed} {
		if err != nil {
			t.faults = append(t.faults, err.Error())
		}
	}
	for _, fault := range t.faults {
		failures++
		fmt.Fprintln(verdicts, "FAIL", fault)
	}
	fmt.Fprintf(verdicts, "---- %s, %s\n", phrase.Counted(t.count, "test"), phrase.Counted(failures, "failure"))
	if failures > 0 {
		return fmt.Errorf("%s failed: %s", aspect.Name, phrase.Counted(failures, "self-test"))
	}
	return nil
}

// runAll runs the tests one after the other, until the server has gone.
func (t *selfTest) runAll(tests []trial, verdicts io.Writer) (failures int) {
	for _, test := range tests {
		err := t.run(test)
		if errors.Is(err, io.ErrClosedPipe) {
			return failures
		}
		t.count++
		if err != nil {
			failures++
			fmt.Fprintf(verdicts, "FAIL %s: %v\n", test.Name, err)
			continue
		}
		fmt.Fprintln(verdicts, "PASS", test.Name)
	}
	return failures
}

// selfTests are those of every server, then the aspect's own.
func selfTests(aspect *core.Aspect) []trial {
	name := aspect.Name
	tests := []core.SelfTest{
		{
			Name:   "initialize",
			Method: "initialize",
			Era:    core.LegacyEra,
			Params: `{"protocolVersion":"` + protocol.NewestLegacy.String() + `","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}},"clientInfo":{"name":"self-test","version":"1"}}`,
			Expect: core.Expect{Values: map[string]any{"serverInfo.name": name, "serverInfo.version": aspect.Version, "protocolVersion": protocol.NewestLegacy.String()}},
		},
		{Name: "tools/list", Method: "tools/list", Expect: core.Expect{Values: map[string]any{`tools.#(name=="` + aboutName + `").name`: aboutName}}},
		{Name: aboutName, Tool: aboutName, Expect: core.Expect{Values: map[string]any{"content.0.type": "text"}}},
		discoverTest(),
	}
	var trials []trial
	for _, test := range append(tests, aspect.SelfTests...) {
		if test.Era != core.ModernEra {
			trials = append(trials, trial{test, false})
		}
	}
	return append(trials, modernTrials(append(tests, aspect.SelfTests...))...)
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
func (t *selfTest) run(test trial) error {
	t.answers = test.Answers
	e := &exchange{trial: test, awaited: test.Notification}
	if test.Method == listenMethod {
		// It is answered when the stream ends, so its beginning counts.
		e.answered = true
		if e.awaited == nil {
			e.awaited = &core.ExpectNotification{Method: "notifications/subscriptions/acknowledged"}
		}
	}
	e.method, e.params = requestOf(test)
	id, err := t.request(e.method, e.params)
	if err != nil {
		return err
	}
	e.id = id
	limit := time.NewTimer(limitOf(test.SelfTest))
	defer limit.Stop()
	for !e.answered || e.awaited != nil {
		select {
		case line, open := <-t.messages:
			if !open {
				return fmt.Errorf("the server ended")
			}
			if err := t.take(e, gjson.Parse(line)); err != nil {
				return err
			}
		case <-limit.C:
			return fmt.Errorf("within %v there came %s", limitOf(test.SelfTest), e.missing())
		}
	}
	if test.Method == "initialize" {
		return t.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return nil
}

// listenMethod opens a stream; its answer comes at the stream's end.
const listenMethod = "subscriptions/listen"

// exchange is how far a test has come.
type exchange struct {
	trial
	id, method, params string
	answered           bool
	awaited            *core.ExpectNotification // nil when it has come
	unlike             error                    // why the latest one is not the awaited one
}

// take takes a message of the server. An error ends the test.
func (t *selfTest) take(e *exchange, message gjson.Result) error {
	isCall := message.Get("method").Exists()
	switch {
	case !isCall && message.Get("id").Raw == e.id:
		again, err := t.nextRound(e, message)
		if err != nil {
			return err
		}
		if again == "" {
			e.answered = true
			return check(e.SelfTest, message)
		}
		e.id, err = t.request(e.method, again)
		return err
	case isCall && message.Get("id").Exists():
		return t.answer(message)
	case e.awaited != nil && message.Get("method").Str == e.awaited.Method:
		if e.unlike = checkValues(message.Get("params"), e.awaited.Values); e.unlike == nil {
			e.awaited = nil
		}
	}
	return nil
}

// request sends a request and gives its id.
func (t *selfTest) request(method, params string) (id string, err error) {
	t.last++
	id = strconv.Itoa(t.last)
	line := wire.AppendString([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":`), method)
	if params != "" {
		// They were checked with the aspect; this keeps them on one line.
		if line, err = wire.AppendCompact(append(line, `,"params":`...), params); err != nil {
			return "", fmt.Errorf("the params of %s: %w", method, err)
		}
	}
	return id, t.send(string(line) + "}")
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

// requestOf gives the method and params of a trial's request.
func requestOf(test trial) (method, params string) {
	method, params = test.Method, test.Params
	if test.Tool != "" {
		method = "tools/call"
		call := append([]byte(`{"name":`), wire.AppendString(nil, test.Tool)...)
		if test.Arguments != "" {
			call = append(append(call, `,"arguments":`...), test.Arguments...)
		}
		params = string(call) + "}"
	}
	if test.modern {
		params = modernParams(params)
	}
	return method, params
}

func limitOf(test core.SelfTest) time.Duration {
	if test.Notification != nil && test.Notification.Within > 0 {
		return test.Notification.Within
	}
	return answerLimit
}

// missing says what has not come.
func (e *exchange) missing() string {
	switch {
	case !e.answered:
		return "no answer"
	case e.unlike != nil:
		return fmt.Sprintf("no %s as expected (%v)", e.awaited.Method, e.unlike)
	}
	return "no " + e.awaited.Method
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

func checkValues(object gjson.Result, values map[string]any) error {
	for _, path := range slices.Sorted(maps.Keys(values)) {
		want, err := json.Marshal(values[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		got := object.Get(path)
		if !got.Exists() || !equal(got, gjson.ParseBytes(want)) {
			return fmt.Errorf("%s: want %s, got %s", path, want, orNothing(got.Raw))
		}
	}
	return nil
}

func orNothing(raw string) string {
	if raw == "" {
		return "nothing"
	}
	return raw
}

// equal compares two JSON values, texts by their meaning and not their escapes.
func equal(a, b gjson.Result) bool {
	if a.Type == gjson.JSON || a.Type != b.Type {
		return a.Raw == b.Raw
	}
	return a.Value() == b.Value()
}
