package wire

import "iter"

// ValueOf gives the view of a value that [Scanner.Scan] or [AppendCompact] has
// accepted, without white space around it.
func ValueOf(raw string) Value {
	if raw == "" {
		return Value{}
	}
	switch raw[0] {
	case '{':
		return Value{Kind: Object, Raw: raw}
	case '[':
		return Value{Kind: Array, Raw: raw}
	}
	kind, escaped, _, _ := scanScalar(raw, 0)
	return Value{Kind: kind, Escaped: escaped, Raw: raw}
}

// Members gives the members of an object that [Scanner.Scan] or
// [AppendCompact] has accepted, in their order, without looking into them. A
// name that occurs twice comes twice. It gives nothing of what is no object.
func Members(object string) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for member := range MembersAndTexts(object) {
			if !yield(member) {
				return
			}
		}
	}
}

// MembersAndTexts is Members, and gives with each one its text, as a substring
// of the object: name, colon and value.
func MembersAndTexts(object string) iter.Seq2[Member, string] {
	return func(yield func(Member, string) bool) {
		i := skipSpace(object, 0)
		if i == len(object) || object[i] != '{' {
			return
		}
		i, closed, f := openObject(object, i)
		for f == fine && !closed {
			start := i
			var name string
			if name, i, f = decodedName(object, i); f != fine {
				return
			}
			end := valueEnd(object, i)
			if !yield(Member{Name: name, Value: ValueOf(object[i:end])}, object[start:end]) {
				return
			}
			i, closed, f = nextMember(object, end)
		}
	}
}

// Elements gives the elements of an array that [Scanner.Scan] has accepted, as
// substrings of it, at most limit; ok is false when there are more.
func Elements(array string, limit int) (elements []string, ok bool) {
	i := skipSpace(array, 0)
	if i == len(array) || array[i] != '[' {
		return nil, false
	}
	for i = skipSpace(array, i+1); i < len(array) && array[i] != ']'; {
		if len(elements) >= limit {
			return elements, false
		}
		end := valueEnd(array, i)
		elements = append(elements, array[i:end])
		i = skipSpace(array, end)
		if i < len(array) && array[i] == ',' {
			i = skipSpace(array, i+1)
		}
	}
	return elements, true
}

// valueEnd gives the index behind the value at s[i], in text that is known to
// be JSON.
func valueEnd(s string, i int) int {
	for level := 0; i < len(s); {
		switch s[i] {
		case '"':
			i, _, _ = scanString(s, i)
		case '{', '[':
			level++
			i++
			continue
		case '}', ']':
			level--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
			continue
		default:
			i = wordEnd(s, i)
		}
		if level <= 0 {
			break
		}
	}
	return i
}

// wordEnd gives the index behind the number or literal at s[i].
func wordEnd(s string, i int) int {
	for i++; i < len(s) && !delimits(s[i]); i++ {
	}
	return i
}

// StringLength gives the length, in bytes and with its quotes, of the string that
// valid JSON begins with.
func StringLength(text string) int {
	end, _, _ := scanString(text, 0)
	return end
}
