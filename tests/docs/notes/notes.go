package main

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

//go:embed clear_notes.json
var clearNotes []byte

// Notes keeps notes in memory.
type Notes struct {
	*toolserver.Base

	mu    sync.Mutex // guards notes
	notes map[string]string
}

// NewNotes makes a server without any notes.
func NewNotes() (*Notes, error) {
	n := &Notes{notes: make(map[string]string)}
	clearing, err := toolserver.ParseDefinition(clearNotes)
	if err != nil {
		return nil, fmt.Errorf("clear_notes.json: %w", err)
	}
	title := core.String("title", "What the note is called").Required()
	n.Base, err = toolserver.NewBase("notes",
		toolserver.Tool{
			Definition: toolserver.Definition{
				Name: "write_note", Description: "Writes a note, or writes it anew.",
				Input: core.Object(title, core.String("text", "What it says").Required()),
			},
			Execute: n.write,
		},
		toolserver.Tool{
			Definition: toolserver.Definition{Name: "read_note", Description: "Reads a note.", Input: core.Object(title)},
			Access:     toolserver.Read,
			AnchorKey:  func(arguments toolserver.Arguments) string { return "note:" + arguments.Value("title").Str },
			Execute:    n.read,
		},
		toolserver.Tool{Definition: clearing, Execute: n.clear},
	)
	return n, err
}

func (n *Notes) write(_ context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	title, err := arguments.RequireString("title")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	text, err := arguments.RequireString("text")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes[title] = text
	return toolserver.Text("wrote " + title), nil
}

func (n *Notes) read(_ context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	title, err := arguments.RequireString("title")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	text, found := n.notes[title]
	if !found {
		return toolserver.Outcome{}, fmt.Errorf("there is no note called %q", title)
	}
	return toolserver.Text(text), nil
}

func (n *Notes) clear(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
	if err := toolserver.Approve(ctx, "all notes", "Remove all notes?"); err != nil {
		return toolserver.Outcome{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.notes)
	return toolserver.Text("removed all notes", toolserver.StopProcessing()), nil
}

// PermissionPattern is one for each note, so that a person can allow to write
// one and not another.
func (n *Notes) PermissionPattern(qualifiedTool, arguments string) string {
	return qualifiedTool + ":" + toolserver.ParseArguments(arguments).Value("title").Str
}

// SkipDuplicateCheck: a note may have changed since it was read.
func (n *Notes) SkipDuplicateCheck(tool string) bool { return tool == "read_note" }
