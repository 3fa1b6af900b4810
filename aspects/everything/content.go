package everything

import (
	"context"
	"encoding/json"

	"mcpserver/core"
)

// contentTools answer at once, each with another kind of content.
func contentTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "test_simple_text",
			Description: "Answers with one text.",
			Handler:     says("This is a simple text response for testing."),
		},
		{
			Name:        "test_image_content",
			Description: "Answers with an image: a yellow face of 32 by 32 pixels that smiles (PNG).",
			Handler:     shows(image()),
		},
		{
			Name:        "test_audio_content",
			Description: "Answers with a sound: a short beep (WAV).",
			Handler:     shows(core.AudioBlock{Data: []byte(sound), MIMEType: soundType}),
		},
		{
			Name:        "test_embedded_resource",
			Description: "Answers with the text of a resource, embedded into the answer.",
			Handler:     shows(embeddedText()),
		},
		{
			Name:        "test_multiple_content_types",
			Description: "Answers with one block of each kind: a text, an image, a sound, a link to a resource, an embedded text and an embedded blob.",
			Handler: shows(
				core.TextBlock{Text: "One block of each kind follows."},
				image(),
				core.AudioBlock{Data: []byte(sound), MIMEType: soundType},
				linkToPicture(),
				embeddedText(),
				core.EmbeddedResource{URI: pictureURI, MIMEType: pictureType, Blob: []byte(picture)},
			),
		},
		{
			Name:        "annotatedContent",
			Title:       "Annotated content",
			Description: "Answers with a text for you, a text for the model alone, and an image that is not important; each block says so in its annotations, and there is _meta with the first block and with the answer.",
			Icons:       icons(),
			Meta:        json.RawMessage(`{"everything.example/shows":"the _meta of a tool"}`),
			Handler:     annotated,
		},
		{
			Name:        "test_error_handling",
			Description: "Fails: answers with a text and isError, which is for the model to read and no error of the protocol.",
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.ToolError("This tool intentionally returns an error for testing"), nil
			},
		},
		{
			Name:        "test_reconnection",
			Description: "Answers with a text. Over HTTP it would be about a stream that breaks and goes on; over stdin and stdout there is none.",
			Handler:     says("Nothing was interrupted."),
		},
	}
}

func image() core.Block { return core.ImageBlock{Data: []byte(picture), MIMEType: pictureType} }

func embeddedText() core.Block {
	return core.EmbeddedResource{URI: embeddedURI, MIMEType: "text/plain", Text: embeddedContent}
}

func linkToPicture() core.Block {
	return core.ResourceLink{
		URI:         pictureURI,
		Name:        "static-binary",
		Title:       "A face that smiles",
		Description: "Read this resource to see it.",
		MIMEType:    pictureType,
		Size:        int64(len(picture)),
		Icons:       icons(),
		Annotations: &core.Annotations{Audience: []string{"user"}},
	}
}

func annotated(context.Context, *core.Call) (core.Result, error) {
	most, some, least := 1.0, 0.5, 0.0
	return &core.ToolResult{
		Content: []core.Block{
			core.TextBlock{
				Text:        "This is for you. It has the highest priority, and was last changed on the day of a protocol version.",
				Annotations: &core.Annotations{Audience: []string{"user"}, Priority: &most, LastModified: "2025-11-25T12:00:00Z"},
				Meta:        json.RawMessage(`{"everything.example/shows":"the _meta of a block"}`),
			},
			core.TextBlock{
				Text:        "This is for the model; a client need not show it.",
				Annotations: &core.Annotations{Audience: []string{"assistant"}, Priority: &some},
			},
			core.ImageBlock{
				Data:        []byte(picture),
				MIMEType:    pictureType,
				Annotations: &core.Annotations{Audience: []string{"user", "assistant"}, Priority: &least},
			},
		},
		Meta: json.RawMessage(`{"everything.example/shows":"the _meta of a result"}`),
	}, nil
}
