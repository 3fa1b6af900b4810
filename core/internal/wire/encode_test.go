package wire

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// plainTexts are texts for AppendString, with what it makes of them.
var plainTexts = []struct{ text, want string }{
	{"", `""`},
	{"plain", `"plain"`},
	{"ä€𝄞", `"ä€𝄞"`},
	{`"quoted" \ back`, `"\"quoted\" \\ back"`},
	{"\n\t\r\b\f", `"\n\t\r\b\f"`},
	{"\x00\x01\v\x1b\x1f", `"\u0000\u0001\u000b\u001b\u001f"`},
	{"</script>&'/", `"</script>&'/"`},
	{"\x7f\u2028\u2029\uFEFF\uFFFD", "\"\x7f\u2028\u2029\uFEFF\uFFFD\""},
	{"a line\nand another\n", `"a line\nand another\n"`},
	{"12345678\n", `"12345678\n"`},
	{"1234567\n12345678901234567\"", `"1234567\n12345678901234567\""`},
	{"\xff", `"` + "\uFFFD" + `"`},
	{"a\xc3", `"a` + "\uFFFD" + `"`},
	{"\xe2\x82", `"` + "\uFFFD\uFFFD" + `"`},
	{"\xed\xa0\x80", `"` + "\uFFFD\uFFFD\uFFFD" + `"`},
	{"\xc0\xafx\xf4\x90\x80\x80", `"` + "\uFFFD\uFFFDx\uFFFD\uFFFD\uFFFD\uFFFD" + `"`},
	{"Gr\xfc\xdfe", `"Gr` + "\uFFFD\uFFFD" + `e"`},
	{"ä\xffä\n", `"ä` + "\uFFFD" + `ä\n"`},
}

func TestAppendString(t *testing.T) {
	for _, test := range plainTexts {
		if got := string(AppendString([]byte("before "), test.text)); got != "before "+test.want {
			t.Errorf("AppendString(%q) = %s, want %s", test.text, got, test.want)
		}
	}
	for c := range 256 {
		for _, before := range []string{"", "1234", "12345678", "ä"} {
			text := before + string([]byte{byte(c)}) + "behind"
			checkString(t, text)
		}
	}
}

// checkString checks that AppendString and encoding/json agree on text.
func checkString(t *testing.T, text string) {
	t.Helper()
	encoded := AppendString(nil, text)
	var got string
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Errorf("AppendString(%q) = %q: %v", text, encoded, err)
	}
	if want := string([]rune(text)); got != want { // which puts U+FFFD in
		t.Errorf("AppendString(%q) reads back as %q, want %q", text, got, want)
	}
	if strings.ContainsAny(string(encoded), "\n\r") {
		t.Errorf("AppendString(%q) = %q is more than one line", text, encoded)
	}
	v := Value{Kind: String, Escaped: true, Raw: string(encoded)}
	if v.Text() != got {
		t.Errorf("Text of %s = %q, want %q", encoded, v.Text(), got)
	}
}

func TestAppendStringGrowsOnce(t *testing.T) {
	text := strings.Repeat("a line of a text, of the usual length\n", 3000)
	wantAllocs(t, "AppendString of a long text", 1, func() { AppendString(nil, text) })
}

func TestAppendNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", -1: "-1", math.MaxInt64: "9223372036854775807", math.MinInt64: "-9223372036854775808",
	} {
		if got := string(AppendInt([]byte("n="), n)); got != "n="+want {
			t.Errorf("AppendInt(%d) = %q, want %q", n, got, "n="+want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := string(AppendFloat([]byte("f="), f)); got != "f=null" {
			t.Errorf("AppendFloat(%g) = %q, want f=null", f, got)
		}
	}
	for _, f := range floats {
		checkFloat(t, f)
	}
}

var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.1, 1.5, 100, 1e20, 1e21, -1e21, 123456789e15, 9.999e20,
	1e-5, 1e-6, 9.99e-7, 1e-7, -1e-9, 1e-10, 1.5e-100, 1e100, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi,
}

// checkFloat checks that AppendFloat and encoding/json agree on f.
func checkFloat(t *testing.T, f float64) {
	t.Helper()
	want, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(AppendFloat([]byte("f="), f)); got != "f="+string(want) {
		t.Errorf("AppendFloat(%g) = %q, want f=%s", f, got, want)
	}
}

func TestAppendCompact(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{` {} `, `{}`},
		{"{\r\n\t\"b\" : 1.0,\n\t\"a\" : [ 1e2 , -0 ,\"x  y\" ]\n}\n", `{"b":1.0,"a":[1e2,-0,"x  y"]}`},
		{`"\u00e4\/\" \\"`, `"\u00e4\/\" \\"`},
		{` null `, `null`},
		{`[ ]`, `[]`},
		{`{ "a" : { } , "a" : [ [ ] , { } ] }`, `{"a":{},"a":[[],{}]}`},
		{"\"\u2028<&>\"", "\"\u2028<&>\""},
		{"\"Gr\xfc\xdfe\"", "\"Gr\uFFFD\uFFFDe\""},
		{"{\"\xff\" : \"\xc3\"}", "{\"\uFFFD\":\"\uFFFD\"}"},
		{strings.Repeat("[", compactDepth) + " 1 " + strings.Repeat("]", compactDepth), strings.Repeat("[", compactDepth) + "1" + strings.Repeat("]", compactDepth)},
	} {
		got, err := AppendCompact([]byte("before "), test.raw)
		if err != nil || string(got) != "before "+test.want {
			t.Errorf("AppendCompact(%.100q) = %.100q, %v, want %.100q", test.raw, got, err, "before "+test.want)
		}
	}
	for _, raw := range validTexts {
		checkCompact(t, raw)
	}
}

func TestAppendCompactRefuses(t *testing.T) {
	for _, test := range invalidTexts {
		if test.fault == badUTF8 {
			continue // it is mended
		}
		got, err := AppendCompact([]byte("before"), test.text)
		want := SyntaxError{Offset: test.offset, Reason: test.fault.reason()}
		var syntax *SyntaxError
		if string(got) != "before" || !errors.As(err, &syntax) || *syntax != want {
			t.Errorf("AppendCompact(%q) = %q, %v, want nothing appended, %v", test.text, got, err, &want)
		}
	}
	for _, raw := range []string{"\xff", "{\"a\":\xc3}", "[1,\xff2]"} {
		if got, err := AppendCompact(nil, raw); err == nil {
			t.Errorf("AppendCompact(%q) = %q, nil, want an error", raw, got)
		}
	}
	deep := strings.Repeat("[", compactDepth+1) + strings.Repeat("]", compactDepth+1)
	var depth *DepthError
	if _, err := AppendCompact(nil, deep); !errors.As(err, &depth) || depth.Offset != compactDepth {
		t.Errorf("AppendCompact of %d levels = %v, want a DepthError at byte %d", compactDepth+1, err, compactDepth)
	}
}
