package seal

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newSealer gives a sealer with a clock of the test's own.
func newSealer(t testing.TB, secret, purpose string) (*Sealer, *clock) {
	t.Helper()
	s, err := New(bytes.Repeat([]byte(secret), KeySize)[:KeySize], purpose)
	if err != nil {
		t.Fatalf("New(%q, %q): %v", secret, purpose, err)
	}
	c := &clock{time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)}
	s.now = c.now
	return s, c
}

func wantInvalid(t *testing.T, what string, payload []byte, err error) {
	t.Helper()
	if !errors.Is(err, ErrInvalid) || payload != nil {
		t.Errorf("%s: Open gave %q, %v; want nothing and ErrInvalid", what, payload, err)
	}
}

func TestOpenGivesWhatWasSealed(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	for _, payload := range []string{"", "x", "\x00\xff", strings.Repeat("long", 100_000)} {
		for _, binding := range [][]string{nil, {""}, {"aspect", "tools/call", "art", "{}"}} {
			text := s.Seal([]byte(payload), time.Minute, binding...)
			got, err := s.Open(text, binding...)
			if err != nil || string(got) != payload {
				t.Errorf("Open(Seal(%.20q), %q) = %.20q, %v; want the same payload", payload, binding, got, err)
			}
			if len(payload) > 24 && strings.Contains(text, base64.RawURLEncoding.EncodeToString([]byte(payload[:24]))) {
				t.Errorf("Seal(%.20q) = %.40q shows its payload", payload, text)
			}
		}
	}
}

func TestSealsOfOnePayloadDiffer(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	if a, b := s.Seal([]byte("x"), time.Minute), s.Seal([]byte("x"), time.Minute); a == b {
		t.Errorf("two seals of one payload are both %q", a)
	}
}

func TestOpenRefusesEachFlippedBit(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	sealed, err := base64.RawURLEncoding.DecodeString(s.Seal([]byte("payload"), time.Minute, "b"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			got, err := s.Open(base64.RawURLEncoding.EncodeToString(changed), "b")
			if err == nil {
				t.Errorf("with bit %d of byte %d flipped, Open gave %q", bit, i, got)
			}
		}
	}
}

func TestOpenRefusesEachOtherCharacter(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	text := s.Seal([]byte("payload"), time.Minute, "b")
	for i := range text {
		for c := range 256 {
			if byte(c) == text[i] {
				continue
			}
			changed := text[:i] + string([]byte{byte(c)}) + text[i+1:]
			if got, err := s.Open(changed, "b"); err == nil {
				t.Errorf("with character %d turned from %q to %q, Open gave %q", i, text[i], byte(c), got)
			}
		}
	}
}

func TestOpenRefusesCutsAndAdditions(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	text := s.Seal([]byte("payload"), time.Minute, "b")
	for i := range text {
		got, err := s.Open(text[:i], "b")
		wantInvalid(t, "cut to its beginning "+text[:i], got, err)
		got, err = s.Open(text[i:]+"A", "b")
		wantInvalid(t, "cut to its end", got, err)
		for _, extra := range []string{"A", "=", " ", "\n", "\r", "\r\n", "\x00", "."} {
			got, err = s.Open(text[:i]+extra+text[i:], "b")
			wantInvalid(t, fmt.Sprintf("with %q put in at %d", extra, i), got, err)
		}
	}
	for _, end := range []string{"\n", "=", "==", "A", "AAAA"} {
		got, err := s.Open(text+end, "b")
		wantInvalid(t, "with an end of its own", got, err)
	}
}

func TestOpenRefusesSplicedTexts(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	one, other := s.Seal([]byte("payload one"), time.Minute, "b"), s.Seal([]byte("payload two"), time.Minute, "b")
	if len(one) != len(other) {
		t.Fatalf("the texts have %d and %d bytes, want as many", len(one), len(other))
	}
	for i := 1; i < len(one); i++ {
		spliced := one[:i] + other[i:]
		if spliced == one || spliced == other {
			continue
		}
		got, err := s.Open(spliced, "b")
		wantInvalid(t, "spliced of two", got, err)
	}
}

func TestOpenRefusesMalformedTexts(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	text := s.Seal([]byte("payload"), time.Minute)
	for name, malformed := range map[string]string{
		"empty":               "",
		"version alone":       base64.RawURLEncoding.EncodeToString([]byte{version}),
		"no room for a nonce": base64.RawURLEncoding.EncodeToString([]byte{version, 1, 2, 3}),
		"zeros":               base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
		"another version":     base64.RawURLEncoding.EncodeToString(append([]byte{version + 1}, make([]byte, 64)...)),
		"no base64":           "not base64!",
		"standard base64":     "+/+/",
		"JSON":                `{"s":"x"}`,
		"padded":              text + strings.Repeat("=", (4-len(text)%4)%4+1),
		"huge":                strings.Repeat("A", 20<<20),
		"huge of one kind":    strings.Repeat("=", 20<<20),
		"invalid UTF-8":       "\xff\xfe",
		"one character":       "A",
	} {
		got, err := s.Open(malformed)
		wantInvalid(t, name, got, err)
	}
}

// The last character of a text may carry bits that decode to nothing.
func TestOpenRefusesTrailingBits(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	s, _ := newSealer(t, "k", "aspect")
	tried := 0
	for size := range 3 {
		text := s.Seal(make([]byte, size), time.Minute)
		lenient, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, last := range alphabet {
			other := text[:len(text)-1] + string(last)
			same, err := base64.RawURLEncoding.DecodeString(other)
			if other == text || err != nil || !bytes.Equal(same, lenient) {
				continue
			}
			tried++
			got, err := s.Open(other)
			wantInvalid(t, "another writing of the same bytes", got, err)
		}
	}
	if tried == 0 {
		t.Error("no text with trailing bits was tried")
	}
}

func TestOpenRefusesAnotherBinding(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	binding := []string{"aspect", "tools/call", "art", `{"a":1}`}
	text := s.Seal([]byte("payload"), time.Minute, binding...)
	for name, other := range map[string][]string{
		"none":                nil,
		"another aspect":      {"aspect2", "tools/call", "art", `{"a":1}`},
		"another method":      {"aspect", "prompts/get", "art", `{"a":1}`},
		"another name":        {"aspect", "tools/call", "arts", `{"a":1}`},
		"other arguments":     {"aspect", "tools/call", "art", `{"a":2}`},
		"a part less":         {"aspect", "tools/call", "art"},
		"a part more":         {"aspect", "tools/call", "art", `{"a":1}`, ""},
		"another order":       {"tools/call", "aspect", "art", `{"a":1}`},
		"parts joined":        {"aspecttools/call", "art", `{"a":1}`},
		"a border moved":      {"aspec", "ttools/call", "art", `{"a":1}`},
		"a length in a part":  {"aspect10:tools/call", "art", `{"a":1}`},
		"a length beforehand": {"6:aspect", "tools/call", "art", `{"a":1}`},
	} {
		got, err := s.Open(text, other...)
		wantInvalid(t, name, got, err)
	}
}

func TestBindTellsPartsApart(t *testing.T) {
	seen := make(map[string][]string)
	for _, parts := range [][]string{
		nil,
		{""},
		{"", ""},
		{"a", ""},
		{"", "a"},
		{"a"},
		{"a", "b"},
		{"ab"},
		{"a1:b"},
		{"1:a"},
		{"1", ":a"},
		{"0:"},
		{"1:a1:b"},
	} {
		joined := string(bind(parts))
		if other, known := seen[joined]; known {
			t.Errorf("bind(%q) = bind(%q) = %q, want different bytes", parts, other, joined)
		}
		seen[joined] = parts
	}
}

func TestOpenRefusesWhatAnotherSealed(t *testing.T) {
	s, _ := newSealer(t, "k", "aspect")
	for name, key := range map[string][2]string{
		"another secret":  {"l", "aspect"},
		"another purpose": {"k", "aspect2"},
		"no purpose":      {"k", ""},
	} {
		foreign, _ := newSealer(t, key[0], key[1])
		got, err := s.Open(foreign.Seal([]byte("payload"), time.Minute, "b"), "b")
		wantInvalid(t, name, got, err)
	}
	again, _ := newSealer(t, "k", "aspect")
	got, err := again.Open(s.Seal([]byte("payload"), time.Minute, "b"), "b")
	if err != nil || string(got) != "payload" {
		t.Errorf("a sealer with the same key gave %q, %v; want the payload", got, err)
	}
}

func TestExpiry(t *testing.T) {
	s, clock := newSealer(t, "k", "aspect")
	sealedAt := clock.at
	for _, test := range []struct {
		lifetime, after time.Duration
		valid           bool
	}{
		{time.Minute, 0, true},
		{time.Minute, time.Minute - time.Millisecond, true},
		{time.Minute, time.Minute, false},
		{time.Minute, time.Hour, false},
		{time.Minute, -time.Hour, true},
		{time.Millisecond, 0, true},
		{0, 0, false},
		{-time.Minute, 0, false},
		{100 * 365 * 24 * time.Hour, 99 * 365 * 24 * time.Hour, true},
	} {
		clock.at = sealedAt
		text := s.Seal([]byte("payload"), test.lifetime)
		clock.at = sealedAt.Add(test.after)
		got, err := s.Open(text)
		if valid := err == nil; valid != test.valid {
			t.Errorf("sealed for %v and opened after %v: %q, %v; want valid %t", test.lifetime, test.after, got, err, test.valid)
		}
	}
}

func TestNewTakesSecretsOfAnySize(t *testing.T) {
	for _, size := range []int{1, 16, KeySize, 1000} {
		if _, err := New(make([]byte, size), "aspect"); err != nil {
			t.Errorf("New with a secret of %d bytes: %v", size, err)
		}
	}
}

// The key is a new one for each process, so no text that was found before, or
// by another worker, can be valid.
func FuzzOpen(f *testing.F) {
	s, err := New(Random(), "aspect")
	if err != nil {
		f.Fatal(err)
	}
	foreign, _ := newSealer(f, "k", "aspect")
	text := foreign.Seal([]byte("payload"), time.Minute, "b")
	f.Add(text, "b")
	f.Add(text[:len(text)-1], "b")
	f.Add(text[:8]+"\n"+text[8:], "b")
	f.Add("", "")
	f.Add(base64.RawURLEncoding.EncodeToString([]byte{version}), "")
	f.Add(strings.Repeat("A", 100), "")
	f.Fuzz(func(t *testing.T, text, binding string) {
		payload, err := s.Open(text, binding)
		if !errors.Is(err, ErrInvalid) || payload != nil {
			t.Errorf("Open(%q, %q) = %q, %v; want nothing and ErrInvalid", text, binding, payload, err)
		}
	})
}
