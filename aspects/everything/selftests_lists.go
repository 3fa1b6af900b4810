package everything

import "mcpserver/core"

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
