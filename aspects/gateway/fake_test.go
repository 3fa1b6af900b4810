package gateway_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// fake is one server of a configuration. What it does is a function of the test;
// see child_test.go.
type fake struct {
	t    *testing.T
	name string
	// entry are further members of its entry, and options of the child.
	entry   string
	options []string
	// deaf has it ignore the end of its input.
	deaf bool
	// live replaces what is done with messages.
	live func(l *link)

	listener net.Listener

	mu      sync.Mutex
	changed chan struct{} // closed at each change of what follows, and made anew
	actions map[string]action
	lists   map[string]string // elements, by the member of the result
	links   []*link
	holders []*holder
}

// action answers a request, or does something about a notification. The text, if
// it is not empty, is the result.
type action func(l *link, a arrival) string

// holder is a grandchild.
type holder struct{ gone chan struct{} }

// arrival is one message that the server has got. The text "" is none.
type arrival struct {
	method, id string
	params     gjson.Result
	body       gjson.Result
}

// newFake makes a server with these actions, and the default ones besides.
func newFake(t *testing.T, name string, defaults ...map[string]action) *fake {
	t.Helper()
	folder, err := os.MkdirTemp("", "gw") // t.TempDir's names are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, name: name, changed: make(chan struct{}), actions: map[string]action{}, lists: map[string]string{}}
	f.live = (*link).serve
	f.listener, err = net.Listen("unix", filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.listener.Close()
		os.RemoveAll(folder)
	})
	for _, some := range defaults {
		for method, do := range some {
			f.actions[method] = do
		}
	}
	go f.accept()
	return f
}

// on sets what is done about a method.
func (f *fake) on(method string, do action) *fake {
	f.change(func() { f.actions[method] = do })
	return f
}

// has sets what a list has: JSON, one element each.
func (f *fake) has(list string, elements ...string) *fake {
	f.change(func() { f.lists[list] = strings.Join(elements, ",") })
	return f
}

func (f *fake) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.changed)
	f.changed = make(chan struct{})
}

// await waits until something is so; reached is called with the lock held.
func (f *fake) await(what string, reached func() bool) {
	f.t.Helper()
	late := time.After(patience)
	for {
		f.mu.Lock()
		done, changed := reached(), f.changed
		f.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-late:
			f.t.Fatalf("server %s: %s did not come; it has got %s", f.name, what, f.record())
		}
	}
}

// record gives the methods of all that has come, for messages.
func (f *fake) record() string {
	var all []string
	for _, a := range f.sent("*") {
		all = append(all, a.method+" "+a.id)
	}
	return strings.Join(all, ", ")
}

// configuration gives the entry.
func (f *fake) configuration() string {
	path, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	command, _ := json.Marshal(path)
	arguments, _ := json.Marshal(append([]string{f.listener.Addr().String()}, f.options...))
	entry := fmt.Sprintf(`"command":%s,"args":%s`, command, arguments)
	if !strings.Contains(f.entry, `"env"`) {
		entry += `,"env":{` + childVariables + `}`
	}
	if f.entry != "" {
		entry += "," + f.entry
	}
	return "{" + entry + "}"
}

// childVariables are what a child's environment must have, as members of "env".
const childVariables = `"` + childMode + `":"relay","GORACE":"atexit_sleep_ms=0"`

func (f *fake) accept() {
	for {
		connection, err := f.listener.Accept()
		if err != nil {
			return
		}
		go f.meet(connection)
	}
}

// meet takes a child, or a grandchild.
func (f *fake) meet(connection net.Conn) {
	defer connection.Close()
	decoder := gob.NewDecoder(connection)
	var first frame
	if decoder.Decode(&first) != nil {
		return
	}
	gone := make(chan struct{})
	defer f.change(func() { close(gone) })
	if first.Kind == grandHere {
		f.change(func() { f.holders = append(f.holders, &holder{gone}) })
		_, _ = io.Copy(io.Discard, connection)
		return
	}
	l := &link{fake: f, connection: connection, encoder: gob.NewEncoder(connection), gone: gone}
	_ = json.Unmarshal(first.Data, &l.greeting)
	f.change(func() {
		l.number = len(f.links)
		f.links = append(f.links, l)
	})
	go f.live(l)
	l.listen(decoder)
}

// link is one run of the server's process.
type link struct {
	fake       *fake
	connection net.Conn
	number     int // from 0
	greeting   greeting
	gone       chan struct{} // closed at the end of the process

	sending sync.Mutex
	encoder *gob.Encoder

	// What follows is guarded by the fake's lock.
	got   []arrival
	taken int
	ended bool // its input, or itself
}

// listen takes what the process reads, until that ends.
func (l *link) listen(decoder *gob.Decoder) {
	var rest []byte
	defer l.fake.change(func() { l.ended = true })
	for {
		var f frame
		if decoder.Decode(&f) != nil {
			return
		}
		if f.Kind == endOfIn {
			l.fake.change(func() { l.ended = true })
			if !l.fake.deaf {
				l.exit(0)
			}
			continue
		}
		rest = append(rest, f.Data...)
		for {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole {
				break
			}
			rest = after
			body := gjson.Parse(string(line))
			l.fake.change(func() {
				l.got = append(l.got, arrival{body.Get("method").Str, body.Get("id").Raw, body.Get("params"), body})
			})
		}
	}
}

// next gives the next message; ok is false at the end of the input.
func (l *link) next() (a arrival, ok bool) {
	for {
		l.fake.mu.Lock()
		changed := l.fake.changed
		if l.taken < len(l.got) {
			a = l.got[l.taken]
			l.taken++
			l.fake.mu.Unlock()
			return a, true
		}
		ended := l.ended
		l.fake.mu.Unlock()
		if ended {
			return arrival{}, false
		}
		<-changed
	}
}

// serve does as the actions say, and answers what they do not know with -32601.
func (l *link) serve() {
	for {
		a, ok := l.next()
		if !ok {
			return
		}
		l.fake.mu.Lock()
		do := l.fake.actions[a.method]
		l.fake.mu.Unlock()
		switch {
		case do != nil:
			if result := do(l, a); result != "" {
				l.result(a.id, result)
			}
		case a.method != "" && a.id != "":
			l.fail(a.id, -32601, "Method not found")
		}
	}
}

func (l *link) tell(f frame) {
	l.sending.Lock()
	defer l.sending.Unlock()
	_ = l.encoder.Encode(f) // a process that is gone is told nothing
}

// write writes to stdout.
func (l *link) write(text string) { l.tell(frame{Kind: output, Data: []byte(text)}) }

func (l *link) say(line string) { l.write(line + "\n") }

// complain writes to stderr.
func (l *link) complain(text string) { l.tell(frame{Kind: complain, Data: []byte(text)}) }

// exit ends the process.
func (l *link) exit(status int) { l.tell(frame{Kind: exitNow, Status: status}) }

func (l *link) result(id, result string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (l *link) fail(id string, code int, message string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message))
}

func (l *link) notify(method, params string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// heldBack has the server answer initialize only when release is closed.
func (f *fake) heldBack() (release chan struct{}) {
	release = make(chan struct{})
	f.on("initialize", func(*link, arrival) string {
		<-release
		return `{"protocolVersion":"2025-11-25","capabilities":` + everything + `}`
	})
	return release
}

// ask sends a request of the server's own.
func (l *link) ask(id, method, params string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

// sent gives all messages with a method, of all runs; "" is for responses, and
// "*" for everything.
func (f *fake) sent(method string) []arrival {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sentLocked(method)
}

func (f *fake) sentLocked(method string) (all []arrival) {
	for _, l := range f.links {
		for _, a := range l.got {
			if method == "*" || a.method == method {
				all = append(all, a)
			}
		}
	}
	return all
}

// awaitSent waits for the number-th message with a method, from 1.
func (f *fake) awaitSent(method string, number int) arrival {
	f.t.Helper()
	f.await(fmt.Sprintf("%q number %d", method, number), func() bool { return len(f.sentLocked(method)) >= number })
	return f.sent(method)[number-1]
}

// response waits for the response to a request of the server's own.
func (f *fake) response(id string) gjson.Result {
	f.t.Helper()
	var found gjson.Result
	f.await("the response to "+id, func() bool {
		for _, a := range f.sentLocked("") {
			if a.id == id {
				found = a.body
				return true
			}
		}
		return false
	})
	return found
}

// link waits for the number-th run, from 0.
func (f *fake) link(number int) *link {
	f.t.Helper()
	f.await(fmt.Sprintf("start %d", number), func() bool { return len(f.links) > number })
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.links[number]
}

// starts is how often the server was started.
func (f *fake) starts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.links)
}

// mustBeGone demands that no process of the server is left, nor comes to its end
// by anything but what has happened already.
func (f *fake) mustBeGone() {
	f.t.Helper()
	f.mu.Lock()
	var all []chan struct{}
	for _, l := range f.links {
		all = append(all, l.gone)
	}
	for _, h := range f.holders {
		all = append(all, h.gone)
	}
	f.mu.Unlock()
	for _, gone := range all {
		select {
		case <-gone:
		case <-time.After(patience):
			f.t.Errorf("server %s: a process has survived the gateway", f.name)
		}
	}
}
