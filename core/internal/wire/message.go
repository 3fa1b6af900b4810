// Package wire is the framing of MCP over a byte stream: JSON messages, one a
// line. Reader cuts an input into lines; Scanner checks a line and shows where
// its members lie, without decoding them; the Append functions write JSON that
// is always valid and always one line; Writer sends lines.
package wire

// Scope names the objects of a message in which a member name may occur only
// once.
type Scope uint8

// The scopes of [Message.DuplicateIn].
const (
	NoScope     Scope = iota
	InMessage         // the message object itself
	InParams          // params
	InMeta            // params._meta
	InArguments       // params.arguments
)

// Member is one member of an object. Its name is decoded.
type Member struct {
	Name  string
	Value Value
}

// Message is the view of one line, filled by [Scanner.Scan]. Its strings are
// substrings of the line, escaped names excepted, and so live as long as
// anybody holds them.
//
// Where a name occurs twice, the fixed members hold the first occurrence, and
// ParamMembers, Meta and Arguments list them all in the order of the line.
type Message struct {
	// Root is the line's whole value without the white space around it. It is
	// set only when the whole line is valid JSON.
	Root Value

	// The members of the message, Absent where there are none. Those that a
	// faulty line breaks off in are Absent too.
	JSONRPC, ID, Method, Params, Result, Error Value

	// ParamMembers are the members of params, when it is an object. The next
	// Scan into the same Message overwrites them.
	ParamMembers []Member
	// Meta are the members of params._meta, when it is an object. The next
	// Scan into the same Message overwrites them.
	Meta []Member
	// Arguments are the members of params.arguments, when it is an object.
	// They are never overwritten.
	Arguments []Member

	// DuplicateIn says where a member name was first found to occur twice, and
	// DuplicateName which one.
	DuplicateIn   Scope
	DuplicateName string

	// Unfinished is the name of the message's member in whose value a faulty
	// line breaks off; "" when the fault is elsewhere.
	Unfinished string
}

// Param gives the first member of params with that name, or an Absent value.
func (m *Message) Param(name string) Value {
	for i := range m.ParamMembers {
		if m.ParamMembers[i].Name == name {
			return m.ParamMembers[i].Value
		}
	}
	return Value{}
}

// maxReusedMembers bounds the room for members that outlives a message, so
// that one extraordinary message does not hold on to its memory for ever.
const maxReusedMembers = 1024

// reset empties m for the next line, but for the room that it reuses.
func (m *Message) reset() {
	*m = Message{ParamMembers: emptied(m.ParamMembers), Meta: emptied(m.Meta)}
}

// emptied gives the room of members for reuse. It clears them first: a
// member left behind the end of the slice would keep its line alive.
func emptied(members []Member) []Member {
	if cap(members) > maxReusedMembers {
		return nil
	}
	clear(members)
	return members[:0]
}

// slot gives the place of a member of the message object, or nil when the
// view has none for it.
func (m *Message) slot(name string) *Value {
	switch name {
	case "jsonrpc":
		return &m.JSONRPC
	case "id":
		return &m.ID
	case "method":
		return &m.Method
	case "params":
		return &m.Params
	case "result":
		return &m.Result
	case "error":
		return &m.Error
	}
	return nil
}

// noteDuplicate records a name that occurs twice, if it is the first one.
func (m *Message) noteDuplicate(scope Scope, name string) {
	if m.DuplicateIn == NoScope {
		m.DuplicateIn, m.DuplicateName = scope, name
	}
}
