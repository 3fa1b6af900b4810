//go:build !mcp20260728

package server

import (
	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// With the clamp on, every request is of the legacy era, whatever its _meta
// says, and nothing of the modern lane is in the binary.

type modernLane struct{}

func (modernLane) init(*connection) {}

func (modernLane) listChanged(listKind) (dropped bool) { return false }

func (modernLane) resourceUpdated(string, string) {}

func (modernLane) refuse() {}

func (modernLane) end() {}

func (o *Options) addModernFlags(*pflag.FlagSet) {}

func modernMethods() []method { return nil }

// sessionOf gives what a request is served under.
func (c *connection) sessionOf(*wire.Message) (*session, *core.Error) {
	return c.session.Load(), nil
}

// rounds: there is one round, in which a call is parked.
type rounds struct{}

func (rounds) refusal() error { return nil }

func (q *request) askAgain() (core.Result, error) { return nil, nil }

// readResume: resumes come from parked calls alone.
func (q *request) readResume(*wire.Message, string, string) *core.Error { return nil }

func (q *request) requireInput(required *core.InputRequired) error { return q.park(required) }

// encodeResult appends a result object.
func (q *request) encodeResult(dst []byte, result core.Result) ([]byte, error) {
	dst, err := result.AppendMembers(append(dst, '{'), q.session.revision)
	if err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

// discoverTest expects that server/discover does not exist.
func discoverTest() core.SelfTest {
	return core.SelfTest{
		Name:   "server/discover",
		Method: "server/discover",
		Era:    core.LegacyEra,
		Expect: core.Expect{ErrorCode: protocol.CodeMethodNotFound},
	}
}

func modernTrials([]core.SelfTest) []trial { return nil }

func modernParams(params string) string { return params }

// nextRound: questions come as requests of the server.
func (t *selfTest) nextRound(*exchange, gjson.Result) (string, error) { return "", nil }
