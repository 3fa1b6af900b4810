package main

import (
	"io"
	"os"
	"testing"

	"mcpserver/core"
	"mcpserver/core/server"
	"mcpserver/core/toolserver"
)

func TestAspectIsSound(t *testing.T) {
	notes, err := NewNotes()
	if err != nil {
		t.Fatal(err)
	}
	aspect := toolserver.Aspect(notes, nil)
	aspect.SelfTests = []core.SelfTest{{
		Name: "a note is written", Tool: "write_note", Arguments: `{"title":"a","text":"b"}`,
		Expect: core.Expect{Values: map[string]any{"content.0.text": "wrote a"}},
	}}
	if err := server.SelfTest(t.Context(), aspect, io.Discard, os.Stderr, nil); err != nil {
		t.Error(err)
	}
}
