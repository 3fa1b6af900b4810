package bridge

import "testing"

func TestParseMessage(t *testing.T) {
	for _, test := range []struct {
		text       string
		id, method string
		err        string
	}{
		{`{"id":1,"method":"m"}`, `1`, "m", ""},
		{`{"id":"\u0061","method":"m"}`, `"\u0061"`, "m", ""},
		{`{"method":"m"}`, ``, "m", ""},
		{`{"id":1,"result":{}}`, `1`, "", ""},
		{`{"id":null,"error":{}}`, `null`, "", ""},
		{`{"id":1,"result":null}`, `1`, "", ""},
		{`{"error":{}}`, "", "", "a response without id"},
		{`{"id":1}`, "", "", "neither a request nor a notification nor a response"},
		{`{"id":1,"method":1}`, "", "", "neither a request nor a notification nor a response"},
		{`{"id":null,"method":"m"}`, "", "", "the request's id is null"},
		{`{"id":[1],"method":"m"}`, "", "", "the request's id is [1]"},
		{`[]`, "", "", "not one JSON object"},
		{`"{}"`, "", "", "not one JSON object"},
		{`{}{}`, "", "", "not JSON"},
		{``, "", "", "not JSON"},
	} {
		m, err := parseMessage([]byte(test.text))
		switch {
		case err != nil && err.Error() != test.err, err == nil && test.err != "":
			t.Errorf("parsing %s: got error %v, want %q", test.text, err, test.err)
		case err == nil && (m.id != test.id || m.method != test.method):
			t.Errorf("parsing %s: got id %s and method %q, want %s and %q", test.text, m.id, m.method, test.id, test.method)
		}
	}
}

func TestWith(t *testing.T) {
	for _, test := range []struct{ text, path, value, want string }{
		{`{"id":1,"a":{"id":2}}`, pathID, `9`, `{"id":9,"a":{"id":2}}`},
		{`{"a":{"id":"x\"}"},"id": 1 }`, pathID, `"n"`, `{"a":{"id":"x\"}"},"id": "n" }`},
		{`{"a":[{"id":1}], "id":null}`, pathID, `9`, `{"a":[{"id":1}], "id":9}`},
		{`{"a":1}`, pathID, `9`, `{"a":1}`},
		{`{"params":{"_meta":{"io.modelcontextprotocol/subscriptionId" : 1}}}`, pathSubscription, `2`, `{"params":{"_meta":{"io.modelcontextprotocol/subscriptionId" : 2}}}`},
	} {
		if got := string(message{text: []byte(test.text)}.with(test.path, test.value).text); got != test.want {
			t.Errorf("%s with %s at %s is %s, want %s", test.text, test.value, test.path, got, test.want)
		}
	}
}

func TestDecodeHeader(t *testing.T) {
	for _, test := range []struct {
		value, want string
		ok          bool
	}{
		{"", "", true},
		{"Hello", "Hello", true},
		{"=?base64?SGVsbG8=?=", "Hello", true},
		{"=?base64??=", "", true},
		{"=?base64?SGVsbG8=", "=?base64?SGVsbG8=", true},
		{"SGVsbG8=", "SGVsbG8=", true},
		{"=?base64?SGVsbG8?=", "", false},
		{"=?base64?SGVs!G8=?=", "", false},
		{"é", "", false},
		{"a\x00", "", false},
	} {
		got, err := decodeHeader(test.value)
		if got != test.want || (err == nil) != test.ok {
			t.Errorf("decoding %q: got %q and error %v, want %q, ok: %t", test.value, got, err, test.want, test.ok)
		}
	}
}
