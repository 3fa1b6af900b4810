//go:build linux

package process

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An output that fails, other than by its reader's going, is an error that is
// told.
func TestFullDeviceIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	p := prepare(t, testServer)
	p.command.Stdout = full
	p.start()
	go p.said.read(p.err)
	p.send(ping(1))
	p.wantStatus(1)
	if said := p.said.whole(t); !strings.Contains(said, "no space left") {
		t.Errorf("stderr gives no reason:\n%s", said)
	}
}

// A child of the aspect's inherits neither the protocol's input nor its output.
func TestChildInheritsNoProtocolDescriptor(t *testing.T) {
	p := start(t, testServer)
	own := func(fd int) string {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", p.command.Process.Pid, fd))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	theirs := func(file *os.File) string {
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	p.send(call(1, "descriptors", "{}"))
	inherited := p.next().Get("result.content.0.text").Str
	if !strings.Contains(inherited, "0 /dev/null\n") {
		t.Errorf("the child's stdin is not the null device:\n%s", inherited)
	}
	// Both ends of a pipe have one name.
	for what, name := range map[string]string{"stdin": theirs(p.in), "stdout": theirs(p.out)} {
		if strings.Contains(inherited, name) {
			t.Errorf("the child has the server's %s, %s:\n%s", what, name, inherited)
		}
	}
	if out, err := own(1), own(2); out != err {
		t.Errorf("descriptor 1 is %s and descriptor 2 is %s, want the same", out, err)
	}
}

// status gives a number of the process's status, such as VmRSS in KiB.
func (p *process) status(name string) int {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+)`).FindSubmatch(text)
	if found == nil {
		p.t.Fatalf("the process's status has no %s:\n%s", name, text)
	}
	number, err := strconv.Atoi(string(found[1]))
	if err != nil {
		p.t.Fatal(err)
	}
	return number
}

// A line without end is refused once, and takes no more memory than its limit
// allows.
func TestEndlessLineTakesBoundedMemory(t *testing.T) {
	p := start(t, testServer)
	piece := strings.Repeat("x", 1<<20)
	p.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`)
	for range 300 {
		p.write(piece)
	}
	p.send(`"}}}`, ping(8))
	if got := p.next(); got.Get("id").Raw != "7" || got.Get("error.code").Int() != -32600 {
		t.Errorf("got %.300s, want id 7 with the error -32600", got.Raw)
	}
	p.wantIDs("8")
	if peak := p.status("VmHWM"); peak > 150<<10 {
		t.Errorf("the server took %d MiB at its peak, want less than 150", peak>>10)
	}
	p.in.Close()
	p.wantStatus(0)
}

// Clients start many servers: one that is idle is small.
func TestMemoryAfterTheHandshake(t *testing.T) {
	for _, binary := range allBinaries[1:] {
		p := start(t, binary)
		p.send(initialize, initialized, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		p.wantIDs(`"init"`, "1")
		if resident := p.status("VmRSS"); resident > 12<<10 {
			t.Errorf("%s has %d KiB resident after the handshake, want less than 12 MiB", binary, resident)
		}
	}
}

// A reminder keeps its own text, not the whole message that it came in.
func TestRemindersKeepTheirTextAlone(t *testing.T) {
	const reminders = 200
	p := start(t, setReminder)
	p.send(initialize, initialized)
	p.wantIDs(`"init"`)
	padding := strings.Repeat("x", 1<<20)
	for id := range reminders {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"setReminder","arguments":{"Reminder":"r","TimeoutMS":1e9},"_meta":{"x":%q}}}`, id, padding))
		if got := p.next(); got.Get("id").Int() != int64(id) || got.Get("result.isError").Bool() {
			t.Fatalf("got %.300s, want the answer to %d", got.Raw, id)
		}
	}
	if resident := p.status("VmRSS"); resident > 100<<10 {
		t.Errorf("%d MiB are resident with %d reminders of one byte, which came in messages of 1 MiB", resident>>10, reminders)
	}
	p.in.Close()
	p.wantStatus(0)
}

// Neither memory nor threads grow with the number of calls.
func TestMemoryOverAMillionCalls(t *testing.T) {
	p := start(t, helloWorld)
	p.send(initialize, initialized)
	p.wantIDs(`"init"`)
	p.pipeline(100_000)
	resident, threads := p.status("VmRSS"), p.status("Threads")
	p.pipeline(900_000)
	if now := p.status("VmRSS"); now > resident+2<<10 {
		t.Errorf("%d KiB are resident after 1,000,000 calls, %d after 100,000", now, resident)
	}
	if now := p.status("Threads"); now > threads+2 {
		t.Errorf("%d threads after 1,000,000 calls, %d after 100,000", now, threads)
	}
	p.in.Close()
	p.wantStatus(0)
}

// pipeline makes so many calls, many of them under way at once.
func (p *process) pipeline(calls int) {
	p.t.Helper()
	const each = 500
	var lines strings.Builder
	for id := range each {
		lines.WriteString(call(id, "helloWorld", `{"name":"Eric"}`) + "\n")
	}
	// An id may be used again when it has been answered.
	turns := make(chan struct{}, 2)
	turns <- struct{}{}
	go func() {
		for range calls / each {
			<-turns
			if _, err := p.in.WriteString(lines.String()); err != nil {
				p.t.Errorf("sending: %v", err)
				return
			}
		}
	}()
	for n := range calls {
		line, open := <-p.lines
		if !open || !strings.Contains(line, "How are you, Eric.") {
			p.t.Fatalf("got %.300q, want a greeting", line)
		}
		if n%each == each-1 && n != calls-1 {
			turns <- struct{}{}
		}
	}
}

// Take-overs, cancelled and failed calls leave no goroutine or thread behind.
func TestGoroutinesDoNotGrow(t *testing.T) {
	p := start(t, testServer)
	count := func() int {
		p.send(call(0, "goroutines", "{}"))
		n, err := strconv.Atoi(p.next().Get("result.content.0.text").Str)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	round := func(from int) {
		for id := from; id < from+300; id += 3 {
			p.send(
				call(id, "wait", "{}"),
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id),
				call(id+1, "echo", `{"text":5}`),
				ping(id+2),
			)
			for range 2 {
				p.next()
			}
		}
	}
	round(1000)
	before, threads := count(), p.status("Threads")
	for i := range 10 {
		round(10_000 + 1000*i)
	}
	if after := count(); after > before+5 {
		t.Errorf("%d goroutines after 1,000 cancelled and 1,000 failed calls more, %d before", after, before)
	}
	if after := p.status("Threads"); after > threads+3 {
		t.Errorf("%d threads after 1,000 cancelled and 1,000 failed calls more, %d before", after, threads)
	}
}
