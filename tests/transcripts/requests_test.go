package transcripts

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// requestsOf gives the ids, as they were sent, of the requests of an input that
// must be answered. It leaves out those of which another reader of the input
// might think otherwise: an id that is the value of another member too (which
// may be that of a cancellation), a line at a limit, a batch.
func requestsOf(input []byte) []string {
	values := make(map[string]int)
	for _, found := range memberValue.FindAllSubmatch(input, -1) {
		values[string(found[1])]++
	}
	var requests []string
	for line := range bytes.SplitSeq(input, []byte("\n")) {
		if id := requestID(line); id != "" && values[id] == 1 {
			requests = append(requests, id)
		}
	}
	return requests
}

var (
	// memberValue finds the strings and numbers that are members' values, in
	// text that need not be JSON.
	memberValue = regexp.MustCompile(`"\s*:\s*("(?:[^"\\]|\\.)*"|[-+.0-9eE]+)`)
	integer     = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)$`)
)

// requestID gives the id of a line that is a request beyond doubt, or "".
func requestID(line []byte) string {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if len(line) >= fuzzedMessage || !utf8.Valid(line) || !json.Valid(line) || depth(line) > fuzzedDepth {
		return ""
	}
	var m message
	if json.Unmarshal(line, &m) != nil || len(memberNames(line)) != len(m) {
		return "" // no object, or one with a name that stands twice
	}
	id := string(m["id"])
	if !m.has("method") || !integer.MatchString(id) && !strings.HasPrefix(id, `"`) {
		return ""
	}
	return id
}

// memberNames gives the names of a JSON object's members, in order.
func memberNames(object []byte) (names []string) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || decoder.Decode(&value) != nil {
			return names
		}
		names = append(names, name)
	}
	return names
}

// depth gives how deeply a JSON text nests.
func depth(text []byte) int {
	deepest, level := 0, 0
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}
