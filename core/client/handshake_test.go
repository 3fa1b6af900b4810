package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core/client/transport"
)

func TestVersionsOfTheLegacyEra(t *testing.T) {
	for _, test := range []struct {
		answer string // the member of the result
		want   string // the version, or what the error says
		ok     bool
	}{
		{`"protocolVersion":"2024-11-05",`, "2024-11-05", true},
		{`"protocolVersion":"2025-03-26",`, "2025-03-26", true},
		{`"protocolVersion":"2025-06-18",`, "2025-06-18", true},
		{`"protocolVersion":"2025-11-25",`, "2025-11-25", true},
		{`"protocolVersion":"1999-01-01",`, `"1999-01-01"`, false},
		{`"protocolVersion":"2026-07-28",`, `"2026-07-28"`, false},
		{`"protocolVersion":7,`, `version 7`, false},
		{``, "(none)", false},
	} {
		server := &fake{serve: serveWith(actions{"initialize": constant(`{` + test.answer + `"capabilities":{},"serverInfo":{}}`)})}
		c := New("s", server)
		c.Options.Era = EraLegacy
		err := c.Connect(t.Context())
		link, _ := server.link()
		if !test.ok {
			mustContain(t, err, test.want, "2025-11-25")
			if len(link.sent("notifications/initialized")) > 0 || link.Err() == nil {
				t.Errorf("after %s the client goes on", test.answer)
			}
			continue
		}
		if err != nil {
			t.Errorf("after %s Connect gives %v", test.answer, err)
		}
		if info, ok := c.Server(); !ok || info.Version != test.want || info.Era != EraLegacy {
			t.Errorf("after %s the server is %+v, want version %s", test.answer, info, test.want)
		}
		initialize := link.sent("initialize")[0]
		if initialize.params.Get("protocolVersion").Str != "2025-11-25" || !initialize.params.Get("capabilities").IsObject() ||
			initialize.params.Get("clientInfo.name").Str == "" {
			t.Errorf("initialize has the params %s", initialize.params.Raw)
		}
		disconnect(t, c)
	}
}

// TestProbe: how servers answer server/discover, and what comes of it.
func TestProbe(t *testing.T) {
	exit := func(l *fakeLink, _ arrival) string {
		l.die(&transport.ExitError{Status: "exit status 1"})
		return ""
	}
	failure := func(code int, data string) func(l *fakeLink, a arrival) string {
		return func(l *fakeLink, a arrival) string {
			l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":` + itoa(code) + `,"message":"no"` + data + `}}`)
			return ""
		}
	}
	// once refuses the first time and is a modern server afterwards.
	once := func(refusal func(*fakeLink, arrival) string) func(*fakeLink, arrival) string {
		return func(l *fakeLink, a arrival) string {
			if len(l.sent("server/discover")) == 1 {
				return refusal(l, a)
			}
			return modernServer()["server/discover"](l, a)
		}
	}
	for _, test := range []struct {
		name     string
		discover func(l *fakeLink, a arrival) string
		era      Era
		links    int
		wrong    string // of the error; "" is none
	}{
		{"modern", modernServer()["server/discover"], EraModern, 1, ""},
		{"-32601", failure(-32601, ""), EraLegacy, 1, ""},
		{"-32602", failure(-32602, ""), EraLegacy, 1, ""},
		{"-32600", failure(-32600, ""), EraLegacy, 1, ""},
		{"-32000", failure(-32000, ""), EraLegacy, 1, ""},
		{"wrong shape", constant(`{"tools":[]}`), EraLegacy, 1, ""},
		{"no object", constant(`7`), EraLegacy, 1, ""},
		{"broken", func(l *fakeLink, a arrival) string { l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"resu`); return "" }, EraLegacy, 1, ""},
		{"silence", constant(""), EraLegacy, 2, ""},
		{"death", exit, EraLegacy, 2, ""},
		{"both eras", constant(`{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{}}`), EraModern, 1, ""},
		{"legacy versions alone", constant(`{"supportedVersions":["2025-06-18"],"capabilities":{}}`), EraLegacy, 1, ""},
		{"-32022 with a legacy version", failure(-32022, `,"data":{"supported":["2027-01-01","2025-11-25"]}`), EraLegacy, 1, ""},
		{"-32022 with newer versions", failure(-32022, `,"data":{"supported":["2027-01-01"]}`), 0, 1, "2027-01-01"},
		{"-32022 once with our version", once(failure(-32022, `,"data":{"supported":["2026-07-28"]}`)), EraModern, 1, ""},
		{"-32022 for ever with our version", failure(-32022, `,"data":{"supported":["2026-07-28"]}`), 0, 1, "2026-07-28"},
		{"newer versions", constant(`{"supportedVersions":["2027-01-01"],"capabilities":{}}`), 0, 1, "2027-01-01"},
		{"-32021", failure(-32021, ""), 0, 1, "(-32021)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{serve: serveWith(modernServer(), legacyServer("2025-11-25"), actions{"server/discover": test.discover})}
				c := New("s", server)
				err := c.Connect(t.Context())
				if _, links := server.link(); links != test.links {
					t.Errorf("there have been %d links, want %d", links, test.links)
				}
				if test.wrong != "" {
					mustContain(t, err, test.wrong)
					link, _ := server.link()
					if len(link.sent("initialize")) > 0 {
						t.Error("the client falls back to initialize")
					}
					return
				}
				if err != nil {
					t.Fatalf("Connect gives %v", err)
				}
				if info, _ := c.Server(); info.Era != test.era {
					t.Errorf("the era is %s, want %s", info.Era, test.era)
				}
				disconnect(t, c)
				if err := c.Connect(t.Context()); err != nil {
					t.Fatalf("the second Connect gives %v", err)
				}
				if link, links := server.link(); links != test.links+1 || len(link.sent("server/discover")) > 0 && test.era == EraLegacy &&
					len(link.sent("initialize")) == 0 {
					t.Errorf("the era was not remembered: %d links", links)
				}
				disconnect(t, c)
			})
		})
	}
}

// TestSlowModernServer: one that misses the short limit of the probe and knows
// no handshake is asked again.
func TestSlowModernServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{serve: func(l *fakeLink) {
			time.Sleep(10 * time.Second)
			serveWith(modernServer())(l)
		}}
		c := connect(t, server, Options{})
		if info, _ := c.Server(); info.Era != EraModern {
			t.Errorf("the era is %s, want modern", info.Era)
		}
		disconnect(t, c)
	})
}

// TestEraThatIsWrong: what was known is forgotten when it does not hold.
func TestEraThatIsWrong(t *testing.T) {
	for known, server := range map[Era]actions{EraLegacy: modernServer(), EraModern: legacyServer("2025-06-18")} {
		c := connect(t, &fake{serve: serveWith(server)}, Options{Era: known})
		if info, _ := c.Server(); info.Era == known {
			t.Errorf("the era is still %s", info.Era)
		}
	}
}

// TestLegacyLink: there is nothing to probe on a link that is older than the
// modern era.
func TestLegacyLink(t *testing.T) {
	server := &fake{serve: serveWith(legacyServer("2024-11-05"), modernServer()), traits: transport.Traits{LegacyOnly: true}}
	connect(t, server, Options{Era: EraModern})
	if link, _ := server.link(); len(link.sent("server/discover")) > 0 {
		t.Error("the client has sent server/discover")
	}
}

// TestModernRequests say all about themselves.
func TestModernRequests(t *testing.T) {
	c, server := connectModern(t, Options{
		Name: "me", Version: "7",
		Handlers: map[string]Handler{"roots/list": nil, "sampling/createMessage": sayNothing},
	}, actions{"tools/call": constant(`{"resultType":"complete","content":[]}`)})
	if _, err := c.CallTool(t.Context(), "t", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.SetLogLevel(t.Context(), "warning"); err != nil {
		t.Fatal(err)
	}
	_, err := c.Do(t.Context(), &Request{
		Method: "tools/call", Capabilities: []byte(`{"elicitation":{}}`),
		Params: []byte(`{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"1","x/y":[1.0]}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	link, _ := server.link()
	calls := link.sent("tools/call")
	const own = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	const identity = `,"io.modelcontextprotocol/clientInfo":{"name":"me","version":"7"}`
	for i, want := range []string{
		`{` + own + `{"sampling":{}}` + identity + `}`,
		`{"x/y":[1.0],` + own + `{"elicitation":{}}` + identity + `,"io.modelcontextprotocol/logLevel":"warning"}`,
	} {
		if got := calls[i].params.Get("_meta").Raw; got != want {
			t.Errorf("request %d has the _meta\n%s, want\n%s", i+1, got, want)
		}
	}
	if len(link.sent("logging/setLevel"))+len(link.sent("initialize"))+len(link.sent("notifications/initialized")) > 0 {
		t.Error("a modern server was sent a method of the legacy era")
	}
	info, _ := c.Server()
	if info.Version != "2026-07-28" || info.Instructions != "Be kind." || string(info.Info) != `{"name":"f","version":"1"}` {
		t.Errorf("the server is %+v", info)
	}
}

func TestUnknownKindOfResult(t *testing.T) {
	for _, result := range []string{`{"resultType":"task","content":[]}`, `{"resultType":7}`} {
		c, _ := connectModern(t, Options{}, actions{"tools/call": constant(result), "completion/complete": constant(`{"resultType":"input_required"}`)})
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, "not known")
		_, err = c.Complete(t.Context(), Reference{Prompt: "p"}, "a", "", nil)
		mustContain(t, err, "not known")
	}
}

func TestLogLevelInTheLegacyEra(t *testing.T) {
	c, server := connectLegacy(t, Options{}, actions{"logging/setLevel": constant(`{}`)})
	if err := c.SetLogLevel(t.Context(), "debug"); err != nil {
		t.Fatal(err)
	}
	mustContain(t, c.SetLogLevel(t.Context(), "verbose"), `"verbose"`)
	link, _ := server.link()
	if got := link.sent("logging/setLevel"); len(got) != 1 || got[0].params.Get("level").Str != "debug" {
		t.Errorf("the server was told %v", got)
	}
}

func TestTransportFailureIsNoEra(t *testing.T) {
	server := &fake{serve: func(l *fakeLink) {
		a, _ := l.next()
		l.receiver.Failed(a.id, errors.New("connection refused"))
		<-l.done
	}}
	c := New("s", server)
	mustContain(t, c.Connect(t.Context()), "connection refused")
	if link, links := server.link(); links != 1 || len(link.sent("initialize")) > 0 {
		t.Errorf("the client has tried %d links and %d handshakes", links, len(link.sent("initialize")))
	}
}
