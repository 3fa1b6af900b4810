package filesystem

import (
	"context"
	"encoding/json"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// textOutput is the output schema of tools that answer with one text.
const textOutput = `{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false}`

// mediaOutput is that of read_media_file.
const mediaOutput = `{"type":"object","properties":{"content":{"type":"array","items":{"anyOf":[` +
	`{"type":"object","properties":{"type":{"type":"string","enum":["image","audio"]},"data":{"type":"string"},"mimeType":{"type":"string"}},"required":["type","data","mimeType"]},` +
	`{"type":"object","properties":{"type":{"type":"string","const":"resource"},"resource":{"type":"object","properties":{"uri":{"type":"string"},"mimeType":{"type":"string"},"blob":{"type":"string"}},"required":["uri","blob"]}},"required":["type","resource"]}` +
	`]}}},"required":["content"],"additionalProperties":false}`

// editInput is the input schema of edit_file: its list has objects in it.
const editInput = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"The file to edit"},` +
	`"edits":{"type":"array","description":"The edits, applied in this order; each sees what those before it made","items":{"type":"object","properties":{` +
	`"oldText":{"type":"string","description":"What to replace; it must match exactly once, or differ from one match by indentation alone"},` +
	`"newText":{"type":"string","description":"What to put in its place"},` +
	`"replaceAll":{"type":"boolean","description":"Replace all matches","default":false}},"required":["oldText","newText"]}},` +
	`"dryRun":{"type":"boolean","description":"Only show the diff, and write nothing","default":false},` +
	`"replaceAll":{"type":"boolean","description":"replaceAll for every edit","default":false}},"required":["path","edits"]}`

type execute = func(context.Context, toolserver.Arguments) (toolserver.Outcome, error)

// tools gives the table, in the order of the npm server's.
func (s *Server) tools() []toolserver.Tool {
	file := core.String("path", "The file").Required()
	directory := core.String("path", "The directory").Required()
	lines := []core.Property{
		file,
		core.Integer("tail", "Only the last lines, this many").Minimum(0),
		core.Integer("head", "Only the first lines, this many").Minimum(0),
	}
	excluded := core.Array("excludePatterns", "Globs, of which none may match", core.String("", "")).Default("[]")
	return []toolserver.Tool{
		s.fileReader("read_file", "Read File (Deprecated)", "Reads a text file. The older name of read_text_file, which is the one to use.", core.Object(lines...), s.readText),
		s.fileReader("read_text_file", "Read Text File", "Reads a text file, or with head or tail its first or last lines. UTF-8 is expected; what is none becomes U+FFFD. A binary file is refused.", core.Object(lines...), s.readText),
		s.mediaReader("read_media_file", "Read Media File", "Reads an image, a sound or any other file as base64 with its MIME type.", core.Object(file), s.readMedia),
		reader("read_multiple_files", "Read Multiple Files", "Reads several text files at once. What cannot be read is told in its place, and the others are read.",
			core.Object(core.Array("paths", "The files", core.String("", "")).Items(1, mostPaths).Required()), s.readMultiple),
		writer("write_file", "Write File", "Creates a file, or replaces its whole content without asking. The directory must exist.",
			core.Object(file, core.String("content", "The new content").Required()), s.writeFile, hints{destructive: true, idempotent: true}),
		writer("edit_file", "Edit File", "Replaces texts in a file and gives a diff. If an edit does not match exactly once, nothing is changed. Line breaks, byte order mark and encoding stay as they are.",
			toolserver.RawSchema(json.RawMessage(editInput), nil), s.editFile, hints{destructive: true}),
		writer("create_directory", "Create Directory", "Creates a directory and those above it that are missing. One that is there already is fine.",
			core.Object(directory), s.createDirectory, hints{idempotent: true}),
		reader("list_directory", "List Directory", "Lists a directory: [DIR] for directories, [FILE] for all else, a name a line. Links are not followed.", core.Object(directory), s.listDirectory),
		reader("list_directory_with_sizes", "List Directory with Sizes", "Lists a directory as list_directory does, with sizes and totals.",
			core.Object(directory, core.String("sortBy", "In which order").OneOf("name", "size").Default(`"name"`)), s.listWithSizes),
		reader("directory_tree", "Directory Tree", "Gives all that is below a directory as JSON: name, type (file or directory) and, for directories, children. Links are not followed.",
			core.Object(directory, excluded), s.directoryTree),
		writer("move_file", "Move File", "Moves or renames a file or a directory. The destination must not exist, its directory must. A link is moved itself.",
			core.Object(core.String("source", "What to move").Required(), core.String("destination", "Its new path").Required()), s.moveFile, hints{destructive: true}),
		reader("search_files", "Search Files", "Finds files and directories by a glob, matched against paths below the directory: *.go in it, **/*.go at any depth. Gives whole paths. Links are not followed.",
			core.Object(directory, core.String("pattern", "The glob").Required(), excluded), s.searchFiles),
		reader("get_file_info", "Get File Info", "Tells the size, times, kind and permissions of a file or directory.", core.Object(core.String("path", "The file or directory").Required()), s.fileInfo),
		reader("list_allowed_directories", "List Allowed Directories", "Lists the directories in which this server reads and writes.", core.Object(), s.listAllowed),
	}
}

// reader makes a tool that reads.
func reader(name, title, description string, input core.Schema, run execute) toolserver.Tool {
	return toolserver.Tool{
		Definition: toolserver.Definition{
			Name: name, Title: title, Description: description, Input: input, Output: json.RawMessage(textOutput),
			Annotations: &core.ToolAnnotations{OpenWorldHint: core.Hint(false)},
		},
		Access: toolserver.Read, Execute: run,
	}
}

// fileReader makes a tool that gives the content of one file, and anchors on
// it. What is only told about a file does not: its content stays of use.
func (s *Server) fileReader(name, title, description string, input core.Schema, run execute) toolserver.Tool {
	made := reader(name, title, description, input, run)
	made.AnchorKey = s.anchor
	return made
}

func (s *Server) mediaReader(name, title, description string, input core.Schema, run execute) toolserver.Tool {
	made := s.fileReader(name, title, description, input, run)
	made.Definition.Output = json.RawMessage(mediaOutput)
	return made
}

// hints say more about a tool that writes.
type hints struct{ destructive, idempotent bool }

func writer(name, title, description string, input core.Schema, run execute, hints hints) toolserver.Tool {
	return toolserver.Tool{
		Definition: toolserver.Definition{
			Name: name, Title: title, Description: description, Input: input, Output: json.RawMessage(textOutput),
			Annotations: &core.ToolAnnotations{
				DestructiveHint: core.Hint(hints.destructive), IdempotentHint: core.Hint(hints.idempotent), OpenWorldHint: core.Hint(false),
			},
		},
		Access: toolserver.Write, Execute: run,
	}
}
