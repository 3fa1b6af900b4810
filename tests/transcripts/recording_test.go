package transcripts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recording keeps a conversation in a file. All methods of a nil one do
// nothing.
type recording struct {
	file    *os.File
	partial strings.Builder // a line of the client without its end
}

// newRecording starts a recording where MCP_RECORDINGS says, or gives nil.
func newRecording(name string) (*recording, error) {
	folder := os.Getenv("MCP_RECORDINGS")
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(folder, name+".jsonl"))
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &recording{file: file}, nil
}

// sent records what the client sends, line by line.
func (r *recording) sent(text string) error {
	if r == nil {
		return nil
	}
	for {
		line, rest, whole := strings.Cut(text, "\n")
		r.partial.WriteString(line)
		if !whole {
			return nil
		}
		if err := r.sentAll(); err != nil {
			return err
		}
		text = rest
	}
}

// sentAll says that the client's line has ended.
func (r *recording) sentAll() error {
	if r == nil || r.partial.Len() == 0 {
		return nil
	}
	line := r.partial.String()
	r.partial.Reset()
	return r.add("client", line)
}

func (r *recording) received(line string) error {
	if r == nil {
		return nil
	}
	return r.add("server", line)
}

func (r *recording) add(from, line string) error {
	entry, err := json.Marshal(struct {
		From string `json:"from"`
		Line string `json:"line"`
	}{from, line})
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(entry, '\n'))
	return err
}

func (r *recording) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}
