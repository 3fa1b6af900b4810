package wire

import (
	"fmt"
	"slices"
)

// The scanner's functions, from the line inwards. The grammar below them is in
// grammar.go.
//
//	Scan            a line
//	  root            its value
//	    message         the message object
//	      members         params
//	        members         _meta, arguments
//	      value           any other value, without looking into it

// SyntaxError says what is wrong with a line that is not JSON.
type SyntaxError struct {
	Offset int    // in bytes, from 0
	Reason string // a short clause
}

// Error gives one short sentence with the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

// DepthError says that a line nests arrays and objects too deep.
type DepthError struct {
	Offset int // in bytes, from 0
	Limit  int // the deepest level allowed
}

// Error gives one short sentence with the offset.
func (e *DepthError) Error() string {
	return fmt.Sprintf("JSON is nested deeper than %d levels at byte %d", e.Limit, e.Offset)
}

// asError gives the error for a fault, which is not fine, at that offset.
func (n *nesting) asError(offset int, f fault) error {
	if f == tooDeep {
		return &DepthError{Offset: offset, Limit: n.limit}
	}
	return &SyntaxError{Offset: offset, Reason: f.reason()}
}

// Scanner checks lines and finds the members of messages in them. It is for
// one goroutine at a time.
type Scanner struct {
	nesting   nesting
	arguments argumentRoom
}

// NewScanner gives a scanner that refuses arrays and objects nested deeper
// than maxDepth levels. A message object is level 1. A maxDepth below 1 counts
// as 1.
func NewScanner(maxDepth int) *Scanner {
	maxDepth = max(maxDepth, 1)
	return &Scanner{nesting: nesting{limit: maxDepth, objects: make([]uint64, nestingWords(maxDepth))}}
}

// Scan checks that line is one JSON value by RFC 8259, in strict UTF-8, and
// fills m with the view of it. The error is a [*SyntaxError] or a
// [*DepthError]; m then has the members that were complete before the fault. A
// number at which a cut line ends is not: digits may be missing. A line that
// is no object sets only m.Root.
//
// An escaped surrogate that is not half of a pair is accepted.
func (s *Scanner) Scan(line string, m *Message) error {
	m.reset()
	i, f := s.root(line, m)
	m.Arguments = s.arguments.keep(m.Arguments)
	if f != fine {
		return s.nesting.asError(i, f)
	}
	return nil
}

// root scans the line's value and the white space around it.
func (s *Scanner) root(line string, m *Message) (end int, f fault) {
	start := skipSpace(line, 0)
	var root Value
	if start < len(line) && line[start] == '{' {
		end, f = s.message(line, start, m)
		root = Value{Kind: Object, Raw: line[start:end]}
	} else {
		root, end, f = s.value(line, start, 0)
	}
	if f != fine {
		return end, f
	}
	if end = skipSpace(line, end); end < len(line) {
		return end, noEnd
	}
	m.Root = root
	return end, fine
}

// message scans the message object at line[i].
func (s *Scanner) message(line string, i int, m *Message) (end int, f fault) {
	var others []Member // those that the view has no slot for
	var index nameIndex
	i, closed, f := openObject(line, i)
	for f == fine && !closed {
		var name string
		if name, i, f = decodedName(line, i); f != fine {
			break
		}
		var value Value
		if name == "params" && m.Params.Kind == Absent && i < len(line) && line[i] == '{' {
			value, i, f = s.object(line, i, m, InParams)
		} else {
			value, i, f = s.value(line, i, 1)
		}
		if f != fine {
			m.Unfinished = name
			break
		}
		slot := m.slot(name)
		switch {
		case slot == nil && !index.repeats(others, name):
			others = append(others, Member{Name: name})
		case slot != nil && slot.Kind == Absent:
			*slot = value
		default:
			m.noteDuplicate(InMessage, name)
		}
		i, closed, f = nextMember(line, i)
	}
	return i, f
}

// object scans the object at line[i], whose members the view lists.
func (s *Scanner) object(line string, i int, m *Message, scope Scope) (v Value, end int, f fault) {
	end, f = s.members(line, i, m, scope)
	return Value{Kind: Object, Raw: line[i:end]}, end, f
}

// members scans the object at line[i] and lists its members.
func (s *Scanner) members(line string, i int, m *Message, scope Scope) (end int, f fault) {
	list, level := &m.ParamMembers, 2
	switch scope {
	case InMeta:
		list, level = &m.Meta, 3
	case InArguments:
		list, level = &m.Arguments, 3
	}
	if level > s.nesting.limit {
		return i, tooDeep
	}
	var index nameIndex
	i, closed, f := openObject(line, i)
	for f == fine && !closed {
		var member Member
		if member.Name, i, f = decodedName(line, i); f != fine {
			break
		}
		repeated := index.repeats(*list, member.Name)
		inner := NoScope
		if scope == InParams && !repeated && i < len(line) && line[i] == '{' {
			inner = scopeInParams(member.Name)
		}
		if inner != NoScope {
			member.Value, i, f = s.object(line, i, m, inner)
		} else {
			member.Value, i, f = s.value(line, i, level)
		}
		if f != fine {
			break
		}
		if repeated {
			m.noteDuplicate(scope, member.Name)
		}
		if scope == InArguments && len(*list) == cap(*list) {
			*list = s.arguments.grow(*list, len(line))
		}
		*list = append(*list, member)
		i, closed, f = nextMember(line, i)
	}
	return i, f
}

// scopeInParams gives the scope of a member of params that is an object, or
// NoScope when the view does not look into it.
func scopeInParams(name string) Scope {
	switch name {
	case "_meta":
		return InMeta
	case "arguments":
		return InArguments
	}
	return NoScope
}

// value scans the value at line[i], which stands inside that many levels.
func (s *Scanner) value(line string, i, level int) (v Value, end int, f fault) {
	if i == len(line) {
		return v, i, cutOff
	}
	switch line[i] {
	case '{':
		v.Kind = Object
		end, f = s.nesting.scan(line, i, level)
	case '[':
		v.Kind = Array
		end, f = s.nesting.scan(line, i, level)
	default:
		v.Kind, v.Escaped, end, f = scanScalar(line, i)
	}
	if f == fine && v.Kind == Number && level > 0 {
		// Otherwise the 12 of a line that is cut off in 123 would pass.
		f = numberEnd(line, end)
	}
	if f != fine {
		return Value{}, end, f
	}
	v.Raw = line[i:end]
	return v, end, fine
}

// numberEnd says whether a number inside an array or object may end at line[i].
func numberEnd(line string, i int) fault {
	switch {
	case i == len(line):
		return cutOff
	case delimits(line[i]):
		return fine
	}
	return noComma
}

// decodedName scans a member name and its colon, up to the value.
func decodedName(line string, i int) (name string, value int, f fault) {
	end, escaped, value, f := memberName(line, i)
	if f != fine {
		return "", value, f
	}
	return Value{Kind: String, Escaped: escaped, Raw: line[i:end]}.Text(), value, fine
}

// maxListed is the number of names up to which a list is searched faster than
// a map.
const maxListed = 16

// nameIndex finds names that occur twice in one object. Its zero value is for
// an object without members.
type nameIndex struct {
	names map[string]struct{} // of all members, once there are more than maxListed
}

// repeats reports whether name is that of one of the members, which are those
// before it. It must be asked for every member, or the map misses some.
func (x *nameIndex) repeats(members []Member, name string) bool {
	if len(members) > maxListed {
		return x.repeatsMany(members, name)
	}
	for i := range members {
		if members[i].Name == name {
			return true
		}
	}
	return false
}

// repeatsMany is repeats by way of the map, so that an object of a million
// names does not take a million squared comparisons.
func (x *nameIndex) repeatsMany(members []Member, name string) bool {
	if x.names == nil {
		x.names = make(map[string]struct{}, 4*maxListed)
		for i := range members {
			x.names[members[i].Name] = struct{}{}
		}
	}
	before := len(x.names)
	x.names[name] = struct{}{}
	return len(x.names) == before
}

const (
	// chunkMembers is how many arguments one allocation has room for.
	chunkMembers = 64
	// maxChunkedLine is the longest line, in bytes, whose arguments share an
	// allocation with those of other lines. Whoever holds one of them holds
	// them all, and thereby their lines.
	maxChunkedLine = 64 << 10
)

// argumentRoom gives out memory for arguments. Nothing is given out twice, so
// arguments stay as they are; one allocation serves many messages.
type argumentRoom struct {
	free []Member // without elements; its capacity is what has not been given out
	lent bool     // the message at hand is using free
}

// grow gives list, which has no room left, with room for one more.
func (r *argumentRoom) grow(list []Member, lineLength int) []Member {
	if len(list) >= chunkMembers/2 || lineLength > maxChunkedLine {
		r.lent = false
		return slices.Grow(list, max(8, len(list)))
	}
	if r.lent || cap(r.free) == 0 {
		r.free = make([]Member, 0, chunkMembers)
	}
	r.lent = true
	return append(r.free, list...)
}

// keep ends a message: it gives the list without the room behind it, which is
// for others.
func (r *argumentRoom) keep(list []Member) []Member {
	if r.lent {
		r.free = r.free[len(list):len(list)]
		r.lent = false
	}
	return slices.Clip(list)
}
