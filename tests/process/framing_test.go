//go:build unix && !aix

package process

import (
	"fmt"
	"strings"
	"testing"
)

// However a session is cut into pieces, the answers are the same.
func TestPiecesOfInput(t *testing.T) {
	var lines []string
	for id := range 50 {
		lines = append(lines, call(id, "echo", fmt.Sprintf(`{"text":"Grüße, 世界 🌍 %d"}`, id)))
	}
	session := strings.Join(lines, "\n") + "\n"
	for _, size := range []int{1, 7, 4095, len(session)} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			p := start(t, testServer)
			for rest := session; rest != ""; {
				n := min(size, len(rest))
				p.write(rest[:n])
				rest = rest[n:]
			}
			want := make(map[string]bool)
			for id := range 50 {
				want[fmt.Sprintf("Grüße, 世界 🌍 %d", id)] = true
			}
			for range 50 {
				got := p.next()
				text := got.Get("result.content.0.text").Str
				if !want[text] || !strings.HasSuffix(text, " "+got.Get("id").Raw) {
					t.Fatalf("got %s, want one answer to each call, with its own text", got.Raw)
				}
				delete(want, text)
			}
		})
	}
}

func TestSixteenMebibytesAndBack(t *testing.T) {
	p := start(t, testServer)
	text := strings.Repeat("0123456789abcde\u00e9", 1<<20)[:16<<20]
	text = strings.ToValidUTF8(text, "")
	p.send(call(1, "echo", `{"text":"`+text+`"}`), ping(2))
	got := map[string]string{}
	for range 2 {
		answer := p.next()
		got[answer.Get("id").Raw] = answer.Get("result.content.0.text").Str
	}
	if got["1"] != text {
		t.Errorf("%d bytes came back, want the %d that were sent", len(got["1"]), len(text))
	}
}

// A line over the limit is answered with its id, skipped to its end, and what
// follows is served.
func TestLineOverTheLimit(t *testing.T) {
	p := start(t, testServer, "--max-message=1000")
	long := call(1, "echo", `{"text":"`+strings.Repeat("x", 5000)+`"}`)
	p.send(ping(0), long, ping(2), long, long, ping(3))
	p.wantIDs("0", "1", "2", "1", "1", "3")
}

// The answers of calls that end at once never mix their lines, however slowly
// they are read.
func TestLinesNeverInterleave(t *testing.T) {
	const calls, size = 32, 200_000
	p := prepare(t, testServer)
	p.start()
	go p.said.read(p.err)
	for id := range calls {
		p.send(call(id, "big", fmt.Sprintf(`{"bytes":%d}`, size)))
	}
	go p.readInPieces(1009)
	seen := make(map[string]bool)
	for range calls {
		got := p.next()
		if text := got.Get("result.content.0.text").Str; strings.Trim(text, "x") != "" || len(text) != size {
			t.Fatalf("got %.300s, want %d times x", got.Raw, size)
		}
		seen[got.Get("id").Raw] = true
	}
	if len(seen) != calls {
		t.Errorf("%d calls were answered, want %d", len(seen), calls)
	}
}

// readInPieces takes the server's messages a few bytes at a time.
func (p *process) readInPieces(size int) {
	defer close(p.lines)
	var partial strings.Builder
	buffer := make([]byte, size)
	for {
		n, err := p.out.Read(buffer)
		rest := string(buffer[:n])
		for {
			line, after, whole := strings.Cut(rest, "\n")
			partial.WriteString(line)
			if !whole {
				break
			}
			p.lines <- partial.String() + "\n"
			partial.Reset()
			rest = after
		}
		if err != nil {
			return
		}
	}
}

// A slow call holds up neither ping nor lists, and its cancellation is seen.
func TestSlowCallIsOvertaken(t *testing.T) {
	gate := pipeGate(t)
	p := start(t, testServer)
	p.send(stubbornCall(1, gate), call(2, "wait", "{}"), ping(3), `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	p.wantIDs("3", "4")
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, ping(5))
	p.wantIDs("5")
	openGate(t, gate, "done")
	p.wantText("1", "done")
	p.in.Close()
	p.wantSilence()
	p.wantStatus(0)
}
