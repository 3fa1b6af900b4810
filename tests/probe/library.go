package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpserver/core"
)

const items = "probe:///items/"

// Library makes the probe with prompts and resources, which clients may keep,
// and of which the tool touch says that they have changed. Its tools come and
// go, too.
func Library() *core.Aspect {
	l := &library{}
	return &core.Aspect{
		Name:            "MCPServer_probeLibrary",
		Version:         version,
		Title:           "Library",
		Instructions:    "Read.",
		Extensions:      map[string]json.RawMessage{"probe.example/shelves": json.RawMessage(`{ "most": 3 }`)},
		DynamicTools:    true,
		ResourceUpdates: true,
		Caching: core.Caching{
			Lists: core.CacheHint{Lifetime: 5 * time.Minute, Public: true},
			Reads: core.CacheHint{Lifetime: 1500 * time.Millisecond},
		},
		OnStartup:       l.start,
		OnResourcesRead: l.read,
		Tools:           l.tools(),
		Prompts:         l.prompts(),
		Resources:       l.resources(),
		Templates: []core.Template{{
			URITemplate: items + "{id}",
			Name:        "item",
			Title:       "Item",
			Description: "An item by its number.",
			MIMEType:    "text/plain",
			Annotations: &core.Annotations{Audience: []string{"assistant"}},
			Icons:       []core.Icon{{Source: "https://probe.example/item.png"}},
			Meta:        json.RawMessage(`{ "probe.example/template": true }`),
		}},
	}
}

type library struct{ host core.Host }

func (l *library) start(_ context.Context, host core.Host) error {
	l.host = host
	return nil
}

func (l *library) tools() []core.Tool {
	return []core.Tool{
		{
			Name:        "touch",
			Description: "Says that a resource has changed.",
			Input:       core.Object(core.String("uri", "Which one").Required()),
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return core.Text("touched"), l.host.ResourceUpdated(call.Arguments().Get("uri").Str)
			},
		},
		{Name: "add", Description: "Adds a tool of that name.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Text("added"), l.host.AddTools(core.Tool{
				Name:        call.Arguments().Get("name").Str,
				Description: "Was added.",
				Handler:     answer(core.Text("a book")),
			})
		}},
		{Name: "remove", Description: "Removes a tool of that name.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Text(fmt.Sprintf("removed %d", l.host.RemoveTools(call.Arguments().Get("name").Str))), nil
		}},
	}
}

func (l *library) prompts() []core.Prompt {
	return []core.Prompt{
		{
			Name:        "greeting",
			Title:       "Greeting",
			Description: "Greets somebody.",
			Icons:       []core.Icon{{Source: "https://probe.example/greeting.png"}},
			Arguments: []core.PromptArgument{
				{Name: "name", Title: "Name", Description: "Whom to greet", Required: true},
				{Name: "tone"},
			},
			Meta: json.RawMessage(`{ "probe.example/prompt": true }`),
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				tone, err := call.String("tone", "warmly")
				if err != nil {
					return nil, err
				}
				return &core.PromptResult{
					Description: "A greeting",
					Messages:    []core.Message{core.UserText("Greet " + call.Arguments().Get("name").Str + " " + tone + ".")},
					Meta:        json.RawMessage(`{ "probe.example/got": 1 }`),
				}, nil
			},
		},
		{
			Name: "blocks",
			Handler: answer(&core.PromptResult{Messages: []core.Message{
				{Role: "user", Content: []core.Block{core.TextBlock{Text: "Look:"}, core.AudioBlock{Data: []byte{1}, MIMEType: "audio/wav"}}},
				{Role: "assistant", Content: []core.Block{core.ResourceLink{URI: items + "1", Name: "item"}}},
			}}),
		},
		{
			Name: "asking",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				given, asked := call.Input("roots")
				if !asked {
					return call.RequireInput(core.Inputs{"roots": core.Roots{}}, nil)
				}
				return &core.PromptResult{Messages: []core.Message{core.UserText(fmt.Sprintf("Look into %d folders.", len(given.Roots())))}}, nil
			},
		},
		{Name: "failing", Handler: fail(errors.New("the ink is dry"))},
	}
}

func (l *library) resources() []core.Resource {
	priority := 1.0
	return []core.Resource{
		{
			URI:         "probe:///text",
			Name:        "text",
			Title:       "Text",
			Description: "A text.",
			MIMEType:    "text/plain",
			Size:        5,
			Annotations: &core.Annotations{Priority: &priority, LastModified: "2025-01-12T15:00:58Z"},
			Icons:       []core.Icon{{Source: "https://probe.example/text.png"}},
			Meta:        json.RawMessage(`{ "probe.example/resource": true }`),
			Read: answer(core.ResourceResult{{
				URI:      "probe:///text",
				MIMEType: "text/plain",
				Text:     "hello",
				Meta:     json.RawMessage(`{ "probe.example/read": 1 }`),
			}}),
		},
		{
			URI:  "probe:///both",
			Name: "both",
			Read: answer(core.ResourceResult{
				{URI: "probe:///both/a", Blob: []byte{0, 255}, MIMEType: "application/octet-stream"},
				{URI: "probe:///both/b", Text: ""},
			}),
		},
		{
			URI:  "probe:///asking",
			Name: "asking",
			Read: func(_ context.Context, call *core.Call) (core.Result, error) {
				given, asked := call.Input("form")
				if !asked {
					return call.RequireInput(core.Inputs{"form": questions(false)["form"]}, nil)
				}
				return core.ResourceResult{{URI: call.URI(), Text: "for " + given.Content().Get("name").Str}}, nil
			},
		},
		{URI: "probe:///failing", Name: "failing", Read: fail(errors.New("the page is torn"))},
	}
}

// read serves the items, of which there are nine.
func (l *library) read(_ context.Context, call *core.Call) (core.Result, error) {
	id, isItem := strings.CutPrefix(call.URI(), items)
	switch {
	case !isItem:
		return nil, nil
	case len(id) != 1 || id < "1" || id > "9":
		return nil, core.ResourceNotFound(call.URI())
	}
	return core.ResourceResult{{URI: call.URI(), MIMEType: "text/plain", Text: "item " + id}}, nil
}
