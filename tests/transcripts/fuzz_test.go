package transcripts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcpserver/core"
	"mcpserver/core/server"
	"mcpserver/tests/probe"
)

// The limits of the servers under fuzzing.
const (
	fuzzedMessage = 4096
	fuzzedDepth   = 16
)

// FuzzServe sends any bytes to servers, beginning with what the clients of the
// transcripts send. Whatever it is: serving ends by itself, every line that
// comes back is a JSON-RPC message, and every request whose id can be read and
// stands alone is answered exactly once.
func FuzzServe(f *testing.F) {
	f.Setenv("MCPSERVER_STATE_KEY", "the key of this fuzz test") // else there would be a key file
	for _, path := range transcriptFiles(f) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, input := range clientInputs(f, string(text)) {
			f.Add([]byte(input))
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, aspect := range []*core.Aspect{probe.Unattended(), unattendedAsync(), unattendedHooks(), probe.Library()} {
			output := serveBytes(t, aspect, input)
			if err := checkOutput(input, output); err != nil {
				t.Errorf("%s: %v\ninput:\n%q\noutput:\n%s", aspect.Name, err, input, output)
			}
		}
	})
}

func unattendedAsync() *core.Aspect {
	a := probe.Unattended()
	a.Name, a.Asynchronous = "MCPServer_probeAsync", true
	return a
}

// unattendedHooks makes the hooks probe without its first tool, which waits.
func unattendedHooks() *core.Aspect {
	a := probe.Hooks()
	a.Tools = a.Tools[1:]
	return a
}

// clientInputs gives what the client sends to each server of a transcript, in
// so far as it is small.
func clientInputs(t testing.TB, transcript string) []string {
	steps, err := parse(transcript, thisBuild)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	var input strings.Builder
	names := make(map[string]string)
	for _, s := range steps {
		switch s.verb {
		case "let":
			name, text, _ := strings.Cut(s.text, " ")
			names[name], err = expand(text, names)
			if err != nil {
				t.Fatal(err)
			}
		case "<", "<any":
			for _, found := range hole.FindAllString(s.text, -1) {
				if naming := given.FindStringSubmatch(found); naming != nil {
					names[naming[1]] = naming[1] // the server's own text is not known here
				}
			}
		case "serve", "run":
			inputs = append(inputs, input.String())
			input.Reset()
		case ">":
			text, err := expand(s.text, names)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) <= fuzzedMessage {
				input.WriteString(text + "\n")
			}
		case ">bytes":
			text, err := strconv.Unquote(s.text)
			if err != nil {
				t.Fatal(err)
			}
			input.WriteString(text)
		case "init":
			initialize, initialized, _ := handshake(s.text)
			input.WriteString(initialize + "\n" + initialized + "\n")
		}
	}
	return append(inputs, input.String())
}

func serveBytes(t *testing.T, aspect *core.Aspect, input []byte) []byte {
	var output bytes.Buffer
	options := &server.Options{
		MaxMessage: fuzzedMessage,
		MaxDepth:   fuzzedDepth,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), aspect, bytes.NewReader(input), &output, options) }()
	select {
	case err := <-served:
		if err != nil {
			t.Fatalf("%s: Serve(%q) = %v", aspect.Name, input, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s: Serve(%q) did not return", aspect.Name, input)
	}
	return output.Bytes()
}

// message is what the two sides write, as encoding/json reads it.
type message map[string]json.RawMessage

func (m message) has(name string) bool { return m[name] != nil }

// checkOutput tells what is wrong with what a server wrote after an input.
func checkOutput(input, output []byte) error {
	answered := make(map[string]int)
	for line := range bytes.Lines(output) {
		if !utf8.Valid(line) || !bytes.HasSuffix(line, []byte("\n")) {
			return fmt.Errorf("%q is no line of UTF-8", line)
		}
		for _, m := range messagesOf(line) {
			if fault := faultOf(m); fault != "" {
				return fmt.Errorf("%s: %q", fault, line)
			}
			if !m.has("method") {
				answered[string(m["id"])]++
			}
		}
	}
	for _, id := range requestsOf(input) {
		if answered[id] != 1 {
			return fmt.Errorf("the request %s was answered %d times, want once", id, answered[id])
		}
	}
	return nil
}

// messagesOf gives the messages of a line: one, or those of a batch. A line that
// is none gives a message that is nil.
func messagesOf(line []byte) []message {
	if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] == '[' {
		var batch []message
		if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
			return []message{nil}
		}
		return batch
	}
	var m message
	if json.Unmarshal(line, &m) != nil {
		return []message{nil}
	}
	return []message{m}
}

// faultOf tells why a message of a server is no JSON-RPC, or "".
func faultOf(m message) string {
	if string(m["jsonrpc"]) != `"2.0"` {
		return "it is no JSON-RPC message"
	}
	hasID, hasResult, hasError := m.has("id"), m.has("result"), m.has("error")
	switch {
	case m.has("method"):
		if hasResult || hasError {
			return "it is a request and a response"
		}
	case hasResult == hasError:
		return "it has not one of result and error"
	case hasResult && !hasID:
		return "it is a result of nothing"
	case hasError:
		var failure struct {
			Code    *int
			Message *string
		}
		if json.Unmarshal(m["error"], &failure) != nil || failure.Code == nil || failure.Message == nil {
			return "its error has no code and message"
		}
	}
	return ""
}
