package gateway_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/gateway"
	"mcpserver/core"
	"mcpserver/core/server"
)

// talk is one conversation of a client with a gateway in this process. Messages
// are taken in any order: what is not asked for stays, so that notifications may
// come where they like. All of them are kept in the order in which they came.
type talk struct {
	t       *testing.T
	servers []*fake
	in      io.WriteCloser
	meta    string // of each request; "" is none
	end     context.CancelFunc
	served  chan struct{} // closed when Serve has returned
	err     error         // what it has returned; set before

	reading  sync.Mutex
	mu       sync.Mutex
	changed  chan struct{}
	messages []gjson.Result
	taken    []bool
	over     bool
	last     int // number of the last request
}

// fullClient are capabilities of a client that can do all.
const fullClient = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`

// settings is what a test varies of a conversation.
type settings struct {
	flags   []string
	options *server.Options
	config  string // in place of that of the servers
	slow    bool   // the client reads a few bytes at a time
}

// connect begins a conversation with a gateway in front of these servers. Lists
// wait for all of them.
func connect(t *testing.T, more settings, servers ...*fake) *talk {
	t.Helper()
	if more.config == "" {
		more.config = configFile(t, servers...)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &talk{t: t, servers: servers, in: toServer, end: cancel, served: make(chan struct{}), changed: make(chan struct{})}
	aspect := withFlags(t, append([]string{"--config=" + more.config, "--list-wait=1m"}, more.flags...)...)
	go func() {
		defer close(c.served)
		c.err = server.Serve(ctx, aspect, in, out, more.options)
		in.CloseWithError(fmt.Errorf("serving has ended: %v", c.err))
		out.Close()
	}()
	if more.slow {
		go c.read(slowly{fromServer})
	} else {
		go c.read(fromServer)
	}
	t.Cleanup(c.close)
	return c
}

// withFlags gives the aspect with these flags on its command line.
func withFlags(t *testing.T, arguments ...string) *core.Aspect {
	t.Helper()
	aspect := gateway.Aspect()
	add := aspect.Flags
	aspect.Flags = func(flags *flag.FlagSet) {
		add(flags)
		flags.SetOutput(io.Discard)
		if err := flags.Parse(arguments); err != nil {
			t.Error(err)
		}
	}
	return aspect
}

// configFile writes a configuration with these servers.
func configFile(t *testing.T, servers ...*fake) string {
	t.Helper()
	var entries []string
	for _, f := range servers {
		name, _ := json.Marshal(f.name)
		entries = append(entries, fmt.Sprintf("%s:%s", name, f.configuration()))
	}
	return writeConfig(t, `{"mcpServers":{`+strings.Join(entries, ",\n")+`}}`)
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// legacy begins a conversation and makes the handshake, with all capabilities.
// When it returns, all servers have been started, or have failed once.
func legacy(t *testing.T, servers ...*fake) *talk {
	t.Helper()
	return legacyWith(t, settings{}, fullClient, servers...)
}

func legacyWith(t *testing.T, more settings, capabilities string, servers ...*fake) *talk {
	t.Helper()
	c := connect(t, more, servers...)
	c.initialize(capabilities)
	c.settle()
	return c
}

// initialize makes the handshake.
func (c *talk) initialize(capabilities string) gjson.Result {
	c.t.Helper()
	answer := c.result("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"test","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// settle waits until all servers have been tried, and drops what was told of
// them.
func (c *talk) settle() {
	c.t.Helper()
	c.result("tools/list", `{}`)
	c.fence()
	c.drop()
}

func (c *talk) read(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		c.reading.Lock() // not while it is paused
		c.mu.Lock()
		if err == nil {
			c.messages, c.taken = append(c.messages, gjson.Parse(line)), append(c.taken, false)
		} else {
			c.over = true
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		c.reading.Unlock()
		if err != nil {
			return
		}
	}
}

// pauseReading has the client read nothing more, until resumeReading.
func (c *talk) pauseReading() { c.reading.Lock() }

func (c *talk) resumeReading() { c.reading.Unlock() }

// close ends the conversation, and demands that nothing survives.
func (c *talk) close() {
	c.end()
	c.wait()
	c.in.Close()
	for _, f := range c.servers {
		f.mustBeGone()
	}
}

// wait waits until serving has ended, which must not fail.
func (c *talk) wait() {
	c.t.Helper()
	select {
	case <-c.served:
		if c.err != nil {
			c.t.Errorf("Serve returned %v", c.err)
		}
	case <-time.After(patience):
		c.t.Error("Serve does not return")
	}
}

// send writes messages, all in one write.
func (c *talk) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %.300q: %v", lines, err)
	}
}

// take waits for a message that fits and takes it.
func (c *talk) take(what string, fits func(gjson.Result) bool) gjson.Result {
	c.t.Helper()
	late := time.After(patience)
	for {
		found, taken, changed, over := c.find(fits)
		switch {
		case taken:
			return found
		case over:
			c.t.Fatalf("the output has ended without %s; it was\n%s", what, c.everything())
		}
		select {
		case <-changed:
		case <-late:
			c.t.Fatalf("%s did not come; what came is\n%s", what, c.everything())
		}
	}
}

func (c *talk) find(fits func(gjson.Result) bool) (found gjson.Result, taken bool, changed <-chan struct{}, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, message := range c.messages {
		if !c.taken[i] && fits(message) {
			c.taken[i] = true
			return message, true, nil, false
		}
	}
	return found, false, c.changed, c.over
}

// everything gives all that came, for messages.
func (c *talk) everything() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	for _, message := range c.messages {
		fmt.Fprintf(&text, "%.400s\n", strings.TrimSpace(message.Raw))
	}
	return text.String()
}

// drop takes all that has come.
func (c *talk) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.taken {
		c.taken[i] = true
	}
}

// came gives all messages with a method that have come and were not taken.
func (c *talk) came(method string) (all []gjson.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, message := range c.messages {
		if !c.taken[i] && message.Get("method").Str == method {
			all = append(all, message)
		}
	}
	return all
}

// order gives, for each of these texts, the place of the first message that has
// it; -1 is none.
func (c *talk) order(texts ...string) (places []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		place := -1
		for i, message := range c.messages {
			if place < 0 && strings.Contains(message.Raw, text) {
				place = i
			}
		}
		places = append(places, place)
	}
	return places
}

// tryFlags serves a client that says nothing. The error is that of the flags, or
// of serving.
func tryFlags(flags ...string) error {
	aspect := gateway.Aspect()
	add := aspect.Flags
	var wrong error
	aspect.Flags = func(set *flag.FlagSet) {
		add(set)
		set.SetOutput(io.Discard)
		wrong = set.Parse(flags)
	}
	err := server.Serve(context.Background(), aspect, strings.NewReader(""), io.Discard, nil)
	return cmp.Or(wrong, err)
}

// quick leaves calls that are under way at the end little time.
var quick = &server.Options{Grace: 2500 * time.Millisecond}

func isAnswerTo(id string) func(gjson.Result) bool {
	return func(m gjson.Result) bool { return m.Get("id").Raw == id && !m.Get("method").Exists() }
}
