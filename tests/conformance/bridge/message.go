package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Members that the bridge reads or replaces, as paths of gjson.
const (
	pathID                   = "id"
	pathErrorCode            = "error.code"
	pathProtocolVersion      = `params._meta.io\.modelcontextprotocol/protocolVersion`
	pathLogLevel             = `params._meta.io\.modelcontextprotocol/logLevel`
	pathProgressToken        = "params._meta.progressToken"
	pathSubscription         = `params._meta.io\.modelcontextprotocol/subscriptionId`
	pathSubscriptionOfResult = `result._meta.io\.modelcontextprotocol/subscriptionId`
)

// mostShown bounds how much of a message a finding shows, in bytes.
const mostShown = 200

// message is one JSON-RPC message.
type message struct {
	text   []byte // as its sender wrote it
	id     string // in JSON; "" is none
	method string // "" in a response
}

var errNotJSON = errors.New("not JSON")

// parseMessage tells requests, notifications and responses apart. Of members that
// occur twice the first counts.
func parseMessage(text []byte) (message, error) {
	if !json.Valid(text) {
		return message{}, errNotJSON
	}
	root := gjson.ParseBytes(text)
	if !root.IsObject() {
		return message{}, errors.New("not one JSON object")
	}
	m := message{text: text, id: root.Get(pathID).Raw}
	method := root.Get("method")
	isResponse := root.Get("result").Exists() || root.Get("error").Exists()
	switch {
	case method.Type == gjson.String && method.Str != "":
		m.method = method.Str
	case !isResponse:
		return m, errors.New("neither a request nor a notification nor a response")
	case m.id == "":
		return m, errors.New("a response without id")
	}
	if m.isRequest() && m.id[0] != '"' && m.id[0] != '-' && (m.id[0] < '0' || m.id[0] > '9') {
		return m, fmt.Errorf("the request's id is %s", m.id)
	}
	return m, nil
}

func (m message) isRequest() bool      { return m.method != "" && m.id != "" }
func (m message) isNotification() bool { return m.method != "" && m.id == "" }

func (m message) get(path string) gjson.Result { return gjson.GetBytes(m.text, path) }

// with gives the message with another value, in JSON, in the place of the one at
// a path. All else stays byte for byte, and so does a message without that path.
func (m message) with(path, value string) message {
	if !m.get(path).Exists() {
		return m
	}
	text, err := sjson.SetRawBytes(m.text, path, []byte(value))
	if err != nil {
		panic(fmt.Sprintf("setting %s: %v", path, err)) // the paths are ours
	}
	m.text = text
	if path == pathID {
		m.id = value
	}
	return m
}

// onOneLine gives the message as the stdio transport frames it, without the line's
// end. In JSON a raw line break can only be white space.
func (m message) onOneLine() []byte {
	line := bytes.Clone(bytes.TrimSpace(m.text))
	for i, b := range line {
		if b == '\n' || b == '\r' {
			line[i] = ' '
		}
	}
	return line
}

// String shows the beginning of the message.
func (m message) String() string { return beginning(m.text) }

// beginning shows the beginning of a line, whatever is in it.
func beginning(line []byte) string {
	if len(line) > mostShown {
		return strconv.Quote(string(line[:mostShown])) + "…"
	}
	return strconv.Quote(string(line))
}

// sameValue gives a key that is equal for two ids in JSON if they have the same
// value and type, whatever escapes a string is spelled with.
func sameValue(id string) string {
	if value := gjson.Parse(id); value.Type == gjson.String {
		return strconv.Quote(value.Str)
	}
	return id
}

// sameText gives a key that is equal for two ids if only their types differ: for
// 1 and "1".
func sameText(id string) string { return gjson.Parse(id).String() }
