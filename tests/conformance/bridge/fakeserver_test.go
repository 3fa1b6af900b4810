package bridge

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// asServer is the environment variable that makes this test binary a server that
// does what its requests say.
const asServer = "BRIDGE_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit((&fakeServer{}).serve())
	}
	os.Exit(m.Run())
}

// fakeServer writes, for each request that it reads, the texts params.first and
// params.say, with the request's id for $id. Without the latter it answers with an
// empty result. It exits after a message with params.exit, and at the end of its
// input with the latest params.exitAtEnd; after params.staysAtEnd it does not. With
// some methods the second text waits, or is another:
//
//	heard            gives, as an array, what it has read before
//	gather           until three are open; the latest comes first
//	untilNotified    until the next notification
//	untilAnswered    until the next response
type fakeServer struct {
	heard     []string
	gathered  []message
	waiting   map[string]message // by what is waited for
	exitAtEnd int
	stays     bool
}

func (s *fakeServer) serve() (status int) {
	s.waiting = make(map[string]message)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		m, err := parseMessage([]byte(in.Text()))
		if err != nil {
			return 4
		}
		s.take(m)
		s.heard = append(s.heard, in.Text())
		if exit := m.get("params.exit"); exit.Exists() {
			return int(exit.Int())
		}
		if exit := m.get("params.exitAtEnd"); exit.Exists() {
			s.exitAtEnd = int(exit.Int())
		}
		s.stays = s.stays || m.get("params.staysAtEnd").Bool()
	}
	if s.stays {
		time.Sleep(time.Hour) // until it is killed
	}
	return s.exitAtEnd
}

func (s *fakeServer) take(m message) {
	say(m, m.get("params.first").Str)
	switch {
	case m.method == "heard":
		lines, err := json.Marshal(s.heard)
		if err != nil {
			panic(err)
		}
		say(m, `{"jsonrpc":"2.0","id":$id,"result":{"lines":`+string(lines)+`}}`+"\n")
	case m.method == "gather":
		s.gathered = append([]message{m}, s.gathered...)
		if len(s.gathered) == 3 {
			for _, m := range s.gathered {
				respond(m)
			}
		}
	case m.isRequest() && strings.HasPrefix(m.method, "until"):
		s.waiting[m.method] = m
	case m.isNotification():
		s.release("untilNotified")
	case m.method == "":
		s.release("untilAnswered")
	default:
		respond(m)
	}
}

func (s *fakeServer) release(waiting string) {
	if m, isWaiting := s.waiting[waiting]; isWaiting {
		delete(s.waiting, waiting)
		respond(m)
	}
}

func respond(m message) {
	text := m.get("params.say")
	if !text.Exists() {
		text = gjson.Parse(`"{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}\n"`)
	}
	say(m, text.Str)
}

func say(m message, text string) {
	if _, err := os.Stdout.WriteString(strings.ReplaceAll(text, "$id", m.id)); err != nil {
		panic(err)
	}
}
