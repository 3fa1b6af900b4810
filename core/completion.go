package core

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// maxCompletions is the most values that one answer may have (specification
// 2025-11-25, server/utilities/completion).
const maxCompletions = 100

// Completion answers completion/complete.
type Completion struct {
	// Values are suggestions, the best first. Of more than 100, the first 100
	// are sent.
	Values []string
	// Total is how many suggestions there are in all; 0 is the number of
	// Values or, with HasMore, not known.
	Total int
	// HasMore says that there are more than Values and Total tell of.
	HasMore bool
	// Meta is a JSON object for the result's _meta member.
	Meta json.RawMessage
}

// Suggest gives those of the candidates that begin with what the user has typed
// so far, in any case, in their order.
func Suggest(typed string, candidates ...string) *Completion {
	completion := &Completion{}
	for _, candidate := range candidates {
		if len(candidate) >= len(typed) && strings.EqualFold(candidate[:len(typed)], typed) {
			completion.Values = append(completion.Values, candidate)
		}
	}
	return completion
}

// AppendMembers implements Result.
func (c *Completion) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	values := c.Values[:min(len(c.Values), maxCompletions)]
	total := max(c.Total, len(c.Values))
	dst = wire.AppendStrings(append(dst, `"completion":{"values":`...), values)
	if c.Total > 0 || !c.HasMore {
		dst = wire.AppendInt(append(dst, `,"total":`...), int64(total))
	}
	if c.HasMore || total > len(values) {
		dst = append(dst, `,"hasMore":true}`...)
	} else {
		dst = append(dst, `,"hasMore":false}`...)
	}
	return appendResultMeta(dst, c.Meta, revision)
}

// ResultMeta gives the aspect's own _meta, where the runner writes that
// member.
func (c *Completion) ResultMeta() json.RawMessage { return c.Meta }

// CompletionRequest is what completion/complete asks for.
type CompletionRequest struct {
	// Prompt is the name of the prompt, or URITemplate the template, whose
	// argument or variable is being filled in; the other one is empty.
	Prompt, URITemplate string
	// Argument is its name, and Value what the user has typed so far.
	Argument, Value string

	context gjson.Result
}

// Completion gives what a completion/complete request asks for.
func (c *Call) Completion() CompletionRequest {
	params := c.Params()
	reference, argument := params.Get("ref"), params.Get("argument")
	request := CompletionRequest{
		Argument: argument.Get("name").Str,
		Value:    argument.Get("value").Str,
		context:  params.Get("context.arguments"),
	}
	if reference.Get("type").Str == "ref/prompt" {
		request.Prompt = reference.Get("name").Str
	} else {
		request.URITemplate = reference.Get("uri").Str
	}
	return request
}

// Chosen gives the value that the user has already chosen for another argument
// of the same prompt or template, if the client tells.
func (r CompletionRequest) Chosen(argument string) (value string, given bool) {
	r.context.ForEach(func(name, chosen gjson.Result) bool {
		if name.Str == argument {
			value, given = chosen.String(), true
		}
		return !given
	})
	return value, given
}
