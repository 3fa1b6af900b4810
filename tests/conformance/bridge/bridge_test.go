package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// patience is long enough for a server that does what it should.
const patience = time.Minute

// tested is a bridge to a fake server, and its HTTP server.
type tested struct {
	t      *testing.T
	bridge *Bridge
	http   *httptest.Server
	once   sync.Once
	result Findings
}

func start(t *testing.T, options Options) *tested {
	t.Helper()
	options.Command = []string{os.Args[0]}
	options.Environment = append(os.Environ(), asServer+"=1",
		"GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE")) // the race detector need not wait a second
	b := New(options)
	tt := &tested{t: t, bridge: b, http: httptest.NewServer(b)}
	t.Cleanup(func() { tt.findings() })
	return tt
}

// findings ends the bridge and gives what was found.
func (tt *tested) findings() Findings {
	tt.t.Helper()
	tt.once.Do(func() {
		tt.http.CloseClientConnections()
		tt.http.Close()
		var err error
		if tt.result, err = tt.bridge.Close(); err != nil {
			tt.t.Errorf("closing the bridge: %v", err)
		}
	})
	return tt.result
}

// wantNoFindings fails the test if there are faults or notes.
func (tt *tested) wantNoFindings() {
	tt.t.Helper()
	if found := tt.findings(); len(found.Faults)+len(found.Notes) > 0 {
		tt.t.Errorf("got faults %q and notes %q, want none", found.Faults, found.Notes)
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modern writes a request of the modern era; parameters may be "".
func modern(id, method, parameters string) string {
	if parameters != "" {
		parameters = "," + parameters
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, meta, parameters)
}

// saying gives the parameter that has the fake server say lines.
func saying(lines ...string) string { return sayingText(strings.Join(lines, "\n") + "\n") }

// first gives the parameter that has it say lines at once.
func first(lines ...string) string {
	return strings.Replace(saying(lines...), `"say"`, `"first"`, 1)
}

// sayingText gives the parameter that has it say any text.
func sayingText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return `"say":` + string(quoted)
}

// answer is what a POST got.
type answer struct {
	status int
	body   string
	header http.Header
}

// post sends a body. A header "Name: value" is added, "-Name" is left out.
func (tt *tested) post(body string, headers ...string) answer {
	tt.t.Helper()
	response := tt.open(tt.t.Context(), body, headers...)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		tt.t.Fatalf("reading the answer to %s: %v", body, err)
	}
	return answer{response.StatusCode, string(text), response.Header}
}

// open sends a body and gives the response as soon as it begins.
func (tt *tested) open(ctx context.Context, body string, headers ...string) *http.Response {
	tt.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, tt.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		tt.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method := gjson.Get(body, "method").Str; strings.Contains(body, "2026-07-28") {
		r.Header.Set(versionHeader, "2026-07-28")
		r.Header.Set("Mcp-Method", method)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		switch {
		case header[0] == '-':
			r.Header.Del(header[1:])
		case name == "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		tt.t.Fatalf("sending %s: %v", body, err)
	}
	return response
}

// events reads the messages of an event stream.
type events struct{ lines *bufio.Scanner }

func eventsOf(response *http.Response) events { return events{bufio.NewScanner(response.Body)} }

// next gives the next message, or "" at the end of the stream.
func (e events) next() string {
	for e.lines.Scan() {
		if data, isData := strings.CutPrefix(e.lines.Text(), "data: "); isData {
			return data
		}
	}
	return ""
}

// heard gives what the modern server has read.
func (tt *tested) heard() []string {
	tt.t.Helper()
	var lines []string
	for _, line := range gjson.Get(tt.post(modern("0", "heard", "")).body, "result.lines").Array() {
		lines = append(lines, line.Str)
	}
	return lines
}

func TestMessagesPassAsTheyAre(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	body := `{ "params" : {` + meta + `,"x":1.50e1,"s":"\u00e9\/ id"},"id":"a","method":"m","jsonrpc":"2.0", "extra":[1 ,2] }`
	tt.post(body)
	tt.post("\n" + modern("7", "m", "\r\n\"x\": 1"))
	want := []string{
		strings.Replace(body, `"id":"a"`, `"id":"bridge-1000001"`, 1),
		modern("1000002", "m", "  \"x\": 1"),
	}
	if got := tt.heard(); !slices.Equal(got, want) {
		t.Errorf("the server has read\n%q\nwant\n%q", got, want)
	}

	said := `{ "result" : {"é":1.50e1,"s":"\u00e9\/ id"},"id":$id,"jsonrpc":"2.0" , "extra":[1 ,2] }`
	got := tt.post(modern(`"b"`, "m", saying(said)))
	if want := strings.Replace(said, "$id", `"b"`, 1); got.body != want {
		t.Errorf("the client has read\n%s\nwant\n%s", got.body, want)
	}
	tt.wantNoFindings()
}

func TestEqualIDsAreKeptApart(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	var clients sync.WaitGroup
	for i, id := range []string{`1`, `1`, `"1"`} {
		clients.Go(func() {
			said := fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"result":{"client":%d}}`, i)
			want := strings.Replace(said, "$id", id, 1)
			if got := tt.post(modern(id, "gather", saying(said))).body; got != want {
				t.Errorf("client %d got %s, want %s", i, got, want)
			}
		})
	}
	clients.Wait()
	tt.wantNoFindings()
}

func TestErrorsHaveStatuses(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	for code, want := range map[int]int{
		-32700: 400, -32600: 400, -32601: 404, -32602: 400, -32603: 200,
		-32020: 400, -32021: 400, -32022: 400, 7: 200,
	} {
		said := fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"error":{"code":%d,"message":""}}`, code)
		if got := tt.post(modern("1", "m", saying(said))).status; got != want {
			t.Errorf("error %d has status %d, want %d", code, got, want)
		}
	}
	session := tt.openSession()
	said := saying(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":""}}`)
	if got := tt.post(`{"jsonrpc":"2.0","id":1,"method":"m","params":{`+said+`}}`, session).status; got != 200 {
		t.Errorf("an error of a legacy session has status %d, want 200", got)
	}
	tt.wantNoFindings()
}

func TestHeadersMustAgree(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	properties := `{"region":{"type":"string","x-mcp-header":"Region"},"size":{"properties":{"a.b":{"type":"number","x-mcp-header":"Size"}}}}`
	tt.post(modern("1", "tools/list", saying(
		`{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":`+properties+`}}]}}`)))
	plain := modern("9", "m", "")
	call := func(arguments string) string { return modern("9", "tools/call", `"name":"t","arguments":`+arguments) }
	for _, test := range []struct {
		body    string
		headers []string
		status  int
	}{
		{plain, nil, 200},
		{plain, []string{"-Mcp-Protocol-Version"}, 400},
		{plain, []string{"Mcp-Protocol-Version: v999"}, 400},
		{plain, []string{"-Mcp-Method"}, 400},
		{plain, []string{"Mcp-Method: M"}, 400},
		{call(`{}`), []string{"Mcp-Name: t"}, 200},
		{call(`{}`), []string{"Mcp-Name: =?base64?dA==?="}, 200},
		{call(`{}`), nil, 400},
		{call(`{}`), []string{"Mcp-Name: u"}, 400},
		{call(`{"region":"eu"}`), []string{"Mcp-Name: t"}, 400},
		{call(`{"region":null}`), []string{"Mcp-Name: t"}, 200},
		{call(`{}`), []string{"Mcp-Name: t", "Mcp-Param-Region: eu"}, 400},
		{call(`{"region":"eu"}`), []string{"Mcp-Name: t", "Mcp-Param-Region: eu"}, 200},
		{call(`{"region":"eu"}`), []string{"Mcp-Name: t", "Mcp-Param-Region: us"}, 400},
		{call(`{"region":"eu"}`), []string{"Mcp-Name: t", "Mcp-Param-Region: =?base64?ZXU=?="}, 200},
		{call(`{"region":"eu"}`), []string{"Mcp-Name: t", "Mcp-Param-Region: =?base64?ZXU?="}, 400},
		{call(`{"size":{"a.b":1.50}}`), []string{"Mcp-Name: t", "Mcp-Param-Size: 1.5"}, 200},
		{call(`{"size":{"a.b":1.50}}`), []string{"Mcp-Name: t", "Mcp-Param-Size: 2"}, 400},
		{call(`{"size":{"a.b":1.50}}`), []string{"Mcp-Name: t"}, 400},
		{modern("9", "resources/read", `"uri":"u"`), []string{"Mcp-Name: u"}, 200},
		{modern("9", "resources/read", `"uri":"u"`), []string{"Mcp-Name: v"}, 400},
		{plain, []string{"Host: elsewhere.example.com"}, 403},
		{plain, []string{"Origin: http://elsewhere.example.com"}, 403},
		{plain, []string{"Origin: http://localhost:1"}, 200},
		{plain, []string{"Origin: http://[::1]:1"}, 200},
		{plain, []string{"Content-Type: text/plain"}, 415},
		{plain, []string{"Accept: text/html"}, 406},
		{`[` + plain + `]`, nil, 400},
		{`{`, nil, 400},
		{`{"jsonrpc":"2.0","id":9,"method":"m"}`, nil, 400},
		{`{"jsonrpc":"2.0","id":9,"method":"m"}`, []string{"Mcp-Session-Id: none"}, 404},
		// That it lacks its version is the server's to say.
		{`{"jsonrpc":"2.0","id":9,"method":"m","params":{}}`, []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: m"}, 200},
	} {
		if got := tt.post(test.body, test.headers...); got.status != test.status {
			t.Errorf("%s with %q has status %d, want %d: %s", test.body, test.headers, got.status, test.status, got.body)
		}
	}
	tt.wantNoFindings()
}

func TestProgressAndLogComeWithTheirRequests(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	parameters := saying(progress, logged, `{"jsonrpc":"2.0","id":$id,"result":{}}`)
	body := `{"jsonrpc":"2.0","id":4,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"p"},` + parameters + `}}`
	got := tt.post(body)
	want := "event: message\ndata: " + progress + "\n\nevent: message\ndata: " + logged + "\n\nevent: message\ndata: " + `{"jsonrpc":"2.0","id":4,"result":{}}` + "\n\n"
	if kind := got.header.Get("Content-Type"); got.body != want || kind != "text/event-stream" {
		t.Errorf("got %s %q, want an event stream %q", kind, got.body, want)
	}
	tt.wantNoFindings()
}

const (
	logged       = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":""}}`
	acknowledged = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}}`
)

func TestSubscriptionsAreKeptApart(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	first := eventsOf(tt.open(t.Context(), modern(`7`, "subscriptions/listen", saying(acknowledged))))
	second := eventsOf(tt.open(t.Context(), modern(`"7"`, "subscriptions/listen", saying(acknowledged))))
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`
	untagged := `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
	ended := `{"jsonrpc":"2.0","id":1000001,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":1000001}}}`
	withdrawn := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"bridge-1000002"}}`
	tt.post(modern("7", "m", saying(
		fmt.Sprintf(changed, `"bridge-1000002"`), fmt.Sprintf(changed, `1000001`), untagged, ended, withdrawn, `{"jsonrpc":"2.0","id":$id,"result":{}}`)))
	for _, test := range []struct {
		events events
		want   []string
	}{
		{first, []string{
			strings.Replace(acknowledged, "$id", `7`, 1), fmt.Sprintf(changed, `7`), untagged,
			strings.ReplaceAll(ended, "1000001", "7"), "",
		}},
		{second, []string{strings.Replace(acknowledged, "$id", `"7"`, 1), fmt.Sprintf(changed, `"7"`), untagged, ""}},
	} {
		for _, want := range test.want {
			if got := test.events.next(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	tt.wantNoFindings()
}

func TestClosingAStreamCancels(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	eventsOf(tt.open(ctx, modern("7", "subscriptions/listen", saying(acknowledged)))).next()
	waiting := eventsOf(tt.open(t.Context(), modern("8", "untilNotified", first(logged)+`,`+saying(
		`{"jsonrpc":"2.0","id":1000001,"result":{}}`, // this and the cancellation may cross
		`{"jsonrpc":"2.0","id":$id,"result":{}}`))))
	waiting.next()
	leave()
	if got, want := waiting.next(), `{"jsonrpc":"2.0","id":8,"result":{}}`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000001,"reason":"the client has closed the stream"}}`
	if got := tt.heard(); !slices.Contains(got, want) {
		t.Errorf("the server has read %q, want %s in it", got, want)
	}
	tt.wantNoFindings()
}

// openSession opens a legacy session and gives its header.
func (tt *tested) openSession() string {
	tt.t.Helper()
	got := tt.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	id := got.header.Get(sessionHeader)
	if got.status != 200 || id == "" {
		tt.t.Fatalf("initialize has status %d and session %q: %s", got.status, id, got.body)
	}
	return sessionHeader + ": " + id
}

func TestSessionsHaveTheirOwnProcesses(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	one, two := tt.openSession(), tt.openSession()
	tt.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, one)
	for session, want := range map[string]int{one: 2, two: 1} {
		lines := gjson.Get(tt.post(`{"jsonrpc":"2.0","id":1,"method":"heard"}`, session).body, "result.lines.#").Int()
		if int(lines) != want {
			t.Errorf("the server has read %d messages of a session, want %d", lines, want)
		}
	}

	if got := tt.delete(one); got != 204 {
		t.Errorf("ending a session has status %d, want 204", got)
	}
	for session, want := range map[string]int{one: 404, two: 200} {
		if got := tt.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, session).status; got != want {
			t.Errorf("a request has status %d, want %d", got, want)
		}
	}
	if got := tt.delete(one); got != 404 {
		t.Errorf("ending a session again has status %d, want 404", got)
	}
	tt.wantNoFindings()
}

func (tt *tested) delete(session string) (status int) {
	tt.t.Helper()
	return tt.bodiless(http.MethodDelete, session).StatusCode
}

// bodiless sends a request without a body.
func (tt *tested) bodiless(method, session string) *http.Response {
	tt.t.Helper()
	r, err := http.NewRequestWithContext(tt.t.Context(), method, tt.http.URL+"/mcp", nil)
	if err != nil {
		tt.t.Fatal(err)
	}
	r.Header.Set(sessionHeader, strings.TrimPrefix(session, sessionHeader+": "))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		tt.t.Fatal(err)
	}
	return response
}

func TestRefusedInitializeOpensNoSession(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	refusal := saying(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":""}}`)
	got := tt.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{` + refusal + `}}`)
	again := tt.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader+": "+got.header.Get(sessionHeader))
	if again.status == 200 {
		t.Errorf("a request of the refused session has status %d: %s", again.status, again.body)
	}
	tt.wantNoFindings()
}

func TestServerAsksWithinARequest(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	session := tt.openSession()
	question := `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}`
	stream := eventsOf(tt.open(t.Context(), `{"jsonrpc":"2.0","id":5,"method":"untilAnswered","params":{`+first(question)+`}}`, session))
	if got := stream.next(); got != question {
		t.Errorf("got %q, want %q", got, question)
	}
	response := `{"jsonrpc":"2.0","id":"s","result":{"x": 1.0}}`
	if got := tt.post(response, session).status; got != 202 {
		t.Errorf("the response has status %d, want 202", got)
	}
	if got, want := stream.next(), `{"jsonrpc":"2.0","id":5,"result":{}}`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	heard := tt.post(`{"jsonrpc":"2.0","id":6,"method":"heard"}`, session).body
	if got := gjson.Get(heard, "result.lines|@reverse|0").Str; got != response {
		t.Errorf("the server has read %q, want %q", got, response)
	}
	tt.wantNoFindings()
}

func TestWhatBelongsToNoRequestComesInTheStandaloneStream(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	session := tt.openSession()
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	updated := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"u"}}`
	tt.post(`{"jsonrpc":"2.0","id":1,"method":"m","params":{`+first(changed)+`}}`, session)
	stream := eventsOf(tt.bodiless(http.MethodGet, session))
	if got := stream.next(); got != changed {
		t.Errorf("got %q, want %q", got, changed)
	}
	tt.post(`{"jsonrpc":"2.0","id":2,"method":"m","params":{`+first(updated)+`}}`, session)
	if got := stream.next(); got != updated {
		t.Errorf("got %q, want %q", got, updated)
	}
	tt.delete(session)
	if got := stream.next(); got != "" {
		t.Errorf("got %q, want the end of the stream", got)
	}
	tt.wantNoFindings()
}

func TestLeavingALegacyRequestDoesNotCancel(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	session := tt.openSession()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	eventsOf(tt.open(ctx, `{"jsonrpc":"2.0","id":5,"method":"untilNotified","params":{`+first(logged)+`}}`, session)).next()
	leave()
	tt.post(`{"jsonrpc":"2.0","method":"notifications/other"}`, session)
	if got := tt.post(`{"jsonrpc":"2.0","id":6,"method":"heard"}`, session).body; strings.Contains(got, "notifications/cancelled") {
		t.Errorf("the server has read %s, want no cancellation", got)
	}
	tt.wantNoFindings()
}

func TestOpenIDIsRefusedInASession(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	session := tt.openSession()
	waiting := eventsOf(tt.open(t.Context(), `{"jsonrpc":"2.0","id":"\u0061","method":"untilNotified","params":{`+first(logged)+`}}`, session))
	if got := tt.post(`{"jsonrpc":"2.0","id":"a","method":"m"}`, session).status; got != 400 {
		t.Errorf("a second request with the id has status %d, want 400", got)
	}
	tt.post(`{"jsonrpc":"2.0","method":"notifications/other"}`, session)
	for _, want := range []string{logged, `{"jsonrpc":"2.0","id":"\u0061","result":{}}`, ""} {
		if got := waiting.next(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	tt.wantNoFindings()
}

// TestErrorWithoutIDReachesTheOnlyRequest: what is wrong about it is the suite's to
// say.
func TestErrorWithoutIDReachesTheOnlyRequest(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	said := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`
	if got := tt.post(modern("1", "m", saying(said))); got.body != said || got.status != 400 {
		t.Errorf("got status %d and %s, want 400 and %s", got.status, got.body, said)
	}
	tt.wantNoFindings()
}

// TestNoAnswerIsNoJSONRPC: for the suite, what the bridge says must not pass for
// what the server should have said.
func TestNoAnswerIsNoJSONRPC(t *testing.T) {
	for _, test := range []struct {
		parameters string
		patience   time.Duration
		status     int
	}{
		{`"say":""`, 20 * time.Millisecond, 504},
		{`"say":"","exit":3`, patience, 502},
		{`"say":"not JSON\n","exit":3`, patience, 502},
	} {
		tt := start(t, Options{Patience: test.patience})
		got := tt.post(modern("1", "m", test.parameters))
		if got.status != test.status || json.Valid([]byte(got.body)) {
			t.Errorf("%s has status %d and the body %q, want %d and no JSON", test.parameters, got.status, got.body, test.status)
		}
	}
}

func TestEndedServerIsStartedAnew(t *testing.T) {
	tt := start(t, Options{Patience: patience})
	for _, test := range []struct {
		parameters string
		status     int
	}{
		{`"say":"","exit":3`, 502},
		{"", 200},
	} {
		if got := tt.post(modern("1", "m", test.parameters)).status; got != test.status {
			t.Errorf("got status %d of the server that was sent %q, want %d", got, test.parameters, test.status)
		}
	}
}

func TestRecordings(t *testing.T) {
	folder := t.TempDir()
	tt := start(t, Options{Patience: patience, Recordings: folder})
	session := tt.openSession()
	tt.post(`{"jsonrpc":"2.0","id":"é\u0000","method":"m"}`, session)
	tt.findings()
	text, err := os.ReadFile(filepath.Join(folder, "session-0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		got = append(got, gjson.Get(line, "from").Str+": "+gjson.Get(line, "line").Str)
	}
	want := []string{
		`client: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`server: {"jsonrpc":"2.0","id":0,"result":{}}`,
		`client: {"jsonrpc":"2.0","id":"é\u0000","method":"m"}`,
		`server: {"jsonrpc":"2.0","id":"é\u0000","result":{}}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
