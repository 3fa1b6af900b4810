//go:build linux

package gateway

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/gateway"
	"mcpserver/core/server"
)

const (
	// soaked is how many servers there are, and callers how many calls are under
	// way at once.
	soaked  = 20
	callers = 16
	// mostDown is how many servers are down at the same time.
	mostDown = 5
	// mostGrown is how much more memory may be in use at the end.
	mostGrown = 8 << 20
)

// soakLength gives how many calls are made and how many servers killed: the
// short form, or so many calls as GATEWAY_SOAK says, with a killed server for
// each thousand.
func soakLength(t *testing.T) (calls, kills int) {
	text := os.Getenv("GATEWAY_SOAK")
	if text == "" {
		return 6_000, soaked
	}
	calls, err := strconv.Atoi(text)
	if err != nil || calls <= 0 {
		t.Fatalf("GATEWAY_SOAK is %q, want a number of calls such as 100000", text)
	}
	return calls, max(calls/1000, soaked)
}

// TestSoak: while servers are killed at random, every call gets its answer, or
// an error that names its server; nothing grows, and nothing is left over.
func TestSoak(t *testing.T) {
	calls, kills := soakLength(t)
	beforeAll := count(t)
	s := startSoak(t)
	s.call(t, 1_000, 0)
	before := s.settled(t)
	s.call(t, calls, kills)
	after := s.settled(t)
	for after.exceeds(before) && s.patient() { // what has just ended is still being cleared away
		after = s.settled(t)
	}
	t.Logf("%d answers, %d of them errors, %d calls cancelled, %d servers killed; before: %v; after: %v",
		s.answers.Load(), s.failures.Load(), s.cancelled.Load(), kills, before, after)
	if after.exceeds(before) {
		t.Errorf("what is in use has grown: %v before, %v after\n%s", before, after, goroutines())
	}
	if s.failures.Load() == 0 {
		t.Error("no call has failed, though servers were killed")
	}
	if s.failures.Load() > s.answers.Load()/2 {
		t.Error("more than half of the calls have failed")
	}
	s.end(t)
	for now := count(t); now.exceeds(beforeAll); now = count(t) {
		if !s.patient() {
			t.Fatalf("something is left over: %v before, %v after the end\n%s", beforeAll, now, goroutines())
		}
	}
}

// soak is a gateway in this process, and its only client.
type soak struct {
	in      io.WriteCloser
	served  chan error
	mark    string // in the environment of all servers
	targets [soaked]*victim
	limit   time.Time // of all waiting

	sending sync.Mutex // held while a message is written

	mu      sync.Mutex // guards what follows
	last    int
	waiting map[string]chan gjson.Result

	answers, failures, cancelled atomic.Int64
}

// victim is one of the servers.
type victim struct {
	name string
	kind string
	// kills counts how often it was killed, and up is that number when it has
	// answered since.
	kills, up atomic.Int64
}

func startSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{mark: fmt.Sprintf("soak-%d-%d", os.Getpid(), rand.Int()), served: make(chan error, 1), waiting: make(map[string]chan gjson.Result)}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "file"), []byte("some text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for i := range s.targets {
		kind := []string{"helloWorld", "everything", "filesystem"}[i%3]
		b := []build{clamped, unclamped}[i%2]
		s.targets[i] = &victim{name: fmt.Sprintf("%s-%d", kind, i), kind: kind}
		arguments := ""
		if kind == "filesystem" {
			arguments = strconv.Quote(root)
		}
		entries = append(entries, fmt.Sprintf(`%q:{"command":%q,"args":[%s],"env":{"MARK":"%s/%d","TMPDIR":%q}}`,
			s.targets[i].name, b.binary(kind), arguments, s.mark, i, root))
	}
	config := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers":{`+strings.Join(entries, ",")+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	in, toGateway := io.Pipe()
	fromGateway, out := io.Pipe()
	s.in = toGateway
	aspect := gateway.Aspect()
	add := aspect.Flags
	aspect.Flags = func(flags *flag.FlagSet) {
		add(flags)
		if err := flags.Parse([]string{"--config=" + config, "--list-wait=2m"}); err != nil {
			t.Error(err)
		}
	}
	go func() {
		err := server.Serve(context.Background(), aspect, in, out, nil)
		out.Close()
		s.served <- err
	}()
	go s.read(t, fromGateway)
	s.limit = time.Now().Add(guard)
	s.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.ask("tools/list", `{}`) // which waits for the servers
	return s
}

// patient waits a moment, and reports whether there is time left.
func (s *soak) patient() bool {
	time.Sleep(10 * time.Millisecond)
	return time.Now().Before(s.limit)
}

// read takes answers to whoever waits for them. One that nobody waits for is one
// too many.
func (s *soak) read(t *testing.T, from io.Reader) {
	lines := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		answer := gjson.Parse(line)
		if answer.Get("method").Exists() {
			continue
		}
		id := answer.Get("id").Raw
		s.mu.Lock()
		waiting := s.waiting[id]
		delete(s.waiting, id)
		s.mu.Unlock()
		if waiting == nil {
			t.Errorf("nobody waits for the answer %.300s", line)
			continue
		}
		waiting <- answer
	}
}

func (s *soak) send(message string) {
	s.sending.Lock()
	defer s.sending.Unlock()
	_, _ = io.WriteString(s.in, message+"\n") // an error says that the gateway has ended; then answers are missed
}

// begin sends a request.
func (s *soak) begin(method, params string) (id string, answer chan gjson.Result) {
	answer = make(chan gjson.Result, 1)
	s.mu.Lock()
	s.last++
	id = strconv.Itoa(s.last)
	s.waiting[id] = answer
	s.mu.Unlock()
	s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
	return id, answer
}

// ask sends a request and waits for its answer, which is empty if there is none.
func (s *soak) ask(method, params string) gjson.Result {
	_, answer := s.begin(method, params)
	select {
	case got := <-answer:
		return got
	case <-time.After(guard):
		return gjson.Result{}
	}
}

// call makes calls, and kills servers meanwhile.
func (s *soak) call(t *testing.T, calls, kills int) {
	t.Helper()
	var left atomic.Int64
	left.Store(int64(calls))
	over := make(chan struct{})
	var killing, calling sync.WaitGroup
	killing.Go(func() { s.kill(t, kills) })
	go func() { killing.Wait(); close(over) }()
	for range callers {
		calling.Go(func() {
			for n := left.Add(-1); !t.Failed(); n = left.Add(-1) {
				select {
				case <-over:
					if n < 0 {
						return
					}
				default: // calls go on while servers are killed
				}
				s.one(t, s.targets[rand.N(soaked)], rand.N(100))
			}
		})
	}
	calling.Wait()
}

// one makes one call of a server.
func (s *soak) one(t *testing.T, v *victim, number int) {
	if v.kind == "everything" && number == 0 {
		s.cancel(v)
		return
	}
	kills := v.kills.Load()
	isUp := v.up.Load() == kills
	params, want := v.request(number)
	answer := s.ask("tools/call", params)
	text := answer.Get("result.content.0.text").Str
	switch isError := answer.Get("result.isError").Bool() || answer.Get("error").Exists(); {
	case !answer.Exists():
		t.Errorf("%s: no answer to %s", v.name, params)
	case isError && strings.Contains(answer.Raw, v.name) && (!isUp || v.kills.Load() != kills):
		s.failures.Add(1)
		s.answers.Add(1)
	case isError || text != want:
		t.Errorf("%s: %s gave %s, want %q", v.name, params, answer.Raw, want)
	default:
		s.answers.Add(1)
		v.up.Store(kills)
	}
}

// request gives the params of a call, and what it gives.
func (v *victim) request(number int) (params, want string) {
	call := func(tool, arguments string) string {
		return fmt.Sprintf(`{"name":"%s.%s","arguments":%s,"_meta":{"progressToken":%d}}`, v.name, tool, arguments, number)
	}
	switch {
	case v.kind == "helloWorld":
		return call("helloWorld", fmt.Sprintf(`{"name":"Ada %d"}`, number)), fmt.Sprintf("How are you, Ada %d.", number)
	case v.kind == "filesystem":
		return call("read_text_file", `{"path":"file"}`), "some text"
	case number < 5:
		return call("longRunning", `{"seconds":0.02,"steps":2}`), "Done after 20ms; steps: 2"
	}
	return call("test_simple_text", `{}`), "This is a simple text response for testing."
}

// cancel makes a call that takes long, and cancels it. It may have been answered
// before, by an error.
func (s *soak) cancel(v *victim) {
	id, answer := s.begin("tools/call", `{"name":"`+v.name+`.longRunning","arguments":{"seconds":600,"steps":1}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	s.cancelled.Add(1)
	s.ask("ping", `{}`) // once this is answered, no answer is to come
	s.mu.Lock()
	delete(s.waiting, id)
	s.mu.Unlock()
	select {
	case <-answer:
	default:
	}
}

// kill kills servers, a few of which are down at a time.
func (s *soak) kill(t *testing.T, kills int) {
	s.limit = time.Now().Add(guard + time.Duration(kills)*time.Second)
	for done := 0; done < kills && !t.Failed(); {
		var up []*victim
		for _, v := range s.targets {
			if v.up.Load() == v.kills.Load() {
				up = append(up, v)
			}
		}
		if soaked-len(up) >= mostDown {
			if !s.patient() {
				t.Errorf("servers do not come back: %d of %d are there", len(up), soaked)
			}
			continue
		}
		rand.Shuffle(len(up), func(i, j int) { up[i], up[j] = up[j], up[i] })
		v := slices.MinFunc(up, func(a, b *victim) int { return int(a.kills.Load() - b.kills.Load()) })
		pids := s.processes(t, slices.Index(s.targets[:], v))
		if len(pids) != 1 {
			t.Errorf("%s has the processes %v, want one", v.name, pids)
			return
		}
		v.kills.Add(1)
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Errorf("killing %s: %v", v.name, err)
		}
		done++
	}
}

// settled waits until all servers are there, and tells what is in use then.
func (s *soak) settled(t *testing.T) usage {
	t.Helper()
	for _, v := range s.targets {
		for {
			params, want := v.request(99)
			if answer := s.ask("tools/call", params); answer.Get("result.content.0.text").Str == want {
				break
			} else if !s.patient() {
				t.Fatalf("%s does not come back: %s", v.name, answer.Raw)
			}
		}
	}
	if pids := s.processes(t, -1); len(pids) != soaked {
		t.Errorf("there are %d processes of %d servers", len(pids), soaked)
	}
	return count(t)
}

// end ends the gateway, after which no server may be left.
func (s *soak) end(t *testing.T) {
	t.Helper()
	s.in.Close()
	select {
	case err := <-s.served:
		if err != nil {
			t.Errorf("Serve returned %v", err)
		}
	case <-time.After(guard):
		t.Fatalf("the gateway does not end\n%s", goroutines())
	}
	if pids := s.processes(t, -1); len(pids) > 0 {
		t.Errorf("servers are left over: %v", pids)
	}
}

// processes finds those of one server, or of all for -1. One that has ended, and
// nobody has waited for, is a process as well.
func (s *soak) processes(t *testing.T, number int) (pids []int) {
	mark := "MARK=" + s.mark + "/"
	if number >= 0 {
		mark += strconv.Itoa(number) + "\x00"
	}
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Error(err)
	}
	for _, path := range paths {
		// An error says that the process has ended meanwhile, or is another user's.
		stat, _ := os.ReadFile(path + "/stat")
		environment, _ := os.ReadFile(path + "/environ")
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		isZombie := number < 0 && len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(os.Getpid())
		if pid, err := strconv.Atoi(filepath.Base(path)); err == nil && (isZombie || strings.Contains(string(environment), mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// usage is what this process uses.
type usage struct {
	descriptors, goroutines int
	heap                    uint64
}

func count(t *testing.T) usage {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC() // the first one frees what pools hold
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return usage{len(entries), runtime.NumGoroutine(), memory.HeapAlloc}
}

func (u usage) exceeds(before usage) bool {
	return u.descriptors > before.descriptors || u.goroutines > before.goroutines || u.heap > before.heap+mostGrown
}

func (u usage) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %d KiB", u.descriptors, u.goroutines, u.heap>>10)
}

// goroutines tells what they do.
func goroutines() string {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 1); err != nil {
		return err.Error()
	}
	return text.String()
}
