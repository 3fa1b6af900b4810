//go:build mcp20260728

package server

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// selfTestMeta is what a modern trial says of its client.
const selfTestMeta = `{"` + protocol.MetaProtocolVersion + `":"2026-07-28",` +
	`"` + protocol.MetaClientInfo + `":{"name":"self-test","version":"1"},` +
	`"` + protocol.MetaClientCapabilities + `":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}}}`

func discoverTest() core.SelfTest {
	return core.SelfTest{
		Name:   "server/discover",
		Method: "server/discover",
		Era:    core.ModernEra,
		Expect: core.Expect{Values: map[string]any{"resultType": "complete", "supportedVersions.0": "2026-07-28"}},
	}
}

// modernTrials are the tests of the modern era.
func modernTrials(tests []core.SelfTest) []trial {
	var trials []trial
	for _, test := range tests {
		if test.Era != core.LegacyEra {
			test.Name += " (" + protocol.V20260728.String() + ")"
			trials = append(trials, trial{test, true})
		}
	}
	return trials
}

func modernParams(params string) string {
	return withMembers(params, map[string]json.RawMessage{"_meta": json.RawMessage(selfTestMeta)})
}

// withMembers sets members of an object ("" is an empty one). What is no object
// stays as it is: it is the server that is to say so.
func withMembers(object string, added map[string]json.RawMessage) string {
	members := make(map[string]json.RawMessage)
	if object != "" && json.Unmarshal([]byte(object), &members) != nil || members == nil {
		return object
	}
	maps.Copy(members, added)
	return string(appendObject(nil, members))
}

// nextRound gives the params of the request that carries the scripted answers
// to what the server has asked, or "" when it has asked nothing. What has no
// answer is declined.
func (t *selfTest) nextRound(e *exchange, message gjson.Result) (again string, err error) {
	if !e.modern || message.Get("result.resultType").Str != "input_required" {
		return "", nil
	}
	responses := make(map[string]json.RawMessage)
	message.Get("result.inputRequests").ForEach(func(key, question gjson.Result) bool {
		responses[key.Str] = json.RawMessage(`{"action":"decline"}`)
		if scripted, known := t.answers[question.Get("method").Str]; known {
			responses[key.Str] = scripted
		}
		return true
	})
	encoded, err := json.Marshal(responses)
	if err != nil {
		return "", fmt.Errorf("the scripted answers: %w", err)
	}
	added := map[string]json.RawMessage{"inputResponses": encoded}
	if state := message.Get("result.requestState"); state.Exists() {
		added["requestState"] = json.RawMessage(state.Raw)
	}
	return withMembers(e.params, added), nil
}
