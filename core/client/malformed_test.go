package client

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// logged is a log that keeps its records.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// strayLines are what a server may write that is no message.
var strayLines = []string{
	"npm notice hello", "\x1b[31mred\x1b[0m", "not json", "5", "null", `"x"`, "[]", "{}", `{"jsonrpc":"2.0"}`,
	`{"jsonrpc":"1.0","id":8,"method":"ping"}`, `{"id":9,"method":"ping"}`, `{"jsonrpc":"2.0","id":11,"method":4}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","result":{}}`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
	"{", `"jsonrpc": "2.0",`, "}", "\xff", strings.Repeat("[", 600), `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}`,
}

// TestStrayLinesDoNoHarm: they are counted and logged, never answered, and the
// calls around them go on.
func TestStrayLinesDoNoHarm(t *testing.T) {
	for _, era := range []Era{EraLegacy, EraModern} {
		t.Run(era.String(), func(t *testing.T) {
			log := &logged{}
			server := &fake{serve: serveWith(legacyServer("2025-11-25"), modernServer(), actions{
				"tools/call": func(l *fakeLink, _ arrival) string {
					for _, line := range strayLines {
						l.say(line)
					}
					return `{"content":[]}`
				},
			})}
			c := connect(t, server, Options{Era: era, Log: log.logger()})
			for range 3 {
				if _, err := c.CallTool(t.Context(), "t", nil); err != nil {
					t.Fatalf("a call among stray lines gives %v", err)
				}
			}
			if link, _ := server.link(); len(link.sent("")) > 0 {
				t.Errorf("the client has answered %v", link.sent(""))
			}
			if got, want := c.Strays(), uint64(3*len(strayLines)); got != want {
				t.Errorf("Strays gives %d, want %d", got, want)
			}
			for _, want := range []string{"npm notice hello", "server=s", "count=64"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log does not have %q:\n%s", want, log)
				}
			}
		})
	}
}

// TestNothingIsAnsweredForItsForm: a server that answers each line with one
// would go on for ever with a client that did the same.
func TestNothingIsAnsweredForItsForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, server := connectLegacy(t, Options{})
		link, _ := server.link()
		synctest.Wait()
		before := link.count()
		for range 100 {
			for _, line := range strayLines {
				link.say(line)
			}
			link.say(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`)
		}
		synctest.Wait()
		if now := link.count(); now != before {
			t.Errorf("the client has written %d messages", now-before)
		}
	})
}

// TestResponsesThatAreNot: a broken response fails the call whose id it has, at
// once, and no other.
func TestResponsesThatAreNot(t *testing.T) {
	for _, test := range []struct{ response, want string }{
		{`{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"x"}}`, "neither or both"},
		{`{"jsonrpc":"2.0","id":%s}`, "neither or both"},
		{`{"jsonrpc":"2.0","id":%s,"result":7}`, "no JSON object"},
		{`{"jsonrpc":"2.0","id":%s,"error":7}`, "an error that is none"},
		{`{"jsonrpc":"2.0","id":%s,"result":{"a":`, "cannot be read"},
		{`{"jsonrpc":"2.0","id":%s,"result":` + strings.Repeat("[", 1000), "cannot be read"},
		{`{"jsonrpc":"2.0","id":%s,"result":{},"result":{}}`, "twice"},
	} {
		c, _ := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
			l.say(fmt.Sprintf(test.response, a.id))
			return ""
		}, "ping": constant(`{}`)})
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, test.want)
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("after %s a ping gives %v", test.response, err)
		}
	}
}

// TestResponsesOfNobody are ignored: late, doubled, unknown.
func TestResponsesOfNobody(t *testing.T) {
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
		l.result("999999", `{}`)
		l.result(`"`+a.id+`"`, `{"wrong":"type of id"}`)
		l.result("1", `{}`)
		l.result(a.id, `{"content":[]}`)
		l.result(a.id, `{"content":["second"]}`)
		l.fail(a.id, -1, "third")
		return ""
	}})
	for range 3 {
		if got, err := c.CallTool(t.Context(), "t", nil); err != nil || string(got) != `{"content":[]}` {
			t.Errorf("the call gives %s, %v", got, err)
		}
	}
}

// TestInvalidText: a byte that is not valid UTF-8 costs itself alone.
func TestInvalidText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a\xffb", "a\uFFFDb"},
		{"\x80", "\uFFFD"},
		{"\xc3\x28", "\uFFFD("},
		{"half a rune \xe2\x82", "half a rune \uFFFD\uFFFD"},
		{"\uFEFF\u2028", "\uFEFF\u2028"},
	} {
		c, _ := connectLegacy(t, Options{}, actions{"tools/call": constant(`{"content":[{"type":"text","text":"` + test.text + `"}]}`)})
		if got, want := c.Execute(t.Context(), "t", ""), `{"result":"`+test.want+`","directives":[]}`; got != want {
			t.Errorf("a text %q arrives as %s, want %s", test.text, got, want)
		}
	}
}

// TestMessageThatIsTooLong: what there is of it tells whose it is.
func TestMessageThatIsTooLong(t *testing.T) {
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
		l.receiver.Broken(`{"jsonrpc":"2.0","id":`+a.id+`,"result":{"content":[{"te`, "", errors.New("a line is longer than 10 bytes"))
		return ""
	}})
	_, err := c.CallTool(t.Context(), "t", nil)
	mustContain(t, err, "longer than 10 bytes")
}

// TestBatches exist in one revision alone.
func TestBatches(t *testing.T) {
	for version, want := range map[string]uint64{"2025-03-26": 0, "2025-06-18": 1} {
		server := &fake{serve: serveWith(legacyServer(version), actions{"tools/call": func(l *fakeLink, a arrival) string {
			l.say(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":` + a.id + `,"result":{"content":[{"type":"text","text":"batch"}]}}]`)
			return `{"content":[{"type":"text","text":"single"}]}`
		}})}
		c := connect(t, server, Options{Era: EraLegacy})
		result := c.Execute(t.Context(), "t", "")
		if got := c.Strays(); got != want {
			t.Errorf("under %s the call gives %s with %d stray messages, want %d", version, result, got, want)
		}
	}
}

func TestUnreadableOptions(t *testing.T) {
	c, server := connectLegacy(t, Options{Capabilities: []byte(`[1]`)})
	link, _ := server.link()
	if got := link.sent("initialize")[0].params.Get("capabilities").Raw; got != `{}` {
		t.Errorf("with nonsense for capabilities %s is declared", got)
	}
	for _, params := range []string{`[]`, `{"a":1,"a":2}`, `{`, `{"_meta":7}`, `{},"method":{}`} {
		_, err := c.Do(t.Context(), &Request{Method: "x", Params: []byte(params)})
		mustContain(t, err, "cannot be sent")
	}
	if got := len(link.sent("x")); got != 0 {
		t.Errorf("%d requests with bad params were sent", got)
	}
}
