//go:build mcp20260728

package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

const subscriptionPath = `_meta.io\.modelcontextprotocol/subscriptionId`

// listening is an aspect with all that a stream can be told of, and the host
// that tells.
func listening(tools ...core.Tool) (aspect *core.Aspect, host *core.Host) {
	aspect, host = testAspect(tools...), new(core.Host)
	aspect.DynamicTools, aspect.ResourceUpdates, aspect.Logging = true, true, true
	aspect.Resources = []core.Resource{textResource("file:///a", "a")}
	aspect.OnStartup = func(_ context.Context, h core.Host) error { *host = h; return nil }
	return aspect, host
}

func listen(id, filter string) string {
	return modern(id, "subscriptions/listen", `"notifications":`+filter)
}

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// open opens a stream whose filter is acknowledged as honoured.
func (p *talk) open(id, filter, honoured string) {
	p.t.Helper()
	p.send(listen(id, filter))
	got := p.next()
	want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":` + honoured + `}}`
	if got.Raw != want {
		p.t.Fatalf("after a listen with %s:\n got %s\nwant %s", filter, got.Raw, want)
	}
}

// wantTold wants a notification for each of the streams, in any order.
func (p *talk) wantTold(method string, uri string, ids ...string) {
	p.t.Helper()
	left := make(map[string]bool)
	for _, id := range ids {
		left[id] = true
	}
	for range ids {
		got := p.next()
		id := got.Get("params." + subscriptionPath).Raw
		if got.Get("method").Str != method || got.Get("params.uri").Str != uri || !left[id] {
			p.t.Fatalf("got %s, want %s for one of the streams %v", got.Raw, method, left)
		}
		delete(left, id)
	}
	p.wantSilence("after " + method)
}

func TestFilterOfAStream(t *testing.T) {
	full, _ := listening()
	bare := testAspect()
	fixed, _ := listening()
	fixed.DynamicTools, fixed.ResourceUpdates = false, false
	const all = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a","b\"","\u00fc"]}`
	for name, test := range map[string]struct {
		aspect           *core.Aspect
		filter, honoured string
	}{
		"all":                     {full, all, `{"toolsListChanged":true,"resourceSubscriptions":["file:///a","b\"","ü"]}`},
		"nothing":                 {full, `{}`, `{}`},
		"false":                   {full, `{"toolsListChanged":false,"resourceSubscriptions":[]}`, `{}`},
		"tools":                   {full, `{"toolsListChanged":true}`, `{"toolsListChanged":true}`},
		"a URI":                   {full, `{"resourceSubscriptions":["x"]}`, `{"resourceSubscriptions":["x"]}`},
		"a URI twice":             {full, `{"resourceSubscriptions":["x","y","x"]}`, `{"resourceSubscriptions":["x","y"]}`},
		"unknown":                 {full, `{"tasks":true,"toolsListChanged":true}`, `{"toolsListChanged":true}`},
		"all of a bare server":    {bare, all, `{}`},
		"all of an unmoving one":  {fixed, all, `{}`},
		"a list the server lacks": {full, `{"promptsListChanged":true,"resourcesListChanged":true}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			inTalk(t, test.aspect, nil, func(t *testing.T, p *talk) {
				p.open("1", test.filter, test.honoured)
				p.wantSilence("after the acknowledgement")
			})
		})
	}
}

func TestListenRefuses(t *testing.T) {
	aspect, _ := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for params, words := range map[string]string{
			``:                                       "notifications",
			`"notifications":null`:                   "notifications",
			`"notifications":[]`:                     "notifications",
			`"notifications":true`:                   "notifications",
			`"notifications":{},"notifications":{}`:  "notifications",
			`"notifications":{"toolsListChanged":1}`: "toolsListChanged",
			`"notifications":{"toolsListChanged":"true"}`:                                                     "toolsListChanged",
			`"notifications":{"promptsListChanged":{}}`:                                                       "promptsListChanged",
			`"notifications":{"resourcesListChanged":[]}`:                                                     "resourcesListChanged",
			`"notifications":{"resourceSubscriptions":"file:///a"}`:                                           "resourceSubscriptions",
			`"notifications":{"resourceSubscriptions":{"0":"file:///a"}}`:                                     "resourceSubscriptions",
			`"notifications":{"resourceSubscriptions":["file:///a",5]}`:                                       "resourceSubscriptions",
			`"notifications":{"resourceSubscriptions":[null]}`:                                                "resourceSubscriptions",
			`"notifications":{"resourceSubscriptions":["a"` + strings.Repeat(`,"a"`, maxSubscriptions) + `]}`: "resourceSubscriptions",
		} {
			request := modern("1", "subscriptions/listen", params)
			wantFailure(t, request, p.ask(request), -32602, words)
		}
		p.open("1", `{}`, `{}`)
	})
}

func TestStreamsGetWhatTheyAskedFor(t *testing.T) {
	aspect, host := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"toolsListChanged":true}`, `{"toolsListChanged":true}`)
		p.open(`"1"`, `{"resourceSubscriptions":["file:///a","file:///b"]}`, `{"resourceSubscriptions":["file:///a","file:///b"]}`)
		p.open(`2`, `{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`, `{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`)
		p.open(`"none"`, `{}`, `{}`)
		update := func(uri string) {
			t.Helper()
			if err := host.ResourceUpdated(uri); err != nil {
				t.Errorf("ResourceUpdated(%q): %v", uri, err)
			}
		}
		update("file:///a")
		p.wantTold("notifications/resources/updated", "file:///a", `"1"`, `2`)
		update("file:///b")
		p.wantTold("notifications/resources/updated", "file:///b", `"1"`)
		if err := host.ResourcePartUpdated("file:///a", "file:///a/part"); err != nil {
			t.Errorf("ResourcePartUpdated: %v", err)
		}
		p.wantTold("notifications/resources/updated", "file:///a/part", `"1"`, `2`)
		update("file:///c")
		update("file:///")
		update("")
		p.wantSilence("after updates that nobody asked for")
		if err := host.AddTools(revisionTool()); err != nil {
			t.Errorf("AddTools: %v", err)
		}
		p.wantTold("notifications/tools/list_changed", "", `1`, `2`)
		host.RemoveTools("revision")
		p.wantTold("notifications/tools/list_changed", "", `1`, `2`)
		host.RemoveTools("revision")
		host.Log(core.LogEmergency, "l", "x")
		p.wantSilence("after what no stream gets")
		// A stream blocks nothing.
		wantTool(t, "about", p.ask(modernCall("9", "about_tsar-mcp", "")), p.ask(modernCall("9", "about_tsar-mcp", "")).Get("result.content.0.text").Str)
	})
}

func TestCancelledStream(t *testing.T) {
	aspect, host := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		const filter = `{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`
		p.open(`1`, filter, filter)
		p.open(`"1"`, filter, filter)
		p.send(cancelOf(`1`))
		p.wantSilence("after the cancellation")
		host.ResourceUpdated("file:///a")
		p.wantTold("notifications/resources/updated", "file:///a", `"1"`)
		p.send(cancelOf(`1`), cancelOf(`2`), cancelOf(`null`), cancelOf(`"1"`))
		p.wantSilence("after the other cancellation")
		host.ResourceUpdated("file:///a")
		host.AddTools(revisionTool())
		p.wantSilence("with all streams cancelled")
		// The id is free again.
		p.open(`1`, `{}`, `{}`)
		rest := p.end()
		if len(rest) != 1 || rest[0].Get("id").Raw != "1" {
			t.Errorf("at the end came %v, want the answer to the open stream", rest)
		}
	})
}

func TestOpenIDOfAStreamIsRefused(t *testing.T) {
	aspect, host := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"toolsListChanged":true}`, `{"toolsListChanged":true}`)
		for _, request := range []string{listen(`1`, `{}`), modernCall("1", "about_tsar-mcp", ""), withMeta("1", "ping", "", "")} {
			wantFailure(t, request, p.ask(request), -32600, "still open")
		}
		host.AddTools(revisionTool())
		p.wantTold("notifications/tools/list_changed", "", `1`)
	})
}

func TestStreamsAtTheEndOfInput(t *testing.T) {
	aspect, _ := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, id := range []string{`1`, `"1"`, `9007199254740993`} {
			p.open(id, `{}`, `{}`)
		}
		began := time.Now()
		rest := p.end()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the end took %v, want none", waited)
		}
		if len(rest) != 3 {
			t.Fatalf("at the end came %v, want an answer for each stream", rest)
		}
		for _, answer := range rest {
			id := answer.Get("id").Raw
			want := `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `,"io.modelcontextprotocol/serverInfo":` + identity + `}}}`
			if answer.Raw != want {
				t.Errorf("a stream ended with\n     %s\nwant %s", answer.Raw, want)
			}
		}
	})
}

// A stream that ends with the input does not wait for a call that does not.
// At the end of input a stream still gets what the calls that were read have to
// tell, and then its end.
func TestStreamsOutliveRunningCalls(t *testing.T) {
	release := make(chan struct{})
	slow := core.Tool{Name: "slow", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		<-release
		return core.Text("slow"), call.Host().ResourceUpdated("file:///a")
	}}
	aspect, _ := listening(slow)
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"resourceSubscriptions":["file:///a"]}`, `{"resourceSubscriptions":["file:///a"]}`)
		release = make(chan struct{})
		p.send(modernCall("2", "slow", ""))
		synctest.Wait()
		p.in.Close()
		synctest.Wait()
		close(release)
		if got := p.next(); got.Get("method").Str != "notifications/resources/updated" {
			t.Errorf("got %s, want the update first", got.Raw)
		}
		if got := p.next(); got.Get("id").Raw != "2" {
			t.Errorf("got %s, want the call's answer", got.Raw)
		}
		if got := p.next(); got.Get("id").Raw != "1" || got.Get("result.resultType").Str != "complete" {
			t.Errorf("got %s, want the stream's end last", got.Raw)
		}
	})
}

// A stream keeps copies of its URIs, not the message that they stood in.
func TestStreamsKeepTheirURIsAlone(t *testing.T) {
	message := `["a:b"]`
	uris, failure := readURIs(gjson.Parse(message))
	if failure != nil || len(uris) != 1 || uris[0] != "a:b" {
		t.Fatalf("readURIs gave %q, %v; want a:b", uris, failure)
	}
	if unsafe.StringData(uris[0]) == unsafe.StringData(message[2:]) {
		t.Error("the URI is kept as a part of its message")
	}
}

// An update does not wait for a client that does not read.
func TestUpdatesDoNotWaitForTheClient(t *testing.T) {
	var updated chan error
	update := core.Tool{Name: "update", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		updated <- call.Host().ResourceUpdated("file:///a")
		return core.Text("done"), nil
	}}
	aspect, _ := listening(update)
	aspect.Asynchronous = true
	synctest.Test(t, func(t *testing.T) {
		updated = make(chan error, 1)
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- Serve(context.Background(), aspect, in, out, nil) }()
		lines := modern("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["file:///a"]}`) + "\n"
		if _, err := io.WriteString(toServer, lines); err != nil {
			t.Fatal(err)
		}
		// The acknowledgement is read, and nothing after it.
		if _, err := bufio.NewReaderSize(fromServer, 16).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(toServer, modernCall("2", "update", "")+"\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case err := <-updated:
			if err != nil {
				t.Errorf("ResourceUpdated: %v", err)
			}
		default:
			t.Error("ResourceUpdated waits for the client")
		}
		fromServer.Close()
		toServer.Close()
		<-served
	})
}

func TestStreamsAtASignal(t *testing.T) {
	aspect, _ := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{}`, `{}`)
		began := time.Now()
		p.signal()
		if got := p.next(); got.Get("id").Raw != `1` || got.Get("result.resultType").Str != "complete" {
			t.Errorf("at a signal came %s, want the stream's complete result", got.Raw)
		}
		if err := <-p.served; err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the end took %v, want none", waited)
		}
	})
}

func TestStreamHasNoTimeLimit(t *testing.T) {
	aspect, _ := listening()
	inTalk(t, aspect, &Options{CallTimeout: time.Second}, func(t *testing.T, p *talk) {
		p.open(`1`, `{}`, `{}`)
		time.Sleep(time.Minute)
		p.wantSilence("after the time limit of calls")
	})
}

func TestLegacySubscriptionsBesideStreams(t *testing.T) {
	aspect, host := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.ask(legacyOpening)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.ask(withMeta(`"s"`, "resources/subscribe", "", `"uri":"file:///a"`))
		p.open(`1`, `{"resourceSubscriptions":["file:///a"]}`, `{"resourceSubscriptions":["file:///a"]}`)
		host.ResourceUpdated("file:///a")
		got := map[string]bool{p.next().Get("params").Raw: true, p.next().Get("params").Raw: true}
		if !got[`{"uri":"file:///a"}`] || !got[`{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"file:///a"}`] {
			t.Errorf("an update brought %v, want one for each era", got)
		}
		p.ask(withMeta(`"u"`, "resources/unsubscribe", "", `"uri":"file:///a"`))
		host.ResourceUpdated("file:///a")
		p.wantTold("notifications/resources/updated", "file:///a", `1`)
		p.ask(withMeta(`"s"`, "resources/subscribe", "", `"uri":"file:///a"`))
		p.send(cancelOf(`1`))
		p.wantSilence("after the cancellation")
		host.ResourceUpdated("file:///a")
		if got := p.next(); got.Get("params").Raw != `{"uri":"file:///a"}` {
			t.Errorf("an update brought %s, want the legacy one", got.Raw)
		}
		p.wantSilence("after the update")
	})
}

// A change from before the handshake is old to a stream that was told of it.
func TestHandshakeTellsStreamsNothing(t *testing.T) {
	aspect, host := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"toolsListChanged":true}`, `{"toolsListChanged":true}`)
		host.AddTools(revisionTool())
		p.wantTold("notifications/tools/list_changed", "", `1`)
		p.ask(legacyOpening)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if got := p.next(); got.Get("params").Exists() {
			t.Errorf("after the handshake came %s, want the legacy notification alone", got.Raw)
		}
		p.wantSilence("after the legacy notification")
	})
}

// Streams come and go while they are told of changes; the acknowledgement is
// first of each, and nothing follows its cancellation's turn.
func TestStreamsUnderChanges(t *testing.T) {
	aspect, host := listening()
	aspect.Asynchronous = true
	t.Setenv("TMPDIR", t.TempDir())
	p := newTalk(t, aspect, nil)
	p.ask(modern(`"begin"`, "server/discover", ""))
	stop := make(chan struct{})
	var tellers sync.WaitGroup
	for range 4 {
		tellers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					host.ResourceUpdated("file:///a")
					host.AddTools(revisionTool())
					host.RemoveTools("revision")
					runtime.Gosched()
				}
			}
		})
	}
	const rounds = 300
	for i := range rounds {
		const filter = `{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`
		p.send(listen(fmt.Sprint(i), filter))
		if i >= 5 {
			p.send(cancelOf(fmt.Sprint(i - 5)))
		}
	}
	close(stop)
	tellers.Wait()
	p.in.Close()
	acknowledged := make(map[string]bool)
	ended := make(map[string]bool)
	for line := range p.lines {
		message := gjson.Parse(line)
		id := message.Get("params." + subscriptionPath).Raw
		switch {
		case message.Get("id").Exists():
			ended[message.Get("id").Raw] = true
		case message.Get("method").Str == "notifications/subscriptions/acknowledged":
			acknowledged[id] = true
		case !acknowledged[id] || ended[id]:
			t.Fatalf("%s came before the acknowledgement or after the end of its stream", line)
		}
	}
	if len(acknowledged) != rounds || len(ended) != 5 {
		t.Errorf("%d streams were acknowledged and %d ended by the server, want %d and 5", len(acknowledged), len(ended), rounds)
	}
}

// serveListens serves listens until the input ends, and gives how many were
// acknowledged, how many refused, and the most memory in use.
func serveListens(t *testing.T, aspect *core.Aspect, options *Options, listens func(w io.Writer)) (opened, refused int, heap uint64) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), aspect, in, out, options)
		out.Close()
	}()
	go func() {
		w := bufio.NewWriterSize(toServer, 64<<10)
		listens(w)
		w.WriteString(modern(`"end"`, "server/discover", "") + "\n")
		w.Flush()
	}()
	lines := bufio.NewReaderSize(fromServer, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			break
		}
		switch text := string(line[:min(len(line), 100)]); {
		case strings.Contains(text, "subscriptions/acknowledged"):
			opened++
		case strings.Contains(text, `"id":"end"`):
			var memory runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&memory)
			heap = memory.HeapAlloc
			toServer.Close()
		case strings.Contains(text, `"error"`):
			refused++
		}
	}
	if err := <-served; err != nil {
		t.Errorf("Serve returned %v, want nil", err)
	}
	return opened, refused, heap
}

func TestManyStreamsAreBounded(t *testing.T) {
	aspect, _ := listening()
	const many = 100_000
	opened, refused, heap := serveListens(t, aspect, nil, func(w io.Writer) {
		for i := range many {
			fmt.Fprintln(w, listen(fmt.Sprint(i), `{"toolsListChanged":true,"resourceSubscriptions":["file:///`+fmt.Sprint(i)+`"]}`))
		}
	})
	if opened+refused != many || refused == 0 || opened < 10_000 {
		t.Errorf("%d streams were opened and %d refused, want some of each of %d", opened, refused, many)
	}
	if heap > 200<<20 {
		t.Errorf("%d streams take %d MiB, want at most 200", opened, heap>>20)
	}
	t.Logf("%d opened, %d refused, %d MiB", opened, refused, heap>>20)
}

// A URI of a few bytes is more to keep than to send.
func TestManyURIsAreBounded(t *testing.T) {
	aspect, _ := listening()
	opened, refused, heap := serveListens(t, aspect, nil, func(w io.Writer) {
		number := 0
		for i := range 100 {
			var uris strings.Builder
			for range maxSubscriptions {
				number++
				fmt.Fprintf(&uris, `,"%x"`, number)
			}
			fmt.Fprintln(w, listen(fmt.Sprint(i), `{"resourceSubscriptions":[`+uris.String()[1:]+`]}`))
		}
	})
	if opened+refused != 100 || opened == 0 || refused == 0 {
		t.Errorf("%d streams were opened and %d refused, want some of each of 100", opened, refused)
	}
	if heap > 64<<20 {
		t.Errorf("%d streams take %d MiB, want at most 64", opened, heap>>20)
	}
	t.Logf("%d opened, %d refused, %d MiB", opened, refused, heap>>20)
}

// A stream is acknowledged when the aspect knows of it, so that a client that
// reads then misses no change; and it can be cancelled before.
func TestStreamIsAcknowledgedAfterTheAspectIsTold(t *testing.T) {
	aspect, _ := listening()
	aspect.Asynchronous = true
	told := make(chan struct{})
	aspect.OnSubscribe = func(context.Context, string) { <-told }
	var gone atomic.Int32
	aspect.OnUnsubscribe = func(context.Context, string) { gone.Add(1) }
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.send(listen("1", `{"resourceSubscriptions":["file:///a"]}`), listen("2", `{"resourceSubscriptions":["file:///b"]}`), cancelOf("2"))
		if answer := p.ask(modern("3", "tools/list", "")); !answer.Get("result").Exists() {
			t.Errorf("got %s before the aspect was told, want the list", answer.Raw)
		}
		close(told)
		if got := p.next(); got.Get("method").Str != "notifications/subscriptions/acknowledged" || got.Get("params."+subscriptionPath).Raw != "1" {
			t.Errorf("got %s, want the acknowledgement of 1", got.Raw)
		}
		synctest.Wait()
		if gone.Load() != 1 {
			t.Errorf("the aspect was told %d times that one went, want once", gone.Load())
		}
	})
}
