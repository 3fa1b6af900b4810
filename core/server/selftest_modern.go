//go:build mcp20260728

package server

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
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
// to what the server has asked, or "" when it has asked nothing.
func (t *selfTest) nextRound(test trial, message gjson.Result, params string) (again string, err error) {
	if !test.modern || message.Get("result.resultType").Str != "input_required" {
		return "", nil
	}
	responses := []byte{'{'}
	message.Get("result.inputRequests").ForEach(func(key, question gjson.Result) bool {
		scripted, known := t.answers[question.Get("method").Str]
		if !known {
			err = fmt.Errorf("the server asked for %s, which the test does not answer", question.Get("method").Str)
			return false
		}
		if len(responses) > 1 {
			responses = append(responses, ',')
		}
		responses = append(append(wire.AppendString(responses, key.Str), ':'), scripted...)
		return true
	})
	if err != nil {
		return "", err
	}
	added := map[string]json.RawMessage{"inputResponses": append(responses, '}')}
	if state := message.Get("result.requestState"); state.Exists() {
		added["requestState"] = json.RawMessage(state.Raw)
	}
	return withMembers(params, added), nil
}
