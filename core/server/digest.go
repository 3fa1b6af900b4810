//go:build mcp20260728

package server

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// checksum is the digest of one JSON value, made of those of its parts.
type checksum [sha256.Size]byte

// digest tells arguments apart by what they say, whatever the order of their
// members and their white space, since a client may write them anew for each
// round. A member that occurs twice counts twice: readers differ in which one
// they take.
func digest(arguments string) []byte {
	if arguments == "" {
		arguments = "{}"
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.UseNumber()
	sum, err := digestNext(decoder)
	if err != nil {
		sum = sha256.Sum256([]byte(arguments))
	}
	return sum[:]
}

// digestNext reads one value. Its depth is that which the scanner allows.
func digestNext(decoder *json.Decoder) (checksum, error) {
	token, err := decoder.Token()
	if err != nil {
		return checksum{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return digestObject(decoder)
		}
		return digestArray(decoder)
	case string:
		return sha256.Sum256([]byte("s" + token)), nil
	case json.Number:
		return sha256.Sum256([]byte("n" + plainNumber(token.String()))), nil
	case bool:
		return sha256.Sum256(strconv.AppendBool([]byte("b"), token)), nil
	}
	return sha256.Sum256([]byte("null")), nil
}

func digestArray(decoder *json.Decoder) (sum checksum, err error) {
	parts := sha256.New()
	parts.Write([]byte("a"))
	for decoder.More() {
		if sum, err = digestNext(decoder); err != nil {
			return sum, err
		}
		parts.Write(sum[:])
	}
	if _, err = decoder.Token(); err != nil {
		return sum, err
	}
	return checksum(parts.Sum(nil)), nil
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

func digestObject(decoder *json.Decoder) (checksum, error) {
	type member struct {
		name  string
		value checksum
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return checksum{}, err
		}
		value, err := digestNext(decoder)
		if err != nil {
			return checksum{}, err
		}
		text, _ := name.(string)
		members = append(members, member{text, value})
	}
	if _, err := decoder.Token(); err != nil {
		return checksum{}, err
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	parts := []byte("o")
	for _, m := range members {
		name := sha256.Sum256([]byte(m.name))
		parts = append(append(parts, name[:]...), m.value[:]...)
	}
	return sha256.Sum256(parts), nil
}
