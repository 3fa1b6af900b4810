package everything

import "mcpserver/core"

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
