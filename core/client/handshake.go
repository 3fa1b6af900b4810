package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/client/transport"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// The newest revision of each era that the client speaks. The clamp is for
// servers: a client of every build speaks both eras.
const (
	newestLegacy = protocol.NewestLegacy
	newestModern = protocol.V20260728
)

// establish opens a connection, finds out the server's era, agrees on a
// revision, and loads the list of tools.
//
//	establish
//	  agree
//	    initialize     the server is known to be of the legacy era
//	    probe          otherwise: server/discover, and what its answer tells
//	      initialize     on the same link, or
//	      openConnection, initialize on a fresh link
//	  loadTools
func (c *Client) establish(ctx context.Context) (*connection, error) {
	limit := c.Options.connectTimeout()
	bounded, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{What: "connecting took too long", Limit: limit})
	defer cancel()
	connection, err := c.openConnection(bounded)
	if err != nil {
		return nil, connectError(bounded, err)
	}
	connection, err = c.agree(bounded, connection)
	if err != nil {
		err = connectError(bounded, err)
		connection.close(err)
		return nil, err
	}
	connection.ready.Store(true)
	c.loadTools(ctx, connection)
	if connection.context.Err() != nil || ctx.Err() != nil {
		err := errors.Join(context.Cause(ctx), connection.reason())
		connection.close(err)
		return nil, err
	}
	return connection, nil
}

// connectError gives the limit that has passed in the place of what it made go
// wrong.
func connectError(bounded context.Context, err error) error {
	if cause := context.Cause(bounded); cause != nil {
		return cause
	}
	return err
}

// agree settles the session of a connection. The connection may be another one
// afterwards; the one that is given must be closed also when there is an error.
func (c *Client) agree(ctx context.Context, n *connection) (*connection, error) {
	era := c.knownEra()
	if n.link.Traits().LegacyOnly {
		era = EraLegacy
	}
	if era == EraLegacy {
		err := n.initialize(ctx)
		if _, refused := serverError(err); !refused || n.link.Traits().LegacyOnly {
			return n, err
		}
		c.rememberEra(EraUnknown)
		if n.discover(ctx, limits{}) != nil {
			return n, err
		}
		return n, nil
	}
	return c.probe(ctx, n, era)
}

func (c *Client) knownEra() Era {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.era != EraUnknown {
		return c.era
	}
	return c.Options.Era
}

func (c *Client) rememberEra(era Era) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.era = era
}

// probe asks the server to tell about itself as only a modern one can, and
// falls back to the handshake if it cannot.
func (c *Client) probe(ctx context.Context, n *connection, known Era) (*connection, error) {
	limit := limits{total: c.Options.probeTimeout()}
	if known == EraModern {
		limit = limits{} // it needs no short one: there is nothing to fall back to
	}
	probed := n.discover(ctx, limit)
	if probed == nil {
		return n, nil
	}
	c.rememberEra(EraUnknown)
	verdict := judge(probed)
	if ctx.Err() != nil || verdict == hopeless {
		return n, probed
	}
	if n.context.Err() != nil || verdict == silent && !n.link.Traits().Exchanges {
		c.log().Debug("the server is started anew, for a handshake", "reason", probed)
		n.close(probed)
		anew, err := c.openConnection(ctx)
		if err != nil {
			return n, err
		}
		n = anew
	}
	err := n.initialize(ctx)
	if _, refused := serverError(err); refused && verdict == silent {
		// It was only slow to start, perhaps, and is a modern one after all.
		if n.discover(ctx, limits{}) == nil {
			return n, nil
		}
	}
	return n, err
}

// verdict is what a failed probe tells of a server.
type verdict uint8

const (
	legacy   verdict = iota // it is of the legacy era
	silent                  // it seems to be, but the probe has done harm or was not heard
	hopeless                // nothing can be done
)

// judge tells what the failure of server/discover means. A legacy server may
// answer with any error or with none.
func judge(err error) verdict {
	var status *transport.StatusError
	var timeout *TimeoutError
	switch {
	case errors.As(err, new(*versionError)):
		return hopeless
	case hasCode(err, protocol.CodeMissingCapability), hasCode(err, codeHeaderMismatch):
		return hopeless // a modern one, which a handshake would not please
	case errors.As(err, &status) && status.Unauthorized():
		return hopeless
	case errors.As(err, &timeout):
		return silent
	}
	if _, answered := serverError(err); answered {
		return legacy
	}
	var exit *transport.ExitError
	if errors.As(err, &status) || errors.Is(err, transport.ErrStreamBroken) || errors.As(err, new(*shapeError)) || errors.As(err, &exit) {
		return legacy
	}
	return hopeless // it could not be reached
}

// codeHeaderMismatch says that HTTP headers and message disagree.
const codeHeaderMismatch = -32020

// shapeError says that an answer is not what the specification wants.
type shapeError struct {
	problem string
	cause   error // or nil
}

func (e *shapeError) Error() string {
	if e.cause == nil {
		return e.problem
	}
	return e.problem + ": " + e.cause.Error()
}

func (e *shapeError) Unwrap() error { return e.cause }

// versionError says that there is no revision that both sides speak.
type versionError struct{ theirs, ours string }

func (e *versionError) Error() string {
	return fmt.Sprintf("the server speaks protocol version %s, and the client speaks %s", e.theirs, e.ours)
}

// spoken lists the revisions of the client, for messages.
func spoken() string {
	var names []string
	for r := newestModern; r > 0; r-- {
		names = append(names, r.String())
	}
	return strings.Join(names, ", ")
}

// discover opens a session of the modern era. An error that is none of a modern
// server's tells that this is no modern server; see judge. A server that refuses
// our version and names it as one that it supports is asked once more.
func (n *connection) discover(ctx context.Context, limits limits) error {
	result, err := n.askDiscover(ctx, limits)
	supported, refused := supportedVersions(err)
	if refused && lists(supported, newestModern) {
		result, err = n.askDiscover(ctx, limits)
		supported, refused = supportedVersions(err)
	}
	switch {
	case refused:
		return n.choose(ctx, supported)
	case err != nil:
		n.session.Store(nil)
		return err
	}
	return n.discovered(ctx, result)
}

func (n *connection) askDiscover(ctx context.Context, limits limits) (result string, err error) {
	n.session.Store(&session{revision: newestModern, capabilities: `{}`})
	return n.roundTrip(ctx, &outgoing{Request: &Request{Method: "server/discover"}, limits: limits, quiet: true})
}

// supportedVersions gives the versions that a server names when it refuses ours.
func supportedVersions(err error) (supported gjson.Result, refused bool) {
	failure, ok := serverError(err)
	if !ok || failure.Code != protocol.CodeUnsupportedVersion {
		return supported, false
	}
	return gjson.GetBytes(failure.Data, "supported"), true
}

// discovered opens the session with what a server has told about itself.
func (n *connection) discovered(ctx context.Context, result string) error {
	said := gjson.Parse(result)
	versions := said.Get("supportedVersions")
	if !versions.IsArray() || !said.Get("capabilities").IsObject() {
		n.session.Store(nil)
		return &shapeError{problem: "the answer to server/discover does not tell versions and capabilities"}
	}
	if !lists(versions, newestModern) {
		return n.choose(ctx, versions)
	}
	n.session.Store(&session{
		revision:     newestModern,
		capabilities: objectText(said.Get("capabilities"), `{}`),
		serverInfo:   objectText(said.Get("_meta."+gjson.Escape(protocol.MetaServerInfo)), ""),
		instructions: said.Get("instructions").Str,
	})
	n.client.rememberEra(EraModern)
	return nil
}

// choose goes on with what a server supports that knows the modern era but not
// our revision of it.
func (n *connection) choose(ctx context.Context, supported gjson.Result) error {
	n.session.Store(nil)
	for r := newestLegacy; r > 0; r-- {
		if lists(supported, r) {
			return n.initialize(ctx)
		}
	}
	return &versionError{theirs: beginningOf(supported.Raw), ours: spoken()}
}

// lists reports whether an array has the revision's name.
func lists(versions gjson.Result, revision protocol.Revision) bool {
	for _, version := range versions.Array() {
		if version.Type == gjson.String && version.Str == revision.String() {
			return true
		}
	}
	return false
}

// initialize opens a session of the legacy era.
func (n *connection) initialize(ctx context.Context) error {
	n.session.Store(nil)
	params := []byte{'{'}
	params = appendMember(params, "protocolVersion", quoted(newestLegacy.String()))
	params = appendMember(params, "capabilities", n.client.declared())
	params = append(appendMember(params, "clientInfo", n.client.identity()), '}')
	result, err := n.roundTrip(ctx, &outgoing{
		Request: &Request{Method: "initialize", Params: params},
		quiet:   true,
	})
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	said := gjson.Parse(result)
	version := said.Get("protocolVersion")
	revision, known := protocol.Parse(version.Str)
	if version.Type != gjson.String || !known || !revision.Legacy() {
		return &versionError{theirs: wireText(version), ours: spoken()}
	}
	n.session.Store(&session{
		revision:     revision,
		capabilities: objectText(said.Get("capabilities"), `{}`),
		serverInfo:   objectText(said.Get("serverInfo"), ""),
		instructions: said.Get("instructions").Str,
	})
	n.ready.Store(true) // the server may ask as soon as it has read what follows
	if err := n.notify(ctx, "notifications/initialized", nil); err != nil {
		return fmt.Errorf("notifications/initialized: %w", err)
	}
	n.client.rememberEra(EraLegacy)
	return nil
}

// wireText gives a value as it stood on the wire, for messages.
func wireText(value gjson.Result) string {
	if !value.Exists() {
		return "(none)"
	}
	return beginningOf(value.Raw)
}

// declared gives the client's capabilities, a JSON object on one line.
func (c *Client) declared() string {
	if len(c.Options.Capabilities) > 0 {
		if object, err := compactObject(c.Options.Capabilities); err == nil {
			return object
		}
		c.log().Error("Options.Capabilities is no JSON object, so none are declared")
		return `{}`
	}
	capabilities := []byte{'{'}
	if c.Options.Handlers["elicitation/create"] != nil {
		capabilities = appendMember(capabilities, "elicitation", `{"form":{}}`)
	}
	if c.Options.Handlers["roots/list"] != nil {
		capabilities = appendMember(capabilities, "roots", `{"listChanged":true}`)
	}
	if c.Options.Handlers["sampling/createMessage"] != nil {
		capabilities = appendMember(capabilities, "sampling", `{}`)
	}
	return string(append(capabilities, '}'))
}

// identity gives the client's name and version, a JSON object.
func (c *Client) identity() string {
	name, version := c.Options.Name, c.Options.Version
	if name == "" {
		name = "mcpserver"
	}
	if version == "" {
		version = "0"
	}
	identity := appendMember([]byte{'{'}, "name", string(wire.AppendString(nil, name)))
	return string(append(appendMember(identity, "version", quoted(version)), '}'))
}
