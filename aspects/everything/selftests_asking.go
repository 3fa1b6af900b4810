package everything

import (
	"encoding/json"

	"mcpserver/core"
)

func samplingTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:      "test_sampling gives what the model said",
			Tool:      "test_sampling",
			Arguments: `{"prompt":"What is the capital of France?"}`,
			Answers:   answering("sampling/createMessage", sampled),
			Expect:    expectingText("LLM response: Paris"),
		},
		{
			Name:      "test_sampling passes a refusal on",
			Tool:      "test_sampling",
			Arguments: `{"prompt":"What is the capital of France?"}`,
			Expect:    core.Expect{ToolError: true},
		},
		{
			Name:    "test_missing_capability asks a client that has a model",
			Tool:    "test_missing_capability",
			Answers: answering("sampling/createMessage", sampled),
			Expect:  expectingText("LLM response: Paris"),
		},
	}
}

func formTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:      "test_elicitation gives what the user filled in",
			Tool:      "test_elicitation",
			Arguments: `{"message":"Who are you?"}`,
			Answers:   filledIn(`{"username":"eric","email":"eric@example.com"}`),
			Expect:    expectingText(`You answered: {"username":"eric","email":"eric@example.com"}`),
		},
		{
			Name:    "test_streaming_elicitation asks yes or no",
			Tool:    "test_streaming_elicitation",
			Answers: filledIn(`{"shown":true}`),
			Expect:  expectingText(`You answered: {"shown":true}`),
		},
		{
			Name:    "fillInForm takes every kind of field",
			Tool:    "fillInForm",
			Answers: filledIn(fullAnswer),
			Expect:  expectingText("You answered: " + fullAnswer),
		},
		{
			Name:    "fillInForm fills in defaults",
			Tool:    "fillInForm",
			Answers: filledIn(`{"name":"Eric"}`),
			Expect:  expectingText(`You answered: {"name":"Eric","guests":2,"newsletter":false,"size":"medium"}`),
		},
		{
			Name:    "fillInForm tells of a refusal",
			Tool:    "fillInForm",
			Answers: answering("elicitation/create", `{"action":"cancel"}`),
			Expect:  expectingText("You did not fill in the form (cancel)."),
		},
		{
			Name:    "fillInForm takes only what fits",
			Tool:    "fillInForm",
			Answers: filledIn(`{"name":"Eric","guests":11}`),
			Expect:  core.Expect{ToolError: true},
		},
		{
			Name:    "test_elicitation_sep1034_defaults fills in defaults",
			Tool:    "test_elicitation_sep1034_defaults",
			Answers: filledIn(`{}`),
			Expect:  expectingText(`You answered: {"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`),
		},
		{
			Name:    "test_elicitation_sep1330_enums gives what the user chose",
			Tool:    "test_elicitation_sep1330_enums",
			Answers: filledIn(`{"titledSingle":"value1","titledMulti":["value1","value3"]}`),
			Expect:  expectingText(`You answered: {"titledSingle":"value1","titledMulti":["value1","value3"]}`),
		},
	}
}

// fullAnswer fills in every field of the form that has all kinds.
const fullAnswer = `{"name":"Eric","email":"eric@example.com","website":"https://example.com/","birthday":"2000-02-29",` +
	`"appointment":"2026-07-28T12:30:00Z","guests":3,"budget":99.5,"newsletter":true,"size":"large","color":"#00ff00","days":["Friday","Sunday"]}`

func pageTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:         "visitPage says that the visit is over",
			Era:          core.LegacyEra,
			Tool:         "visitPage",
			Arguments:    `{"url":"https://example.com/a"}`,
			Answers:      answering("elicitation/create", `{"action":"accept"}`),
			Expect:       expectingText("You agreed to visit https://example.com/a."),
			Notification: &core.ExpectNotification{Method: "notifications/elicitation/complete"},
		},
		{
			Name:    "visitPage has a page of its own",
			Tool:    "visitPage",
			Answers: answering("elicitation/create", `{"action":"accept"}`),
			Expect:  expectingText("You agreed to visit https://example.com/."),
		},
		{
			Name:    "visitPage tells of a refusal",
			Tool:    "visitPage",
			Answers: answering("elicitation/create", `{"action":"decline"}`),
			Expect:  expectingText("You did not want to visit https://example.com/ (decline)."),
		},
		{
			Name:      "visitPage visits pages alone",
			Tool:      "visitPage",
			Arguments: `{"url":"file:///etc/passwd"}`,
			Expect:    core.Expect{ToolError: true},
		},
	}
}

func roundTests() []core.SelfTest {
	named := filledIn(`{"name":"Alice","color":"green"}`)
	confirmed := filledIn(`{"ok":true}`)
	all := filledIn(`{"name":"Alice","ok":true}`)
	all["sampling/createMessage"] = json.RawMessage(sampled)
	all["roots/list"] = json.RawMessage(rooted)
	return []core.SelfTest{
		{
			Name:    "test_input_required_result_elicitation greets",
			Tool:    "test_input_required_result_elicitation",
			Answers: named,
			Expect:  expectingText("Hello, Alice!"),
		},
		{
			Name:    "test_input_required_result_sampling gives what the model said",
			Tool:    "test_input_required_result_sampling",
			Answers: all,
			Expect:  expectingText("LLM response: Paris"),
		},
		{
			Name:    "test_input_required_result_list_roots lists the roots",
			Tool:    "test_input_required_result_list_roots",
			Answers: all,
			Expect:  expectingText("Roots of your client: 1\nfile:///home/eric home"),
		},
		{
			Name:    "test_input_required_result_request_state gets its state back",
			Tool:    "test_input_required_result_request_state",
			Answers: confirmed,
			Expect:  expectingText(`You answered {"ok":true}, and this state came back: state-ok`),
		},
		{
			Name:    "test_input_required_result_tampered_state takes an honest state",
			Tool:    "test_input_required_result_tampered_state",
			Answers: confirmed,
			Expect:  expectingText(`You answered: {"ok":true}`),
		},
		{
			Name:    "test_input_required_result_multiple_inputs asks three things",
			Tool:    "test_input_required_result_multiple_inputs",
			Answers: all,
			Expect:  expectingText("Your name is Alice. The model says: Paris Roots of your client: 1\nfile:///home/eric home"),
		},
		{
			Name:    "test_input_required_result_multi_round asks twice",
			Tool:    "test_input_required_result_multi_round",
			Answers: named,
			Expect:  expectingText("Alice likes green."),
		},
		{
			Name:    "test_input_required_result_capabilities asks what the client supports",
			Tool:    "test_input_required_result_capabilities",
			Answers: all,
			Expect:  expectingText("Your client was asked, and answered: elicitation, roots, sampling"),
		},
	}
}
