//go:build linux

package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	caller "mcpserver/core/client"
	"mcpserver/core/client/transport"
)

const (
	// mostAdded is how many times the latency of a direct call the gateway may
	// add to it, at the median, for a program that calls by core/client.
	mostAdded = 2.0
	// rounds is how often each way is measured; the ways take turns, so that a
	// busy moment of the machine is bad for both, and the median round counts.
	rounds = 9
	// warm, alone and together are how many calls a round has: not measured, one
	// at a time, and with up to window of them under way.
	warm     = 500
	alone    = 3_000
	together = 20_000
	window   = 64
)

// pipe is a server on pipes that this thread reads and writes itself, so that no
// scheduler but the system's is in what is measured.
type pipe struct {
	b       *testing.B
	command *exec.Cmd
	in, out int
	buffer  []byte // what was read and not taken yet is buffer[start:end]
	start   int
	end     int
	tool    string
}

// dial starts a server, makes the handshake and waits until it has the tool.
func dial(b *testing.B, tool string, command *exec.Cmd) *pipe {
	b.Helper()
	var in, out [2]int
	for _, ends := range []*[2]int{&in, &out} {
		if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
			b.Fatal(err)
		}
	}
	stdin, stdout := os.NewFile(uintptr(in[0]), "stdin"), os.NewFile(uintptr(out[1]), "stdout")
	command.Stdin, command.Stdout = stdin, stdout
	command.Env = append(os.Environ(), "TMPDIR="+b.TempDir())
	err := command.Start()
	stdin.Close()
	stdout.Close()
	if err != nil {
		b.Fatal(err)
	}
	p := &pipe{b: b, command: command, in: in[1], out: out[0], buffer: make([]byte, 1<<20), tool: tool}
	p.write([]byte(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"))
	p.answer(`"init"`)
	p.write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` + "\n"))
	if list := p.answer(`"list"`); !bytes.Contains(list, []byte(`"`+tool+`"`)) {
		b.Fatalf("there is no tool %s: %s", tool, list)
	}
	return p
}

// close ends the server.
func (p *pipe) close() {
	p.b.Helper()
	syscall.Close(p.in)
	for p.read() {
	}
	syscall.Close(p.out)
	if err := p.command.Wait(); err != nil {
		p.b.Errorf("%s: %v", p.command.Path, err)
	}
}

func (p *pipe) write(text []byte) {
	for len(text) > 0 {
		n, err := syscall.Write(p.in, text)
		if err != nil {
			p.b.Fatalf("writing to %s: %v", p.command.Path, err)
		}
		text = text[n:]
	}
}

// read reads once more, and reports whether there was anything.
func (p *pipe) read() bool {
	if p.start > 0 {
		p.end = copy(p.buffer, p.buffer[p.start:p.end])
		p.start = 0
	}
	for {
		n, err := syscall.Read(p.out, p.buffer[p.end:])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			p.b.Fatalf("reading from %s: %v", p.command.Path, err)
		default:
			p.end += n
			return n > 0
		}
	}
}

// line gives the next line, which is valid until the next one.
func (p *pipe) line() []byte {
	for {
		if length := bytes.IndexByte(p.buffer[p.start:p.end], '\n'); length >= 0 {
			line := p.buffer[p.start : p.start+length]
			p.start += length + 1
			return line
		}
		if !p.read() {
			p.b.Fatalf("%s has ended", p.command.Path)
		}
	}
}

// answer gives the answer of that id, and passes over notifications.
func (p *pipe) answer(id string) []byte {
	prefix := []byte(`{"jsonrpc":"2.0","id":` + id + `,`)
	for {
		line := p.line()
		if bytes.HasPrefix(line, prefix) {
			return line
		}
		if !bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","method":"notifications/`)) {
			p.b.Fatalf("%s sends %s, want the answer of %s", p.command.Path, line, id)
		}
	}
}

func (p *pipe) request(dst []byte, id int) []byte {
	return fmt.Appendf(dst, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"name":"Ada %d"}}}`+"\n", id, p.tool, id)
}

// answered fails unless that is the answer of a call.
func (p *pipe) answered(line []byte, id int) {
	want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"How are you, Ada %d."}]}}`, id, id)
	if string(line) != want {
		p.b.Fatalf("%s sends %s, want %s", p.command.Path, line, want)
	}
}

// latency makes calls one at a time and gives the median of their times.
func (p *pipe) latency() time.Duration {
	times := make([]time.Duration, 0, alone)
	for id := range warm + alone {
		request := p.request(nil, id)
		begin := time.Now()
		p.write(request)
		line := p.line()
		spent := time.Since(begin)
		p.answered(line, id)
		if id >= warm {
			times = append(times, spent)
		}
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// throughput makes calls of which several are under way, and gives how many are
// answered in a second.
func (p *pipe) throughput() float64 {
	begin := time.Now()
	sent, received := 0, 0
	for received < together {
		var batch []byte
		for ; sent < together && sent-received < window; sent++ {
			batch = p.request(batch, sent)
		}
		p.write(batch)
		for more := true; more && received < sent; more = bytes.IndexByte(p.buffer[p.start:p.end], '\n') >= 0 {
			line := p.line()
			id, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)), []byte(","))
			number, err := strconv.Atoi(string(id))
			if err != nil {
				p.b.Fatalf("%s sends %s", p.command.Path, line)
			}
			p.answered(line, number)
			received++
		}
	}
	return together / time.Since(begin).Seconds()
}

// called gives the median time of calls by core/client, one at a time.
func called(b *testing.B, tool, command string, arguments ...string) float64 {
	b.Helper()
	server := caller.New("server", &transport.Stdio{Command: command, Arguments: arguments, Environment: map[string]string{"TMPDIR": b.TempDir()}})
	if err := server.Connect(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer server.Disconnect()
	times := make([]time.Duration, 0, alone)
	for id := range warm + alone {
		begin := time.Now()
		result, err := server.CallTool(b.Context(), tool, json.RawMessage(fmt.Sprintf(`{"name":"Ada %d"}`, id)))
		spent := time.Since(begin)
		if want := fmt.Sprintf(`{"content":[{"type":"text","text":"How are you, Ada %d."}]}`, id); err != nil || string(result) != want {
			b.Fatalf("%s: %s, %v", tool, result, err)
		}
		if id >= warm {
			times = append(times, spent)
		}
	}
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1000
}

// way is one way to call the tool.
type way struct {
	name    string
	measure func() (latency, calls float64)
	latency []float64
	calls   []float64
}

// BenchmarkAddedLatency: what a call takes directly, and through the gateway, for
// a program that uses core/client and for one that does nothing but write and
// read. For the latter, two processes that only copy, in the gateway's place, show
// how much of what is added is the system's.
func BenchmarkAddedLatency(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	config := filepath.Join(b.TempDir(), "mcp.json")
	hello, gateway := clamped.binary("helloWorld"), clamped.binary("gateway")
	entry := fmt.Sprintf(`{"mcpServers":{"hello":{"command":%q}}}`, hello)
	if err := os.WriteFile(config, []byte(entry), 0o600); err != nil {
		b.Fatal(err)
	}
	flags := []string{"--config=" + config, "--list-wait=1m"}
	raw := func(tool string, command ...string) (latency, calls float64) {
		p := dial(b, tool, exec.Command(command[0], command[1:]...))
		defer p.close()
		return float64(p.latency().Nanoseconds()) / 1000, p.throughput()
	}
	ways := []*way{
		{name: "client", measure: func() (float64, float64) { return called(b, "helloWorld", hello), 0 }},
		{name: "client-gateway", measure: func() (float64, float64) { return called(b, "hello.helloWorld", gateway, flags...), 0 }},
		{name: "raw", measure: func() (float64, float64) { return raw("helloWorld", hello) }},
		{name: "raw-copies", measure: func() (float64, float64) { return raw("helloWorld", "sh", "-c", "cat | "+hello+" | cat") }},
		{name: "raw-gateway", measure: func() (float64, float64) {
			return raw("hello.helloWorld", append([]string{gateway}, flags...)...)
		}},
	}
	for b.Loop() {
		for range rounds {
			for _, w := range ways {
				latency, calls := w.measure()
				w.latency, w.calls = append(w.latency, latency), append(w.calls, calls)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, w := range ways {
		b.ReportMetric(median(w.latency), w.name+"-µs")
		if calls := median(w.calls); calls > 0 {
			b.ReportMetric(calls, w.name+"-calls/s")
		}
	}
	b.ReportMetric(added(ways[2], ways[3]), "raw-copies-added/direct")
	b.ReportMetric(added(ways[2], ways[4]), "raw-gateway-added/direct")
	ratio := added(ways[0], ways[1])
	b.ReportMetric(ratio, "client-gateway-added/direct")
	if ratio > mostAdded {
		b.Errorf("for a client, the gateway adds %.2f times what a direct call takes, want at most %.1f", ratio, mostAdded)
	}
}

// added gives how many times the latency of a direct call another way adds to it,
// at the median of the rounds.
func added(direct, other *way) float64 {
	ratios := make([]float64, len(direct.latency))
	for i := range ratios {
		ratios[i] = (other.latency[i] - direct.latency[i]) / direct.latency[i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
