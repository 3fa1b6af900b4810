package wire

import "strings"

// testDepth is the depth limit of the tables and of what compares with
// encoding/json, whose limit is the same.
const testDepth = 10_000

// validTexts are JSON values by RFC 8259.
var validTexts = []string{
	`null`, `true`, `false`, `0`, `""`, `[]`, `{}`,
	// White space.
	" \t\r\n{ \t\r\n} \t\r\n", " [ 1 , 2 ] ", "{ \"a\" : 1 , \"b\" : [ ] }", "\r1\r",
	// Numbers.
	`-0`, `1`, `-1`, `10`, `0.0`, `1.5`, `-1.50`, `1e3`, `1E3`, `1e+3`, `1e-3`, `0e0`, `1.25E-07`,
	`9007199254740993`, `18446744073709551616`, `1e999999999`, `[1,2,3]`, `[-0]`, `[1 ]`, "[1\t]",
	// Strings.
	`"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e4\u00E4\uABCD\uabcd"`, `"ä"`, `"€"`, `"𝄞"`, "\"\x7f\"", `"\ud834\udd1e"`,
	"\"\uFEFF\"", "\"\u2028\u2029\"", `"\u0000"`, `"1234567"`, `"12345678"`, `"123456789"`,
	"\"\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF\"",
	// Surrogates that are not half of a pair.
	`"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800\ud834\udd1e"`, `"\ud800x"`,
	// Nesting.
	`[[[[]]]]`, `{"a":{"b":{"c":[{},[],{"d":[1,{"e":2}]}]}}}`, `[{},{},[],[]]`, `[{"a":[]},{"a":[]}]`, `[[],{"a":1}]`,
	`{"":""}`, `{"a":1,"a":2}`,
	// Messages.
	toolCall,
	`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"t"}]}}`,
	`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"no"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"params":{"_meta":{"progressToken":7,"a/b":{}},"arguments":{"x":[1,{"y":2}],"z":{}},"name":"n"},"id":1}`,
	`{"jsonrpc":"2.0","id":1,"id":2}`, `{"\u0069d":1,"id":2,"x":1,"\u0078":2}`,
	`{"params":{"a":1,"\u0061":2}}`, `{"params":{"_meta":{"a":1,"a":2},"_meta":{"b":1}}}`,
	`{"params":{"arguments":{"a":{"b":1,"b":2},"a":1},"arguments":{"c":1,"c":2}},"params":{"d":1}}`,
	`{"params":null,"params":{"a":1}}`, `{"params":[],"result":null,"error":false}`, `{"params":{"arguments":[1],"_meta":"m"}}`,
	`[` + toolCall + `, ` + toolCall + `]`,
	manyMembers(40), `{"params":` + manyMembers(17) + `}`, `{"params":{"arguments":` + manyMembers(100) + `}}`,
}

// manyMembers gives an object of n members, m0 to m(n-1), and m3 again.
func manyMembers(n int) string {
	var object strings.Builder
	object.WriteString("{")
	for i := range n {
		object.WriteString(`"m`)
		object.Write(AppendInt(nil, int64(i)))
		object.WriteString(`":0,`)
	}
	object.WriteString(`"m3":1}`)
	return object.String()
}

// invalidTexts are no JSON values, with the fault and where it lies.
var invalidTexts = []struct {
	text   string
	offset int
	fault  fault
}{
	{``, 0, cutOff},
	{"  \t", 3, cutOff},
	{`not json`, 1, badLiteral},
	{`nil`, 1, badLiteral},
	{`nul`, 3, cutOff},
	{`truE`, 3, badLiteral},
	{`falsee`, 5, noEnd},
	{`True`, 0, noValue},
	{`NaN`, 0, noValue},
	{`Infinity`, 0, noValue},
	{`'a'`, 0, noValue},
	{"\uFEFF{}", 0, noValue},
	{"\x00", 0, noValue},
	{"\v1", 0, noValue},
	{"\f1", 0, noValue},
	{"\u00a01", 0, noValue},
	{`// comment`, 0, noValue},
	// Behind the value.
	{`{} {}`, 3, noEnd},
	{`{}x`, 2, noEnd},
	{`1 2`, 2, noEnd},
	{`""""`, 2, noEnd},
	{"{}\x00", 2, noEnd},
	{`]`, 0, noValue},
	{`}`, 0, noValue},
	{`,`, 0, noValue},
	{`:`, 0, noValue},
	// Numbers.
	{`-`, 1, cutOff},
	{`+1`, 0, noValue},
	{`--1`, 1, badNumber},
	{`-a`, 1, badNumber},
	{`01`, 1, noEnd},
	{`[01]`, 2, noComma},
	{`-01`, 2, noEnd},
	{`1.`, 2, cutOff},
	{`[1.]`, 3, badNumber},
	{`.5`, 0, noValue},
	{`1.e3`, 2, badNumber},
	{`1e`, 2, cutOff},
	{`1e+`, 3, cutOff},
	{`[1e+]`, 4, badNumber},
	{`1e5.5`, 3, noEnd},
	{`0x10`, 1, noEnd},
	{`[12x]`, 3, noComma},
	{`{"a":1_000}`, 6, noComma},
	{`1e 5`, 2, badNumber},
	// Strings.
	{`"`, 1, cutOff},
	{`"abc`, 4, cutOff},
	{`"12345678`, 9, cutOff},
	{`"a` + "\n" + `"`, 2, badCharacter},
	{"\"\x00\"", 1, badCharacter},
	{"\"1234567\x1f\"", 8, badCharacter},
	{"\"tab\there\"", 4, badCharacter},
	{`"\`, 2, cutOff},
	{`"\"`, 3, cutOff},
	{`"\x41"`, 1, badEscape},
	{`"\'"`, 1, badEscape},
	{`"\U0041"`, 1, badEscape},
	{`"\u"`, 1, badEscape},
	{`"\u004"`, 1, badEscape},
	{`"\u004g"`, 1, badEscape},
	{`"\u00`, 5, cutOff},
	{`"\u0041`, 7, cutOff},
	{"\"\\\n\"", 1, badEscape},
	// UTF-8.
	{"\"\xff\"", 1, badUTF8},
	{"\"\x80\"", 1, badUTF8},
	{"\"\xc3\x28\"", 1, badUTF8},
	{"\"\xc3\"", 1, badUTF8},
	{"\"ab\xc3", 3, badUTF8},
	{"\"\xc0\xaf\"", 1, badUTF8},
	{"\"\xc1\xbf\"", 1, badUTF8},
	{"\"\xe0\x80\xaf\"", 1, badUTF8},
	{"\"\xe0\x9f\xbf\"", 1, badUTF8},
	{"\"\xed\xa0\x80\"", 1, badUTF8},
	{"\"\xed\xbf\xbf\"", 1, badUTF8},
	{"\"\xe2\x82\"", 1, badUTF8},
	{"\"\xe2\x82\xac\xe2\x28\xa1\"", 4, badUTF8},
	{"\"\xf0\x80\x80\x80\"", 1, badUTF8},
	{"\"\xf0\x8f\xbf\xbf\"", 1, badUTF8},
	{"\"\xf4\x90\x80\x80\"", 1, badUTF8},
	{"\"\xf5\x80\x80\x80\"", 1, badUTF8},
	{"\"\xf0\x9d\x84\"", 1, badUTF8},
	{"\"\xf0\x9d\x84\x28\"", 1, badUTF8},
	{"\"ä\xf8\x88\x80\x80\x80\"", 3, badUTF8},
	{"{\"\xff\":1}", 2, badUTF8},
	// Arrays.
	{`[`, 1, cutOff},
	{`[ `, 2, cutOff},
	{`[1`, 2, cutOff},
	{`[1,`, 3, cutOff},
	{`[1,]`, 3, noValue},
	{`[,1]`, 1, noValue},
	{`[1 2]`, 3, noComma},
	{`[1}`, 2, noComma},
	{`[""}`, 3, noComma},
	{`[1,2`, 4, cutOff},
	{`[]]`, 2, noEnd},
	{`[[]`, 3, cutOff},
	{`[{]`, 2, noName},
	// Objects.
	{`{`, 1, cutOff},
	{`{ `, 2, cutOff},
	{`{a:1}`, 1, noName},
	{`{1:1}`, 1, noName},
	{`{,}`, 1, noName},
	{`{"a"}`, 4, noColon},
	{`{"a" 1}`, 5, noColon},
	{`{"a"`, 4, cutOff},
	{`{"a":`, 5, cutOff},
	{`{"a":}`, 5, noValue},
	{`{"a":1`, 6, cutOff},
	{`{"a":1,`, 7, cutOff},
	{`{"a":1,}`, 7, noName},
	{`{"a":""]`, 7, noComma},
	{`{"a":1 "b":2}`, 7, noComma},
	{`{"a":::1}`, 5, noValue},
	{`[{"a":1,}]`, 8, noName},
	{`[{"a"]`, 5, noColon},
	{`[{"a":[}]`, 7, noValue},
	{`{"jsonrpc":"2.0","id":7,`, 24, cutOff},
	{`{"params":{"arguments":{"a":1}`, 30, cutOff},
	{`{"params":{"_meta":{"a":1},"a"}}`, 30, noColon},
	{`{"params":{"arguments":{"a":tru}}}`, 31, badLiteral},
	{`Content-Length: 120`, 0, noValue},
}
