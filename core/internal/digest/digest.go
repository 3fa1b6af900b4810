// Package digest tells JSON values apart by what they say: the order of members,
// white space, escapes and the spelling of numbers are of no account.
package digest

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Sum is the digest of one JSON value, made of those of its parts.
type Sum [sha256.Size]byte

// Of gives the digest of a valid JSON value. A member that occurs twice counts
// twice: readers differ in which one they take.
func Of(value string) Sum {
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	sum, err := next(decoder)
	if err != nil {
		return sha256.Sum256([]byte(value))
	}
	return sum
}

// next reads one value. Its depth is what the reader of the message allows.
func next(decoder *json.Decoder) (Sum, error) {
	token, err := decoder.Token()
	if err != nil {
		return Sum{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return object(decoder)
		}
		return array(decoder)
	case string:
		return sha256.Sum256([]byte("s" + token)), nil
	case json.Number:
		return sha256.Sum256([]byte("n" + plainNumber(token.String()))), nil
	case bool:
		return sha256.Sum256(strconv.AppendBool([]byte("b"), token)), nil
	}
	return sha256.Sum256([]byte("null")), nil
}

func array(decoder *json.Decoder) (sum Sum, err error) {
	parts := sha256.New()
	parts.Write([]byte("a"))
	for decoder.More() {
		if sum, err = next(decoder); err != nil {
			return sum, err
		}
		parts.Write(sum[:])
	}
	if _, err = decoder.Token(); err != nil {
		return sum, err
	}
	return Sum(parts.Sum(nil)), nil
}

// plainNumber gives one text for all spellings of a number: its digits without
// zeros at either end, and the exponent of the last one.
func plainNumber(text string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return text
		}
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	return sign + trimmed + "e" + strconv.Itoa(exponent+len(digits)-len(trimmed))
}

func object(decoder *json.Decoder) (Sum, error) {
	type member struct {
		name  string
		value Sum
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return Sum{}, err
		}
		value, err := next(decoder)
		if err != nil {
			return Sum{}, err
		}
		text, _ := name.(string)
		members = append(members, member{text, value})
	}
	if _, err := decoder.Token(); err != nil {
		return Sum{}, err
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	parts := []byte("o")
	for _, m := range members {
		name := sha256.Sum256([]byte(m.name))
		parts = append(append(parts, name[:]...), m.value[:]...)
	}
	return sha256.Sum256(parts), nil
}
