//go:build mcp20260728

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// modernLane is what the modern era needs of a connection. It remembers
// nothing of requests but the streams that are open.
type modernLane struct {
	connection *connection
	streams    streams
	// identity is the member of _meta that every result carries: name and
	// version alone, since it goes with each; server/discover gives the rest.
	identity []byte
}

func (l *modernLane) init(c *connection) {
	l.connection = c
	l.streams.init()
	l.identity = c.appendIdentity([]byte(`"` + protocol.MetaServerInfo + `":`))
}

// stateLifetime is how long a client may take to come back with answers.
func (o *Options) stateLifetime() time.Duration { return orDefault(o.StateLifetime, time.Hour) }

func (o *Options) addModernFlags(set *pflag.FlagSet) {
	set.DurationVar(&o.StateLifetime, "state-lifetime", o.stateLifetime(), "how long a client of the modern era may take to come back with answers")
}

func modernMethods() []method {
	return []method{
		{"server/discover", protocol.V20260728, protocol.V20260728, nil, true, (*reading).discover},
		{"subscriptions/listen", protocol.V20260728, protocol.V20260728, nil, false, (*reading).listen},
	}
}

// sessionOf gives what a request is served under: the revision that its _meta
// names, whatever happened before on the connection, or else the connection's
// session. With an error, it gives the latter too.
func (c *connection) sessionOf(m *wire.Message) (*session, *core.Error) {
	settled := c.session.Load()
	version := metaMember(m, protocol.MetaProtocolVersion)
	switch {
	case version.Kind == wire.Absent && isModern(m):
		return settled, missingMeta(protocol.MetaProtocolVersion)
	case version.Kind == wire.Absent:
		return settled, nil
	case version.Kind != wire.String:
		return settled, core.InvalidParams("_meta." + protocol.MetaProtocolVersion + " is not a string")
	}
	revision, known := protocol.Parse(version.Text())
	switch {
	case !known:
		return settled, unsupportedVersion(version.Text())
	case revision.Legacy():
		named := *settled
		named.revision, named.requested = revision, revision.String()
		return &named, nil
	}
	modern, failure := readModern(m, revision)
	if failure != nil {
		return settled, failure
	}
	return modern, nil
}

// isModern reports whether a request without a version can only be meant for
// the modern era.
func isModern(m *wire.Message) bool {
	for i := range m.Meta {
		name := m.Meta[i].Name
		if strings.HasPrefix(name, protocol.MetaPrefix+"client") || name == protocol.MetaLogLevel {
			return true
		}
	}
	return m.Method.Text() == "server/discover"
}

// readModern reads what a modern request says of its client.
func readModern(m *wire.Message, revision protocol.Revision) (*session, *core.Error) {
	capabilities := metaMember(m, protocol.MetaClientCapabilities)
	clientInfo := metaMember(m, protocol.MetaClientInfo)
	level := metaMember(m, protocol.MetaLogLevel)
	s := &session{
		revision:     revision,
		requested:    revision.String(),
		capabilities: capabilities.Raw,
		clientInfo:   clientInfo.Raw,
	}
	switch {
	case capabilities.Kind == wire.Absent:
		return nil, missingMeta(protocol.MetaClientCapabilities)
	case capabilities.Kind != wire.Object:
		return nil, core.InvalidParams("_meta." + protocol.MetaClientCapabilities + " is not an object")
	case !isObjectOrAbsent(clientInfo):
		return nil, core.InvalidParams("_meta." + protocol.MetaClientInfo + " is not an object")
	case level.Kind == wire.Absent:
		return s, nil
	}
	s.logs, s.logged = protocol.ParseLogLevel(level.Text())
	if !s.logged {
		return nil, core.InvalidParams("_meta." + protocol.MetaLogLevel + ": unknown log level")
	}
	return s, nil
}

func metaMember(m *wire.Message, name string) wire.Value {
	for i := range m.Meta {
		if m.Meta[i].Name == name {
			return m.Meta[i].Value
		}
	}
	return wire.Value{}
}

func missingMeta(name string) *core.Error {
	return core.InvalidParams("Missing parameter: _meta." + name)
}

func unsupportedVersion(requested string) *core.Error {
	data := append([]byte(`{"supported":`), supportedVersions()...)
	data = wire.AppendString(append(data, `,"requested":`...), requested)
	return &core.Error{
		Code:    protocol.CodeUnsupportedVersion,
		Message: "Unsupported Protocol Version [" + shorten(requested) + "]",
		Data:    append(data, '}'),
	}
}

// supportedVersions is a JSON array of all revisions that are served, newest
// first.
func supportedVersions() []byte {
	dst := []byte{'['}
	for r := protocol.Ceiling; r >= protocol.V20241105; r-- {
		if r < protocol.Ceiling {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(dst, r.String())
	}
	return append(dst, ']')
}

// discover serves server/discover.
func (r *reading) discover(q *request, _ *wire.Message) bool {
	c := r.connection
	dst := append([]byte(`"supportedVersions":`), supportedVersions()...)
	dst = c.appendCapabilities(append(dst, `,"capabilities":`...), q.session.revision)
	if c.aspect.Instructions != "" {
		dst = wire.AppendString(append(dst, `,"instructions":`...), c.aspect.Instructions)
	}
	q.finish(discovery{members: dst, serverInfo: c.appendServerInfo(nil, q.session.revision)}, nil)
	return true
}

// discovery is the result of server/discover, which tells all of the server.
type discovery struct {
	members
	serverInfo []byte
}

// encodeResult appends a result object; in the modern era with its type, the
// hints for caching, and who the server is.
func (q *request) encodeResult(dst []byte, result core.Result) ([]byte, error) {
	if q.session.revision.Legacy() {
		dst, err := result.AppendMembers(append(dst, '{'), q.session.revision)
		if err != nil {
			return nil, err
		}
		return append(dst, '}'), nil
	}
	_, interim := result.(inputRequired)
	kind := `{"resultType":"complete",`
	if interim {
		kind = `{"resultType":"input_required",`
	}
	dst, err := result.AppendMembers(append(dst, kind...), q.session.revision)
	if err != nil {
		return nil, err
	}
	if dst[len(dst)-1] != ',' {
		dst = append(dst, ',')
	}
	if q.row != nil && q.row.cacheable && !interim {
		dst = q.appendCaching(dst, result)
	}
	if dst, err = appendOwnMeta(append(dst, `"_meta":{`...), result); err != nil {
		return nil, err
	}
	if d, full := result.(discovery); full {
		dst = append(append(dst, `"`+protocol.MetaServerInfo+`":`...), d.serverInfo...)
	} else {
		dst = append(dst, q.connection.modern.identity...)
	}
	return append(dst, `}}`...), nil
}

// appendCaching appends the hints for caching that the result does not bring
// itself, each with a comma behind it.
func (q *request) appendCaching(dst []byte, result core.Result) []byte {
	hint := q.connection.aspect.Caching.Lists
	if q.method == "resources/read" {
		hint = q.connection.aspect.Caching.Reads
	}
	var hasLifetime, hasScope bool
	if own, ok := result.(interface{ SaysCaching() (lifetime, scope bool) }); ok {
		hasLifetime, hasScope = own.SaysCaching()
	}
	if q.resumed || hasLifetime || hasScope {
		// What depends on the client's answers is not for anybody else. Nor is
		// what another server says too little of.
		hint = core.CacheHint{}
	}
	if !hasLifetime {
		dst = append(wire.AppendInt(append(dst, `"ttlMs":`...), max(0, hint.Lifetime.Milliseconds())), ',')
	}
	switch {
	case hasScope:
		return dst
	case hint.Public:
		return append(dst, `"cacheScope":"public",`...)
	}
	return append(dst, `"cacheScope":"private",`...)
}

// appendOwnMeta appends the members of the aspect's own _meta as they are, each
// with a comma behind it; the key that is the core's is left out.
func appendOwnMeta(dst []byte, result core.Result) ([]byte, error) {
	with, ok := result.(interface{ ResultMeta() json.RawMessage })
	if !ok {
		return dst, nil
	}
	own := with.ResultMeta()
	if len(own) == 0 {
		return dst, nil
	}
	compact, err := wire.AppendCompact(nil, string(own))
	if err != nil {
		return nil, fmt.Errorf("_meta: %w", err)
	}
	if compact[0] != '{' {
		return nil, errors.New("_meta is no JSON object")
	}
	for member, text := range wire.MembersAndTexts(string(compact)) {
		if member.Name != protocol.MetaServerInfo {
			dst = append(append(dst, text...), ',')
		}
	}
	return dst, nil
}
