package toolserver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"slices"
	"strconv"
	"strings"
)

// fingerprint tells calls apart.
type fingerprint [sha256.Size]byte

// fingerprintOf is the same for calls of one tool whose arguments say the
// same: the order of members, white space, escapes, the spelling of numbers and
// what ParseArguments takes for empty are of no account.
func fingerprintOf(qualifiedTool, rawArguments string) fingerprint {
	sum := sha256.New()
	writeText(sum, 't', qualifiedTool)
	decoder := json.NewDecoder(strings.NewReader(ParseArguments(rawArguments).JSON()))
	decoder.UseNumber()
	var arguments any
	if err := decoder.Decode(&arguments); err != nil {
		// ParseArguments gives nothing but objects of bounded depth, so that it
		// does not come to this. Such arguments would equal only themselves.
		writeText(sum, 'x', rawArguments)
	}
	writeValue(sum, arguments)
	return fingerprint(sum.Sum(nil))
}

// writeValue writes a value so that no two different ones look the same: each
// begins with its kind and its length.
func writeValue(sum hash.Hash, value any) {
	switch value := value.(type) {
	case map[string]any:
		writeLength(sum, 'o', len(value))
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			writeText(sum, 'm', name)
			writeValue(sum, value[name])
		}
	case []any:
		writeLength(sum, 'a', len(value))
		for _, element := range value {
			writeValue(sum, element)
		}
	case string:
		writeText(sum, 's', value)
	case json.Number:
		writeText(sum, 'n', plainNumber(value.String()))
	case bool:
		writeText(sum, 'b', strconv.FormatBool(value))
	default:
		writeLength(sum, '0', 0)
	}
}

func writeText(sum hash.Hash, kind byte, text string) {
	writeLength(sum, kind, len(text))
	sum.Write([]byte(text))
}

func writeLength(sum hash.Hash, kind byte, length int) {
	sum.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(length)))
}

// plainNumber gives one text for all spellings of a number: its digits without
// zeros at either end, and the exponent of the first one. An exponent beyond
// what a program counts in stays as it is spelled.
func plainNumber(text string) string {
	mantissa, power, hasPower := strings.Cut(strings.ToLower(text), "e")
	sign := ""
	if unsigned, negative := strings.CutPrefix(mantissa, "-"); negative {
		sign, mantissa = "-", unsigned
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent := 0
	if hasPower {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1<<30 || exponent < -1<<30 {
			return text
		}
	}
	exponent += len(digits) - len(fraction)
	return sign + strings.TrimRight(digits, "0") + "e" + strconv.Itoa(exponent)
}
