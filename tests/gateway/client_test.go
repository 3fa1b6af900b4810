//go:build npmserver && unix && !aix

package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// era is how a client speaks.
type era string

const (
	legacy era = "legacy" // with a handshake
	modern era = "modern" // without one
)

const (
	// abilities are what every client here declares to be capable of, which is
	// what the gateway can carry.
	abilities = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`
	// identity is the gateway's own, so that a server says the same of the
	// client that it has.
	identity = `{"name":"MCPServer_gateway","version":"0.1.0"}`
)

// client is a client of a server that is a process of its own: of the gateway,
// or of one that the gateway joins. It answers what the server asks.
type client struct {
	t       testing.TB
	era     era
	command *exec.Cmd
	in      io.WriteCloser
	lines   chan string // of stdout; closed at its end
	record  *recording  // nil when there is none
	// isGateway says that the server is the gateway.
	isGateway bool

	root  string // the folder that it tells servers of
	id    int
	level string // of log messages that requests of the modern era ask for

	reply string // how it answers questions: "" gives what is asked for
	// visits has it visit the pages that an error of the legacy era demands, and
	// ask again.
	visits bool
	// capabilities are the server's.
	capabilities gjson.Result
	rooted       int      // how often it was asked for its roots
	asked        []string // what else it was asked: method and params
	told         []string // progress and log messages
	noted        []string // other notifications
}

// launch starts a server, to which nothing is said yet.
func launch(t testing.TB, era era, root string, command *exec.Cmd, record *recording) *client {
	t.Helper()
	c := &client{t: t, era: era, command: command, root: root, lines: make(chan string, 1<<16), record: record, level: "debug"}
	var err error
	if c.in, err = command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go c.read(out)
	t.Cleanup(c.end)
	return c
}

// greet makes the handshake, if there is one, and asks for all log messages.
func (c *client) greet() {
	c.t.Helper()
	if c.era == modern {
		c.capabilities = c.ask("server/discover", `{}`).Get("result.capabilities")
		return
	}
	answer := c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+abilities+`,"clientInfo":`+identity+`}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.capabilities = answer.Get("result.capabilities")
	if c.capabilities.Get("logging").Exists() {
		c.ask("logging/setLevel", `{"level":"debug"}`)
	}
}

// read takes the server's lines until its stdout ends.
func (c *client) read(out io.Reader) {
	defer close(c.lines)
	reader := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		c.record.add(c.t, "server", line)
		c.lines <- line
	}
}

// end closes stdin, whereupon the gateway must end. Some servers of npm go on.
func (c *client) end() {
	_ = c.in.Close() // an error says that it has ended already
	late := time.AfterFunc(guard, func() { c.t.Errorf("%s does not end", c.command.Path); c.kill() })
	defer late.Stop()
	if !c.isGateway {
		c.kill()
	}
	for range c.lines {
	}
	_ = c.command.Wait() // its status is not what is tested here
}

func (c *client) kill() {
	_ = c.command.Process.Kill() // an error says that it has ended meanwhile
}

func (c *client) send(messages ...string) {
	c.t.Helper()
	for _, message := range messages {
		c.record.add(c.t, "client", message)
	}
	if _, err := io.WriteString(c.in, strings.Join(messages, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %.200s: %v", messages, err)
	}
}

// request makes a request with the next id.
func (c *client) request(method, params string) (message, id string) {
	c.t.Helper()
	c.id++
	if c.era == modern {
		params = set(c.t, params, "_meta.io\\.modelcontextprotocol/protocolVersion", `"2026-07-28"`)
		params = set(c.t, params, "_meta.io\\.modelcontextprotocol/clientCapabilities", abilities)
		params = set(c.t, params, "_meta.io\\.modelcontextprotocol/clientInfo", identity)
		params = set(c.t, params, "_meta.io\\.modelcontextprotocol/logLevel", quoted(c.level))
	}
	id = fmt.Sprint(c.id)
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`, id
}

// ask makes a request, answers what the server asks about it, in however many
// rounds, and gives the last answer.
func (c *client) ask(method, params string) gjson.Result {
	c.t.Helper()
	next := params
	for {
		message, id := c.request(method, next)
		c.send(message)
		answer := c.await("the answer of "+method+" "+params, func(m gjson.Result) bool {
			return m.Get("id").Raw == id && !m.Get("method").Exists()
		})
		switch {
		case answer.Get("result.resultType").Str == "input_required":
			next = c.nextRound(params, answer.Get("result"))
		case c.visits && answer.Get("error.code").Int() == -32042:
			for _, page := range answer.Get("error.data.elicitations").Array() {
				c.asked = append(c.asked, "elicitation/create "+compact(page.Raw))
			}
		default:
			return answer
		}
	}
}

// nextRound gives the params with the answers to what a result asks.
func (c *client) nextRound(params string, result gjson.Result) string {
	c.t.Helper()
	var asked []string
	responses := `{}`
	result.Get("inputRequests").ForEach(func(key, question gjson.Result) bool {
		method := question.Get("method").Str
		if method == "roots/list" {
			c.rooted++
		} else {
			asked = append(asked, method+" "+compact(question.Get("params").Raw))
		}
		responses = set(c.t, responses, gjson.Escape(key.Str), c.answer(method, question.Get("params")))
		return true
	})
	slices.Sort(asked)
	c.asked = append(c.asked, asked...)
	params = set(c.t, params, "inputResponses", responses)
	if state := result.Get("requestState"); state.Exists() {
		params = set(c.t, params, "requestState", state.Raw)
	}
	return params
}

// await takes messages until there is the wanted one.
func (c *client) await(what string, isWanted func(gjson.Result) bool) gjson.Result {
	c.t.Helper()
	limit := time.After(guard)
	for {
		select {
		case line, open := <-c.lines:
			if !open {
				c.t.Fatalf("%s has ended; wanted: %.300s", c.command.Path, what)
			}
			message := gjson.Parse(line)
			c.take(message)
			if isWanted(message) {
				return message
			}
		case <-limit:
			c.t.Fatalf("%s does not send %.300s", c.command.Path, what)
		}
	}
}

// take answers what is asked and keeps what is told.
func (c *client) take(message gjson.Result) {
	c.t.Helper()
	method, params := message.Get("method").Str, message.Get("params")
	switch {
	case method == "":
	case message.Get("id").Exists():
		if method == "roots/list" {
			c.rooted++
		} else {
			c.asked = append(c.asked, method+" "+compact(params.Raw))
		}
		if c.reply == "error" {
			c.send(`{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"error":{"code":-1,"message":"Nobody is there","data":{"why":1.50}}}`)
			return
		}
		c.send(`{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"result":` + c.answer(method, params) + `}`)
	case method == "notifications/progress", method == "notifications/message":
		c.told = append(c.told, method+" "+compact(params.Raw))
	default:
		c.noted = append(c.noted, method+" "+compact(params.Raw))
	}
}

// answer gives what the client, its user or its model answers.
func (c *client) answer(method string, params gjson.Result) string {
	c.t.Helper()
	switch {
	case method == "roots/list":
		return `{"roots":[{"uri":"file://` + c.root + `","name":"the root"}]}`
	case method == "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"Paris, \"the\" capital\u2026"},"model":"a model","stopReason":"endTurn"}`
	case method != "elicitation/create":
		c.t.Fatalf("the server asks %s %s", method, params.Raw)
	case c.reply != "":
		return `{"action":"` + c.reply + `"}`
	case params.Get("mode").Str == "url":
		return `{"action":"accept"}`
	}
	return `{"action":"accept","content":` + filledIn(params.Get("requestedSchema")) + `}`
}

// filledIn gives values for all fields of a form.
func filledIn(schema gjson.Result) string {
	content := make(map[string]any)
	schema.Get("properties").ForEach(func(name, field gjson.Result) bool {
		content[name.Str] = valueOf(field)
		return true
	})
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // there are texts, numbers and the like alone
	}
	return string(text)
}

func valueOf(field gjson.Result) any {
	formats := map[string]string{
		"email": "ada@example.com", "uri": "https://example.com/", "date": "2026-01-02", "date-time": "2026-01-02T03:04:05Z",
	}
	first := func(field gjson.Result) string {
		for _, path := range []string{"enum.0", "oneOf.0.const", "anyOf.0.const"} {
			if value := field.Get(path); value.Exists() {
				return value.Str
			}
		}
		return ""
	}
	switch field.Get("type").Str {
	case "boolean":
		return true
	case "integer":
		return 7
	case "number":
		return 2.5
	case "array":
		return []string{first(field.Get("items"))}
	}
	if choice := first(field); choice != "" {
		return choice
	}
	if text, known := formats[field.Get("format").Str]; known {
		return text
	}
	return "Ada"
}

// exchange is all that one request has brought about.
type exchange struct {
	Answer string   // the result or the error
	Asked  []string // of the client
	Told   []string
}

// do makes a request and gives all that comes of it until it is answered.
func (c *client) do(method, params string) exchange {
	c.t.Helper()
	c.asked, c.told = nil, nil
	answer := c.ask(method, params)
	done := exchange{Answer: "result " + compact(answer.Get("result").Raw), Asked: c.asked, Told: c.told}
	if failure := answer.Get("error"); failure.Exists() {
		done.Answer = "error " + compact(failure.Raw)
	}
	return done
}

// list gives all entries of a list, page after page.
func (c *client) list(method, member string) []gjson.Result {
	c.t.Helper()
	var all []gjson.Result
	params := `{}`
	for {
		answer := c.ask(method, params)
		if !answer.Get("result." + member).IsArray() {
			c.t.Fatalf("%s gave %.500s", method, answer.Raw)
		}
		all = append(all, answer.Get("result."+member).Array()...)
		cursor := answer.Get("result.nextCursor")
		if !cursor.Exists() {
			return all
		}
		params = `{"cursor":` + cursor.Raw + `}`
	}
}

// compact gives JSON without white space, and otherwise as it is.
func compact(text string) string {
	if text == "" {
		return ""
	}
	return gjson.Get(text, "@ugly").Raw
}

// recording keeps a conversation, to be held against the official schemas: an
// object a line.
type recording struct {
	mu   sync.Mutex
	file *os.File
}

var recordings atomic.Int32

// newRecording gives nil unless conversations are recorded.
func newRecording(t testing.TB, what string) *recording {
	t.Helper()
	folder := os.Getenv("MCP_RECORDINGS")
	if folder == "" {
		return nil
	}
	file, err := os.Create(filepath.Join(folder, fmt.Sprintf("gateway-%s-%03d.jsonl", what, recordings.Add(1))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return &recording{file: file}
}

func (r *recording) add(t testing.TB, from, line string) {
	if r == nil {
		return
	}
	text, err := json.Marshal(map[string]string{"from": from, "line": strings.TrimSuffix(line, "\n")})
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, err = r.file.Write(append(text, '\n'))
	}
	if err != nil {
		t.Errorf("recording: %v", err)
	}
}
