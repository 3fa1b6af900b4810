package filesystem

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/url"
	"path/filepath"
	"strings"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// mediaType gives the type of a file by the end of its name.
func mediaType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".bmp":
		return "image/bmp"
	case ".svg":
		return "image/svg+xml"
	case ".mp3":
		return "audio/mpeg"
	case ".wav":
		return "audio/wav"
	case ".ogg":
		return "audio/ogg"
	case ".flac":
		return "audio/flac"
	}
	return "application/octet-stream"
}

// readMedia runs read_media_file.
func (s *Server) readMedia(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locate(wanted{given: given, verb: "read"})
	if err != nil {
		return toolserver.Outcome{}, err
	}
	// It is encoded, so that it takes more than a text does.
	if err := a.hold(2 * found.size(a.settings.MaxRead)); err != nil {
		return toolserver.Outcome{}, err
	}
	var data bytes.Buffer
	if err := found.readInto(ctx, &data, a.settings.MaxRead); err != nil {
		return toolserver.Outcome{}, about(given, err)
	}
	path := a.shown(given)
	mime := mediaType(path)
	encoded := base64.StdEncoding.EncodeToString(data.Bytes())
	outcome := toolserver.Outcome{Result: mime + ", base64:\n" + encoded}
	structured := map[string]any{"type": kindOf(mime), "data": encoded, "mimeType": mime}
	switch kindOf(mime) {
	case "image":
		outcome.Content = []core.Block{core.ImageBlock{Data: data.Bytes(), MIMEType: mime}}
	case "audio":
		outcome.Content = []core.Block{core.AudioBlock{Data: data.Bytes(), MIMEType: mime}}
	default:
		uri := fileURI(path)
		structured = map[string]any{"type": "resource", "resource": map[string]string{"uri": uri, "mimeType": mime, "blob": encoded}}
		outcome.Content = []core.Block{core.EmbeddedResource{URI: uri, MIMEType: mime, Blob: data.Bytes()}}
	}
	outcome.Structured = map[string]any{"content": []any{structured}}
	return outcome, nil
}

// kindOf gives the kind of a media type: what is before its slash.
func kindOf(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	return kind
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
