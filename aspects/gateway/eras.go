package gateway

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/client"
)

// What one era has and the other has not is put right here, where the client is
// of one and the server of the other.

const elicitation = "elicitation/create"

// urlRequired is the error of the legacy era for a request before which the user
// has to visit pages. The modern era has questions for that.
const urlRequired = -32042

// inEra gives a question as a client of that era can take it. That a page is to
// be visited has an id in the legacy era, where it must have one, and there
// alone.
func inEra(stateless bool, asked core.RawQuestion) core.RawQuestion {
	const id = "elicitationId"
	if asked.Method != elicitation || gjson.GetBytes(asked.Params, "mode").Str != "url" {
		return asked
	}
	switch hasID := gjson.GetBytes(asked.Params, id).Exists(); {
	case stateless && hasID:
		asked.Params = json.RawMessage(without(string(asked.Params), id))
	case !stateless && !hasID:
		asked.Params = withMember(asked.Params, id, quoted(rand.Text()))
	}
	return asked
}

// resultInEra gives a server's result without what a client of the legacy era
// does not know: how long it may be kept, and by whom.
func (t target) resultInEra(call *core.Call, result string) string {
	if call.Stateless() || !strings.Contains(result, `"ttlMs"`) && !strings.Contains(result, `"cacheScope"`) {
		return result
	}
	if info, ok := t.upstream.client.Server(); !ok || info.Era != client.EraModern {
		return result // in the legacy era these are members like others
	}
	return without(result, "ttlMs", "cacheScope")
}

// askToVisit asks a client of the modern era what a server of the legacy one
// demands by its error; nil if the error is another one. When the client comes
// back, the call is made again.
func (t target) askToVisit(call *core.Call, failure *core.Error) core.Result {
	if !call.Stateless() || failure.Code != urlRequired {
		return nil
	}
	var kept resumption
	inputs := core.Inputs{}
	for i, page := range gjson.GetBytes(failure.Data, "elicitations").Array() {
		asked := core.RawQuestion{Method: elicitation, Params: json.RawMessage(page.Raw)}
		if page.Get("mode").Str != "url" || lacks(call.ClientCapabilities().Raw, asked) != nil {
			return nil
		}
		key := fmt.Sprintf("page-%d", i+1)
		kept.Visits = append(kept.Visits, key)
		inputs[key] = inEra(true, asked)
	}
	state, err := json.Marshal(kept)
	if err != nil || len(inputs) == 0 {
		return nil
	}
	asking, err := call.RequireInput(inputs, state)
	if err != nil {
		return nil
	}
	return asking
}

var errNotVisited = errors.New("the server wants the user to visit a page first, which the user did not")

// visited reports whether the user has agreed to visit all pages.
func (kept *resumption) visited(call *core.Call) bool {
	return !slices.ContainsFunc(kept.Visits, func(key string) bool {
		answer, given := call.Input(key)
		return !given || answer.Action() != "accept"
	})
}

// without gives an object without some members, and otherwise as it is.
func without(object string, names ...string) string {
	kept := append(make([]byte, 0, len(object)), '{')
	gjson.Parse(object).ForEach(func(key, value gjson.Result) bool {
		if !slices.Contains(names, key.Str) {
			kept = appendRaw(kept, key.Raw, value.Raw)
		}
		return true
	})
	return string(append(kept, '}'))
}
