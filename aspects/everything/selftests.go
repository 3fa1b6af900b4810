package everything

import (
	"encoding/json"
	"slices"

	"mcpserver/core"
)

// selfTests cover each tool, prompt, resource and template. They leave the lists
// as they were.
func selfTests() []core.SelfTest {
	return slices.Concat(
		contentTests(),
		structuredTests(),
		lastingTests(),
		loggingTests(),
		samplingTests(),
		formTests(),
		roundTests(),
		changingTests(),
		promptTests(),
		suggestionTests(),
		resourceTests(),
		watchedTests(),
	)
}

// expecting gives the expectation of a result with these values.
func expecting(values map[string]any) core.Expect { return core.Expect{Values: values} }

// expectingText gives the expectation of a tool's text.
func expectingText(text string) core.Expect {
	return expecting(map[string]any{"content.0.type": "text", "content.0.text": text})
}

// The answers of the client in the tests.
const (
	sampled = `{"role":"assistant","model":"self-test","content":{"type":"text","text":"Paris"}}`
	rooted  = `{"roots":[{"uri":"file:///home/eric","name":"home"}]}`
)

func answering(method, answer string) map[string]json.RawMessage {
	return map[string]json.RawMessage{method: json.RawMessage(answer)}
}

// filledIn is the answer of a user who accepted a form with that content.
func filledIn(content string) map[string]json.RawMessage {
	return answering("elicitation/create", `{"action":"accept","content":`+content+`}`)
}

func contentTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "test_simple_text answers with a text",
			Tool:   "test_simple_text",
			Expect: expectingText("This is a simple text response for testing."),
		},
		{
			Name:   "test_image_content answers with an image",
			Tool:   "test_image_content",
			Expect: expecting(map[string]any{"content.0.type": "image", "content.0.mimeType": "image/png"}),
		},
		{
			Name:   "test_audio_content answers with a sound",
			Tool:   "test_audio_content",
			Expect: expecting(map[string]any{"content.0.type": "audio", "content.0.mimeType": "audio/wav"}),
		},
		{
			Name: "test_embedded_resource embeds a text",
			Tool: "test_embedded_resource",
			Expect: expecting(map[string]any{
				"content.0.type":              "resource",
				"content.0.resource.uri":      embeddedURI,
				"content.0.resource.mimeType": "text/plain",
				"content.0.resource.text":     embeddedContent,
			}),
		},
		{
			Name: "test_multiple_content_types answers with each kind of block",
			Tool: "test_multiple_content_types",
			Expect: expecting(map[string]any{
				"content.#":                   6,
				"content.0.type":              "text",
				"content.1.type":              "image",
				"content.2.type":              "audio",
				"content.3.type":              "resource_link",
				"content.3.uri":               pictureURI,
				"content.4.resource.text":     embeddedContent,
				"content.5.resource.mimeType": "image/png",
			}),
		},
		{
			Name: "annotatedContent says for whom it is",
			Tool: "annotatedContent",
			Expect: expecting(map[string]any{
				"content.0.annotations.priority":     1,
				"content.0.annotations.lastModified": "2025-11-25T12:00:00Z",
				"content.1.annotations.audience.0":   "assistant",
				"content.2.annotations.priority":     0,
				`_meta.everything\.example/shows`:    "the _meta of a result",
			}),
		},
		{
			Name: "test_error_handling fails",
			Tool: "test_error_handling",
			Expect: core.Expect{ToolError: true, Values: map[string]any{
				"content.0.text": "This tool intentionally returns an error for testing",
			}},
		},
		{
			Name:   "test_reconnection answers",
			Tool:   "test_reconnection",
			Expect: expectingText("Nothing was interrupted."),
		},
	}
}

func structuredTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:      "weather answers with structured content and the same as a text",
			Tool:      "weather",
			Arguments: `{"city":"Paris","days":2}`,
			Expect: expecting(map[string]any{
				"structuredContent.city":       "Paris",
				"structuredContent.forecast.#": 2,
				"content.0.type":               "text",
			}),
		},
		{
			Name:      "weather does without a forecast",
			Tool:      "weather",
			Arguments: `{"city":"Paris"}`,
			Expect:    expecting(map[string]any{"structuredContent.forecast.#": 0}),
		},
		{
			Name:      "weather does not look further than a week",
			Tool:      "weather",
			Arguments: `{"city":"Paris","days":8}`,
			Expect: core.Expect{ToolError: true, Values: map[string]any{
				"content.0.text": "days is 8; a forecast is for up to 7 days",
			}},
		},
		{
			Name:   "weather wants a city",
			Tool:   "weather",
			Expect: core.Expect{ErrorCode: -32602},
		},
		{
			Name:   "json_schema_2020_12_tool is listed verbatim",
			Method: "tools/list",
			Expect: expecting(map[string]any{
				`tools.#(name=="json_schema_2020_12_tool").inputSchema.\$schema`:                "https://json-schema.org/draft/2020-12/schema",
				`tools.#(name=="json_schema_2020_12_tool").inputSchema.\$defs.address.\$anchor`: "addressDef",
			}),
		},
		{
			Name:      "json_schema_2020_12_tool takes what fits its schema",
			Tool:      "json_schema_2020_12_tool",
			Arguments: `{"name":"Eric","contactMethod":"phone","phone":"1"}`,
			Expect:    expectingText(`Arguments: {"name":"Eric","contactMethod":"phone","phone":"1"}`),
		},
		{
			Name:      "json_schema_2020_12_tool refuses what does not fit",
			Tool:      "json_schema_2020_12_tool",
			Arguments: `{"contactMethod":"phone","email":"eric@example.com"}`,
			Expect:    core.Expect{ToolError: true},
		},
		{
			Name:      "test_x_mcp_header takes a region",
			Tool:      "test_x_mcp_header",
			Arguments: `{"region":"=?base64?SGVsbG8=?="}`,
			Expect:    expectingText(`Arguments: {"region":"=?base64?SGVsbG8=?="}`),
		},
	}
}

func lastingTests() []core.SelfTest {
	progress := func(values map[string]any) *core.ExpectNotification {
		return &core.ExpectNotification{Method: "notifications/progress", Values: values}
	}
	return []core.SelfTest{
		{
			Name:         "test_tool_with_progress reports progress to the end",
			Era:          core.LegacyEra, // the test's own _meta does not reach a modern server
			Method:       "tools/call",
			Params:       `{"name":"test_tool_with_progress","_meta":{"progressToken":"first"}}`,
			Expect:       expectingText("Progress was reported three times."),
			Notification: progress(map[string]any{"progressToken": "first", "progress": 100, "total": 100}),
		},
		{
			Name:   "test_tool_with_progress answers a client that wants no progress",
			Tool:   "test_tool_with_progress",
			Expect: expectingText("Progress was reported three times."),
		},
		{
			Name:         "longRunning reports each step",
			Era:          core.LegacyEra,
			Method:       "tools/call",
			Params:       `{"name":"longRunning","arguments":{"seconds":0.02,"steps":2},"_meta":{"progressToken":2}}`,
			Expect:       expectingText("Done after 20ms; steps: 2"),
			Notification: progress(map[string]any{"progressToken": 2, "progress": 1, "total": 2, "message": "Step 1 of 2 is done."}),
		},
		{
			Name:      "longRunning works for as long as it is told",
			Tool:      "longRunning",
			Arguments: `{"seconds":0.02,"steps":1}`,
			Expect:    expectingText("Done after 20ms; steps: 1"),
		},
		{
			Name:      "longRunning refuses to work forever",
			Tool:      "longRunning",
			Arguments: `{"seconds":1e9}`,
			Expect:    core.Expect{ToolError: true},
		},
		{
			Name:      "answerLater answers after its handler",
			Tool:      "answerLater",
			Arguments: `{"seconds":0.02}`,
			Expect:    expectingText("This answer came 20ms after its handler."),
		},
	}
}

func loggingTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "test_tool_with_logging logs until it is done",
			Era:    core.LegacyEra,
			Tool:   "test_tool_with_logging",
			Expect: expectingText("Three messages were logged."),
			Notification: &core.ExpectNotification{
				Method: "notifications/message",
				Values: map[string]any{"level": "info", "data": "Tool execution completed"},
			},
		},
		{
			Name:   "test_tool_with_logging answers a client that wants no messages",
			Era:    core.ModernEra,
			Tool:   "test_tool_with_logging",
			Expect: expectingText("Three messages were logged."),
		},
		{
			Name:   "test_logging_tool logs at the highest level, too",
			Era:    core.LegacyEra,
			Tool:   "test_logging_tool",
			Expect: expecting(map[string]any{"content.0.type": "text"}),
			Notification: &core.ExpectNotification{
				Method: "notifications/message",
				Values: map[string]any{"level": "emergency", "logger": "everything", "data.severity": 7},
			},
		},
		{
			Name:   "test_logging_tool answers a client that wants no messages",
			Era:    core.ModernEra,
			Tool:   "test_logging_tool",
			Expect: expecting(map[string]any{"content.0.type": "text"}),
		},
	}
}

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

func changingTests() []core.SelfTest {
	tests := []core.SelfTest{{
		Name:   "a modern client listens for changes of lists",
		Era:    core.ModernEra,
		Method: "subscriptions/listen",
		Params: `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}}`,
	}}
	for _, change := range []struct{ tool, notification, added, gone string }{
		{
			"test_trigger_tool_change", "notifications/tools/list_changed",
			"The tool addedTool is there.", "The tool addedTool is gone.",
		},
		{
			"test_trigger_prompt_change", "notifications/prompts/list_changed",
			"The prompt addedPrompt is there.", "The prompt addedPrompt is gone.",
		},
		{
			"toggleResource", "notifications/resources/list_changed",
			"The resource test://added-resource and the template test://added/{name} are there.",
			"The resource test://added-resource and the template test://added/{name} are gone.",
		},
	} {
		tests = append(tests, core.SelfTest{
			Name:         change.tool + " adds",
			Tool:         change.tool,
			Expect:       expectingText(change.added),
			Notification: &core.ExpectNotification{Method: change.notification},
		})
		tests = append(tests, whileAdded(change.tool)...)
		tests = append(tests, core.SelfTest{
			Name:         change.tool + " removes",
			Tool:         change.tool,
			Expect:       expectingText(change.gone),
			Notification: &core.ExpectNotification{Method: change.notification},
		})
	}
	for _, gone := range []core.SelfTest{
		{Name: "the tool that was removed is gone", Tool: addedTool},
		{Name: "the prompt that was removed is gone", Method: "prompts/get", Params: `{"name":"addedPrompt"}`},
		// What cannot be read has another code in each era; what cannot be completed has not.
		{Name: "the resource that was removed is gone", Method: "completion/complete", Params: completing(`{"type":"ref/resource","uri":"test://added-resource"}`, "name", "", "")},
		{Name: "the template that was removed is gone", Method: "completion/complete", Params: completing(`{"type":"ref/resource","uri":"test://added/{name}"}`, "name", "", "")},
	} {
		gone.Expect = core.Expect{ErrorCode: -32602}
		tests = append(tests, gone)
	}
	return tests
}

// whileAdded are tests of what the tool has added.
func whileAdded(tool string) []core.SelfTest {
	switch tool {
	case "test_trigger_tool_change":
		return []core.SelfTest{{
			Name:   "the added tool answers",
			Tool:   addedTool,
			Expect: expectingText("This tool was added while the server ran."),
		}}
	case "test_trigger_prompt_change":
		return []core.SelfTest{{
			Name:   "the added prompt gives its message",
			Method: "prompts/get",
			Params: `{"name":"addedPrompt"}`,
			Expect: expecting(map[string]any{"messages.0.content.text": "This prompt was added while the server ran."}),
		}}
	}
	return []core.SelfTest{
		{
			Name:   "the added resource can be read",
			Method: "resources/read",
			Params: `{"uri":"test://added-resource"}`,
			Expect: expecting(map[string]any{"contents.0.text": "This resource was added while the server ran."}),
		},
		{
			Name:   "what the added template describes can be read",
			Method: "resources/read",
			Params: `{"uri":"test://added/something"}`,
			Expect: expecting(map[string]any{"contents.0.text": "The template with which you read something was added while the server ran."}),
		},
	}
}

func promptTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "test_simple_prompt gives a message",
			Method: "prompts/get",
			Params: `{"name":"test_simple_prompt"}`,
			Expect: expecting(map[string]any{
				"messages.0.role":         "user",
				"messages.0.content.text": "This is a simple prompt for testing.",
			}),
		},
		{
			Name:   "test_prompt_with_arguments has both in its message",
			Method: "prompts/get",
			Params: `{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}}`,
			Expect: expecting(map[string]any{"messages.0.content.text": "Prompt with arguments: arg1='a', arg2='b'"}),
		},
		{
			Name:   "test_prompt_with_arguments wants both",
			Method: "prompts/get",
			Params: `{"name":"test_prompt_with_arguments","arguments":{"arg1":"a"}}`,
			Expect: core.Expect{ErrorCode: -32602},
		},
		{
			Name:   "test_prompt_with_embedded_resource embeds it",
			Method: "prompts/get",
			Params: `{"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://example-resource"}}`,
			Expect: expecting(map[string]any{
				"messages.0.content.resource.uri": exampleURI,
				"messages.1.content.type":         "text",
			}),
		},
		{
			Name:   "test_prompt_with_image has an image",
			Method: "prompts/get",
			Params: `{"name":"test_prompt_with_image"}`,
			Expect: expecting(map[string]any{"messages.0.content.mimeType": "image/png", "messages.1.content.type": "text"}),
		},
		{
			Name:    "test_input_required_result_prompt asks first",
			Method:  "prompts/get",
			Params:  `{"name":"test_input_required_result_prompt"}`,
			Answers: filledIn(`{"context":"lighthouses"}`),
			Expect:  expecting(map[string]any{"messages.0.content.text": "Please tell me about this: lighthouses"}),
		},
		{
			Name:   "travel begins a conversation",
			Method: "prompts/get",
			Params: `{"name":"travel","arguments":{"country":"France","city":"Lyon"}}`,
			Expect: expecting(map[string]any{
				"description":             "A journey to Lyon, France",
				"messages.0.content.text": "I am going to travel to Lyon, France.",
				"messages.1.role":         "assistant",
			}),
		},
		{
			Name:   "travel does without a city",
			Method: "prompts/get",
			Params: `{"name":"travel","arguments":{"country":"France"}}`,
			Expect: expecting(map[string]any{"description": "A journey to France"}),
		},
	}
}

// completing gives the params of a request to complete an argument; rest are more
// members of them.
func completing(reference, argument, value, rest string) string {
	return `{"ref":` + reference + `,"argument":{"name":"` + argument + `","value":"` + value + `"}` + rest + `}`
}

func suggestionTests() []core.SelfTest {
	const (
		travels  = `{"type":"ref/prompt","name":"travel"}`
		weathers = `{"type":"ref/resource","uri":"test://weather/{country}/{city}"}`
	)
	return []core.SelfTest{
		{
			Name:   "the first argument is completed",
			Method: "completion/complete",
			Params: completing(`{"type":"ref/prompt","name":"test_prompt_with_arguments"}`, "arg1", "ap", ""),
			Expect: expecting(map[string]any{"completion.values.#": 2, "completion.values.0": "apple", "completion.hasMore": false}),
		},
		{
			Name:   "the URI to embed is completed",
			Method: "completion/complete",
			Params: completing(`{"type":"ref/prompt","name":"test_prompt_with_embedded_resource"}`, "resourceUri", "test://ex", ""),
			Expect: expecting(map[string]any{"completion.values.#": 1, "completion.values.0": exampleURI}),
		},
		{
			Name:   "a country is completed",
			Method: "completion/complete",
			Params: completing(travels, "country", "g", ""),
			Expect: expecting(map[string]any{"completion.total": 2, "completion.values.1": "Greece"}),
		},
		{
			Name:   "a city is completed among those of the country",
			Method: "completion/complete",
			Params: completing(travels, "city", "", `,"context":{"arguments":{"country":"Japan"}}`),
			Expect: expecting(map[string]any{"completion.total": 3, "completion.values.0": "Kyoto"}),
		},
		{
			Name:   "without a country all cities are suggested",
			Method: "completion/complete",
			Params: completing(weathers, "city", "m", ""),
			Expect: expecting(map[string]any{"completion.total": 3, "completion.values.0": "Marseille"}),
		},
		{
			Name:   "of many suggestions a hundred are sent",
			Method: "completion/complete",
			Params: completing(`{"type":"ref/resource","uri":"test://template/{id}/data"}`, "id", "1", ""),
			Expect: expecting(map[string]any{"completion.values.#": 100, "completion.total": 111, "completion.hasMore": true}),
		},
	}
}

func resourceTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "the text is read",
			Method: "resources/read",
			Params: `{"uri":"test://static-text"}`,
			Expect: expecting(map[string]any{"contents.0.uri": textURI, "contents.0.text": textContent}),
		},
		{
			Name:   "the image is read",
			Method: "resources/read",
			Params: `{"uri":"test://static-binary"}`,
			Expect: expecting(map[string]any{"contents.0.uri": pictureURI, "contents.0.mimeType": "image/png"}),
		},
		{
			Name:   "what is embedded is read",
			Method: "resources/read",
			Params: `{"uri":"test://embedded-resource"}`,
			Expect: expecting(map[string]any{"contents.0.text": embeddedContent}),
		},
		{
			Name:   "two contents are read at once",
			Method: "resources/read",
			Params: `{"uri":"test://example-resource"}`,
			Expect: expecting(map[string]any{"contents.#": 2, "contents.0.text": exampleContent, "contents.1.mimeType": "image/png"}),
		},
		{
			Name:   "data is read by its id",
			Method: "resources/read",
			Params: `{"uri":"test://template/123/data"}`,
			Expect: expecting(map[string]any{
				"contents.0.uri":  "test://template/123/data",
				"contents.0.text": `{"id":"123","templateTest":true,"data":"Data for ID: 123"}`,
			}),
		},
		{
			Name:   "weather is read by country and city",
			Method: "resources/read",
			Params: `{"uri":"test://weather/France/Paris"}`,
			Expect: expecting(map[string]any{"contents.0.mimeType": "application/json"}),
		},
		{
			Name:   "what does not exist is not found",
			Era:    core.LegacyEra,
			Method: "resources/read",
			Params: `{"uri":"test://none"}`,
			Expect: core.Expect{ErrorCode: -32002, Values: map[string]any{"data.uri": "test://none"}},
		},
		{
			Name:   "what does not exist is not found",
			Era:    core.ModernEra,
			Method: "resources/read",
			Params: `{"uri":"test://none"}`,
			Expect: core.Expect{ErrorCode: -32602, Values: map[string]any{"data.uri": "test://none"}},
		},
	}
}

func watchedTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name:   "the watched resource can be read",
			Method: "resources/read",
			Params: `{"uri":"test://watched-resource"}`,
			Expect: expecting(map[string]any{"contents.0.mimeType": "application/json"}),
		},
		{
			Name:   "the watched resource can be subscribed to",
			Era:    core.LegacyEra,
			Method: "resources/subscribe",
			Params: `{"uri":"test://watched-resource"}`,
		},
		{
			Name:   "the subscription can be ended",
			Era:    core.LegacyEra,
			Method: "resources/unsubscribe",
			Params: `{"uri":"test://watched-resource"}`,
		},
		{
			Name:   "a modern client listens to the watched resource",
			Era:    core.ModernEra,
			Method: "subscriptions/listen",
			Params: `{"notifications":{"resourceSubscriptions":["test://watched-resource"]}}`,
		},
	}
}
