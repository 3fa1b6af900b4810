package everything

import (
	"context"
	"encoding/json"

	"mcpserver/core"
	"mcpserver/core/uritemplate"
)

const (
	textURI     = "test://static-text"
	pictureURI  = "test://static-binary"
	embeddedURI = "test://embedded-resource"
	exampleURI  = "test://example-resource"

	dataTemplate    = "test://template/{id}/data"
	weatherTemplate = "test://weather/{country}/{city}"

	textContent     = "This is the content of the static text resource."
	embeddedContent = "This is an embedded resource content."
	exampleContent  = "This is the content of the example resource."
)

// staticResources never change. The first one can be read as it is, which the
// conformance suite counts on.
func staticResources() []core.Resource {
	most := 1.0
	return []core.Resource{
		{
			URI:         textURI,
			Name:        "static-text",
			Title:       "A text",
			Description: "A text that never changes; its definition has a size and annotations.",
			MIMEType:    "text/plain",
			Size:        int64(len(textContent)),
			Annotations: &core.Annotations{Audience: []string{"user", "assistant"}, Priority: &most, LastModified: "2025-11-25T12:00:00Z"},
			Read:        readText(textContent),
		},
		{
			URI:         pictureURI,
			Name:        "static-binary",
			Title:       "A face that smiles",
			Description: "An image of 32 by 32 pixels; it is its own icon.",
			MIMEType:    pictureType,
			Size:        int64(len(picture)),
			Icons:       icons(),
			Read: func(_ context.Context, call *core.Call) (core.Result, error) {
				return core.ResourceResult{{URI: call.URI(), MIMEType: pictureType, Blob: []byte(picture)}}, nil
			},
		},
		{
			URI:         embeddedURI,
			Name:        "embedded-resource",
			Description: "What the tool test_embedded_resource embeds.",
			MIMEType:    "text/plain",
			Read:        readText(embeddedContent),
		},
		{
			URI:         exampleURI,
			Name:        "example-resource",
			Description: "Two contents in one answer: a text, and an image under another URI, with _meta.",
			Meta:        json.RawMessage(`{"everything.example/shows":"the _meta of a resource"}`),
			Read:        readExample,
		},
	}
}

// templates describe what can be read without being listed.
func templates() []core.Template {
	return []core.Template{
		{
			Pattern:     uritemplate.New(dataTemplate),
			Name:        "data",
			Title:       "Data by id",
			Description: "Reads any id. The numbers up to 999 are suggested, which are more than one answer can have.",
			MIMEType:    "application/json",
			Read:        readData,
			Complete:    map[string]core.Handler{"id": suggestNumbers},
		},
		{
			Pattern:     uritemplate.New(weatherTemplate),
			Name:        "weather",
			Title:       "Weather of a city",
			Description: "Today's weather, as the tool weather makes it up. The cities that are suggested are those of the country that you have chosen.",
			MIMEType:    "application/json",
			Icons:       icons(),
			Read:        readWeather,
			Complete:    map[string]core.Handler{"country": suggestCountries, "city": suggestCities},
		},
	}
}

// readText gives a handler that reads a text.
func readText(text string) core.Handler {
	return func(_ context.Context, call *core.Call) (core.Result, error) { return textContents(call, text), nil }
}

func textContents(call *core.Call, text string) core.Result {
	return core.ResourceResult{{URI: call.URI(), MIMEType: "text/plain", Text: text}}
}

// jsonContents gives the value as the content of what the call reads.
func jsonContents(call *core.Call, value any) (core.Result, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return core.ResourceResult{{URI: call.URI(), MIMEType: "application/json", Text: string(text)}}, nil
}

func readExample(_ context.Context, call *core.Call) (core.Result, error) {
	return core.ResourceResult{
		{URI: call.URI(), MIMEType: "text/plain", Text: exampleContent, Meta: json.RawMessage(`{"everything.example/shows":"the _meta of a content"}`)},
		{URI: call.URI() + "#picture", MIMEType: pictureType, Blob: []byte(picture)},
	}, nil
}

func readData(_ context.Context, call *core.Call) (core.Result, error) {
	id := call.Variable("id")
	return jsonContents(call, struct {
		ID           string `json:"id"`
		TemplateTest bool   `json:"templateTest"`
		Data         string `json:"data"`
	}{id, true, "Data for ID: " + id})
}

// readWeather reads the weather of today.
func readWeather(_ context.Context, call *core.Call) (core.Result, error) {
	return jsonContents(call, dayIn(call.Variable("city"), 0))
}
