//go:build mcp20260728

package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/seal"
)

const (
	metaVersion      = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	metaCapabilities = `"io.modelcontextprotocol/clientCapabilities":`
	metaClientInfo   = `"io.modelcontextprotocol/clientInfo":`
	metaLogLevel     = `"io.modelcontextprotocol/logLevel":`

	// everything is what a client can declare.
	everything = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{}}`
	fullMeta   = `{` + metaVersion + `,` + metaCapabilities + everything + `}`
)

// talk is one connection between a server and a client that a test plays, in a
// synctest bubble, so that time costs nothing and silence can be told.
type talk struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  chan string
	served chan error
	signal context.CancelFunc
}

// inTalk plays a client of the aspect. The key that seals is the test's own.
func inTalk(t *testing.T, aspect *core.Aspect, options *Options, play func(t *testing.T, p *talk)) {
	t.Helper()
	t.Setenv(seal.KeyVariable, "the key of a test, long enough")
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) { play(t, newTalk(t, aspect, options)) })
}

// newTalk starts a server that ends with the test at the latest.
func newTalk(t *testing.T, aspect *core.Aspect, options *Options) *talk {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &talk{t: t, in: toServer, lines: make(chan string, 1<<18), served: make(chan error, 1), signal: cancel}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.served <- Serve(ctx, aspect, in, out, options)
		out.Close()
	}()
	go func() {
		defer close(p.lines)
		lines := bufio.NewReader(fromServer)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		cancel()
		toServer.Close()
		fromServer.Close()
		<-ended
	})
	return p
}

func (p *talk) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatalf("sending %.200q: %v", lines, err)
	}
}

// next gives the server's next message.
func (p *talk) next() gjson.Result {
	p.t.Helper()
	select {
	case line, open := <-p.lines:
		if !open {
			p.t.Fatal("the output has ended, want a message")
		}
		return gjson.Parse(line)
	case <-time.After(10 * time.Minute):
		p.t.Fatal("the server says nothing, want a message")
	}
	return gjson.Result{}
}

// ask sends a request and gives its answer, which must come next.
func (p *talk) ask(line string) gjson.Result {
	p.t.Helper()
	p.send(line)
	answer := p.next()
	if got, want := answer.Get("id").Raw, gjson.Get(line, "id").Raw; got != want {
		p.t.Fatalf("after %.300s came %.300s, want its answer", line, answer.Raw)
	}
	return answer
}

// wantSilence makes sure that nothing more comes once all has come to rest.
func (p *talk) wantSilence(when string) {
	p.t.Helper()
	synctest.Wait()
	select {
	case line, open := <-p.lines:
		if open {
			p.t.Errorf("%s: got %.300s, want nothing", when, line)
		}
	default:
	}
}

// end closes the input, and gives what came and what Serve returned.
func (p *talk) end() (rest []gjson.Result) {
	p.t.Helper()
	p.in.Close()
	for line := range p.lines {
		rest = append(rest, gjson.Parse(line))
	}
	if err := <-p.served; err != nil {
		p.t.Errorf("Serve returned %v, want nil", err)
	}
	return rest
}

// withMeta is a request with that _meta object ("" for none) and further
// members of params, without braces.
func withMeta(id, method, meta, params string) string {
	members := params
	if meta != "" {
		members = `"_meta":` + meta
		if params != "" {
			members += "," + params
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, members)
}

// modern is a request of the modern era whose client can do everything.
func modern(id, method, params string) string { return withMeta(id, method, fullMeta, params) }

// modernCall is a tools/call without arguments, with further members of params.
func modernCall(id, tool, more string) string {
	return modern(id, "tools/call", toolParams(tool, more))
}

func toolParams(tool, more string) string {
	params := fmt.Sprintf(`"name":%q`, tool)
	if more != "" {
		params += "," + more
	}
	return params
}

func wantFailure(t *testing.T, request string, answer gjson.Result, code int, words ...string) {
	t.Helper()
	if got := answer.Get("error.code").Int(); got != int64(code) {
		t.Errorf("%.400s\n got %.400s\nwant the error %d", request, answer.Raw, code)
	}
	for _, word := range words {
		if !strings.Contains(answer.Get("error.message").Str, word) {
			t.Errorf("%.400s\n got %.400s\nwant a message with %q", request, answer.Raw, word)
		}
	}
}

// wantTool wants a tool's text in a complete result, of either era.
func wantTool(t *testing.T, request string, answer gjson.Result, text string) {
	t.Helper()
	if answer.Get("result.content.0.text").Str != text || answer.Get("result.isError").Bool() {
		t.Errorf("%.400s\n got %.400s\nwant the text %q", request, answer.Raw, text)
	}
}

func wantToolFailure(t *testing.T, request string, answer gjson.Result, words string) {
	t.Helper()
	if !answer.Get("result.isError").Bool() || !strings.Contains(answer.Get("result.content.0.text").Str, words) {
		t.Errorf("%.400s\n got %.400s\nwant isError and a text with %q", request, answer.Raw, words)
	}
}

// testAspect has what the tests of all files ask for.
func testAspect(tools ...core.Tool) *core.Aspect {
	return &core.Aspect{Name: "MCPServer_modernTest", Version: "1.2.3", Tools: tools}
}

// revisionTool answers with the revision that it is served under.
func revisionTool() core.Tool {
	return core.Tool{Name: "revision", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		return core.Text(fmt.Sprint(call.ProtocolVersion(), " ", call.Stateless())), nil
	}}
}
