package wire

import (
	"math"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{`""`, ""},
		{`"plain"`, "plain"},
		{`"ä€𝄞"`, "ä€𝄞"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e4\u00E4\u20ac"`, "Aää€"},
		{`"\u0000"`, "\x00"},
		{`"a\nb"`, "a\nb"},
		{`"\\u0041"`, `\u0041`},
		{`"\\"`, `\`},
		{`"\ud834\udd1e"`, "𝄞"},
		{`"x\uD834\uDD1Ey"`, "x𝄞y"},
		{`"\udbff\udfff"`, "\U0010FFFF"},
		{`"\ud800"`, "\uFFFD"},
		{`"\udc00"`, "\uFFFD"},
		{`"\ud800x"`, "\uFFFDx"},
		{`"\ud800\n"`, "\uFFFD\n"},
		{`"\ud800\u0041"`, "\uFFFDA"},
		{`"\ud800\ud834\udd1e"`, "\uFFFD𝄞"},
		{`"\udd1e\ud834"`, "\uFFFD\uFFFD"},
		{`"\ud834\\udd1e"`, "\uFFFD\\udd1e"},
		{`"\uFFFE\uffff"`, "\uFFFE\uFFFF"},
	} {
		v := scan(t, test.raw).Root
		if got := v.Text(); got != test.want {
			t.Errorf("Text of %s = %q, want %q", test.raw, got, test.want)
		}
		if want := strings.Contains(test.raw, `\`); v.Escaped != want {
			t.Errorf("Escaped of %s = %t, want %t", test.raw, v.Escaped, want)
		}
	}
}

func TestTextOfOtherKinds(t *testing.T) {
	for _, raw := range []string{`1`, `null`, `true`, `["a"]`, `{"a":"b"}`} {
		if got := scan(t, raw).Root.Text(); got != "" {
			t.Errorf("Text of %s = %q, want none", raw, got)
		}
	}
	if got := (Value{}).Text(); got != "" {
		t.Errorf("Text of no value = %q, want none", got)
	}
}

// Values that no scanner has accepted give something, whatever it is.
func TestTextOfUncheckedValues(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{``, ""},
		{`"`, ""},
		{`"\"`, `\`},
		{`"a\u12"`, "a\uFFFD"},
		{`"\uzzzz"`, "\uFFFD"},
		{`"\ud800\u1"`, "\uFFFD\uFFFD"},
	} {
		v := Value{Kind: String, Escaped: true, Raw: test.raw}
		if got := v.Text(); got != test.want {
			t.Errorf("Text of %s = %q, want %q", test.raw, got, test.want)
		}
	}
}

// numberTexts are numbers with what they are as integers.
var numberTexts = []struct {
	raw     string
	want    int64
	fits    bool // an int64 holds it
	integer bool
}{
	{"0", 0, true, true},
	{"-0", 0, true, true},
	{"0.0", 0, true, true},
	{"-0.000e-5", 0, true, true},
	{"0e999999999", 0, true, true},
	{"0e-999999999", 0, true, true},
	{"1", 1, true, true},
	{"-1", -1, true, true},
	{"1.0", 1, true, true},
	{"1.000", 1, true, true},
	{"1e3", 1000, true, true},
	{"1E+3", 1000, true, true},
	{"10e-1", 1, true, true},
	{"1200e-2", 12, true, true},
	{"1.5e1", 15, true, true},
	{"-1.25e2", -125, true, true},
	{"0.001e3", 1, true, true},
	{"0.00120e5", 120, true, true},
	{"0.10e1", 1, true, true},
	{"100000000000000000000e-20", 1, true, true},
	{"1e0000000000000000000003", 1000, true, true},
	{"9007199254740993", 9007199254740993, true, true},
	{"9007199254740993.0", 9007199254740993, true, true},
	{"900719925474099.3e1", 9007199254740993, true, true},
	{"999999999999999999", 999999999999999999, true, true},
	{"-99999999999999999", -99999999999999999, true, true},
	{"9223372036854775807", math.MaxInt64, true, true},
	{"9223372036854775807.000", math.MaxInt64, true, true},
	{"-9223372036854775808", math.MinInt64, true, true},
	{"-9.223372036854775808e18", math.MinInt64, true, true},
	{"9223372036854775808", 0, false, true},
	{"-9223372036854775809", 0, false, true},
	{"9999999999999999999", 0, false, true},
	{"18446744073709551615", 0, false, true},
	{"18446744073709551617", 0, false, true},
	{"1e18", 1_000_000_000_000_000_000, true, true},
	{"1e19", 0, false, true},
	{"1e400", 0, false, true},
	{"-1e999999999", 0, false, true},
	{"1e99999999999999999999999999", 0, false, true},
	{"1.5", 0, false, false},
	{"-0.5", 0, false, false},
	{"1e-1", 0, false, false},
	{"15e-1", 0, false, false},
	{"1.05e1", 0, false, false},
	{"10e-2", 0, false, false},
	{"1e-400", 0, false, false},
	{"1e-99999999999999999999999999", 0, false, false},
	{"0.9223372036854775807", 0, false, false},
	{"9223372036854775807.5", 0, false, false},
	{"9223372036854775807.00000000000000000001", 0, false, false},
}

func TestInt(t *testing.T) {
	for _, test := range numberTexts {
		v := scan(t, test.raw).Root
		if got, ok := v.Int(); got != test.want || ok != test.fits {
			t.Errorf("Int of %s = %d, %t, want %d, %t", test.raw, got, ok, test.want, test.fits)
		}
		if got := v.IsInteger(); got != test.integer {
			t.Errorf("IsInteger of %s = %t, want %t", test.raw, got, test.integer)
		}
	}
}

// Reading these by powers of ten, or by repeated big multiplication, would not
// end before the test's deadline.
func TestLongNumbers(t *testing.T) {
	const count = 4 << 20
	digits := strings.Repeat("9", count)
	zeros := strings.Repeat("0", count)
	for _, test := range []struct {
		what, raw string
		want      int64
		fits      bool
		integer   bool
	}{
		{"nines", digits, 0, false, true},
		{"a long fraction", "1." + digits, 0, false, false},
		{"zeros behind the point", "7." + zeros, 7, true, true},
		{"a shift back to one", "1" + zeros + "e-4194304", 1, true, true},
		{"a shift back past one", "1" + zeros + "e-4194305", 0, false, false},
		{"a shift up to one", "0." + zeros + "1e4194305", 1, true, true},
		{"a long exponent", "1e" + digits, 0, false, true},
		{"a long exponent of zeros", "5e-" + zeros, 5, true, true},
	} {
		v := scan(t, test.raw).Root
		got, ok := v.Int()
		if got != test.want || ok != test.fits || v.IsInteger() != test.integer {
			t.Errorf("%s: Int = %d, %t, IsInteger = %t, want %d, %t, %t",
				test.what, got, ok, v.IsInteger(), test.want, test.fits, test.integer)
		}
	}
}

func TestFloat(t *testing.T) {
	for _, test := range []struct {
		raw  string
		want float64
		ok   bool
	}{
		{"0", 0, true},
		{"1.5", 1.5, true},
		{"-2.5e-3", -0.0025, true},
		{"1e308", 1e308, true},
		{"1e-400", 0, true},
		{"9007199254740993", 9007199254740992, true},
		{"1e309", 0, false},
		{"-1e999999999", 0, false},
	} {
		got, ok := scan(t, test.raw).Root.Float()
		if got != test.want || ok != test.ok {
			t.Errorf("Float of %s = %g, %t, want %g, %t", test.raw, got, ok, test.want, test.ok)
		}
	}
}

func TestNumbersOfOtherKinds(t *testing.T) {
	for _, raw := range []string{`"1"`, `null`, `true`, `[1]`, `{}`} {
		v := scan(t, raw).Root
		if n, ok := v.Int(); n != 0 || ok {
			t.Errorf("Int of %s = %d, %t, want 0, false", raw, n, ok)
		}
		if f, ok := v.Float(); f != 0 || ok {
			t.Errorf("Float of %s = %g, %t, want 0, false", raw, f, ok)
		}
		if v.IsInteger() {
			t.Errorf("IsInteger of %s = true, want false", raw)
		}
	}
}
