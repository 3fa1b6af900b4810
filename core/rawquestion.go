package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// RawQuestion is a question of another server, for aspects that stand in front
// of other servers. It is sent as it is, and the handler sees the answer as it
// is: nothing is checked but that it is an object, and a refusal is an answer
// like others. Where the client answers with an error, as it can in the legacy
// era, Answer.Err gives it.
type RawQuestion struct {
	// Method is "sampling/createMessage", "elicitation/create" or "roots/list".
	Method string
	// Params is a JSON object, or nil.
	Params json.RawMessage
}

// LinkQuestion implements Question.
func (q RawQuestion) LinkQuestion() link.Question {
	return rawQuestion{method: q.Method, params: string(q.Params)}
}

// Needs names the client capabilities that the question takes, such as
// "sampling" or "elicitation.url".
func (q RawQuestion) Needs() []string {
	return rawQuestion{method: q.Method, params: string(q.Params)}.Needs(protocol.NewestLegacy)
}

// Declares reports whether a client's capabilities, a JSON object, have one of
// that name, or a part of one such as "sampling.tools". An elicitation
// capability without parts means forms.
func Declares(capabilities, name string) bool {
	if name == "elicitation.form" {
		elicitation := gjson.Get(capabilities, "elicitation")
		return elicitation.IsObject() && (elicitation.Get("form").Exists() || !elicitation.Get("url").Exists())
	}
	capability, part, isPart := strings.Cut(name, ".")
	declared := gjson.Get(capabilities, gjson.Escape(capability))
	if isPart {
		declared = declared.Get(gjson.Escape(part))
	}
	return declared.IsObject()
}

type rawQuestion struct{ method, params string }

func (q rawQuestion) Method() string { return q.method }

func (q rawQuestion) Needs(protocol.Revision) []string {
	params := gjson.Parse(q.params)
	switch q.method {
	case "roots/list":
		return []string{"roots"}
	case "elicitation/create":
		if params.Get("mode").Str == "url" {
			return []string{"elicitation.url"}
		}
		return []string{"elicitation.form"}
	}
	needs := []string{"sampling"}
	if isGiven(params.Get("tools")) || isGiven(params.Get("toolChoice")) {
		needs = append(needs, "sampling.tools")
	}
	return needs
}

// isGiven reports whether a member says something. Some servers write null for
// what they do not say.
func isGiven(member gjson.Result) bool { return member.Type != gjson.Null }

// Validate implements link.Question.
func (q rawQuestion) Validate(revision protocol.Revision) error {
	switch q.method {
	case "sampling/createMessage", "roots/list":
	case "elicitation/create":
		if revision < protocol.V20250618 {
			return fmt.Errorf("elicitation does not exist in protocol version %s", revision)
		}
	default:
		return fmt.Errorf("there is no question %q", q.method)
	}
	_, err := q.appendObject(nil)
	return err
}

func (q rawQuestion) appendObject(dst []byte) ([]byte, error) {
	if q.params == "" {
		return append(dst, `{}`...), nil
	}
	opening := len(dst)
	dst, err := wire.AppendCompact(dst, q.params)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the params of a question: %w", err)
	case dst[opening] != '{':
		return nil, errors.New("the params of a question are no JSON object")
	}
	return dst, nil
}

func (q rawQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	if err := q.Validate(revision); err != nil {
		return nil, err
	}
	return q.appendObject(dst)
}

// Kind implements link.Question.
func (rawQuestion) Kind() link.Kind { return link.Raw }

// Form implements link.Question.
func (rawQuestion) Form() string { return "" }

// Err gives the error that the client has answered with, which only the answer
// to a RawQuestion can be; nil when it is an answer.
func (a Answer) Err() *Error { return a.failure }
