// Package config reads the configuration of the gateway: the mcp.json that a
// person has already, written for VS Code (servers, inputs, or both within mcp
// as in settings.json) or for Claude, Cursor and others (mcpServers). It may
// have comments and trailing commas.
//
// Read and Parse give what stands in the file, with a Problem for each thing
// that cannot be used; an entry that has one is left out, and the others stay.
// File.Resolve then gives an entry as it is to be started, with what its
// references stand for:
//
//	${NAME}, ${env:NAME}         an environment variable
//	${NAME:-text}                the same, or the text where it is not set or empty;
//	                             the text may have references itself
//	${input:id}                  an input: see Variables; it may have a default as well
//	${workspaceFolder}           the folder that a .vscode folder with the file lies in,
//	                             otherwise the working directory
//	${workspaceFolderBasename}   the last element of that
//	${userHome}                  the home directory
//	${cwd}                       the working directory
//	${pathSeparator}, ${/}       / or \, as the system has it
//	$$                           a dollar
//
// Any other $ stays as it is. They stand in command, args, the values of env and
// headers, cwd, url and envFile. What a reference stands for is never expanded
// again.
//
// The file is not trusted: its size, its nesting, the number and length of what
// stands in it and what it expands to are bounded. Error texts name what they are
// about and do not have its value in them, since that may be a secret: they tell
// nothing but types, and the options of inputs.
package config

import (
	"fmt"
	"time"
)

// Limits of a file.
const (
	maxFile      = 4 << 20
	maxDepth     = 64
	maxEntries   = 256
	maxInputs    = 256
	maxProblems  = 256
	maxName      = 128      // characters of a name of a server, an input or a header
	maxText      = 64 << 10 // bytes of any other string
	maxArguments = 1000
	maxVariables = 1000 // of env
	maxHeaders   = 100
	maxPatterns  = 1000 // of allow, and of deny
	maxOptions   = 1000 // of an input
	maxTimeout   = 7 * 24 * time.Hour
)

// Type is how a server is reached.
type Type string

// The types.
const (
	// Stdio starts the server as a child process.
	Stdio Type = "stdio"
	// HTTP reaches it by Streamable HTTP. Where the server refuses that, as
	// older ones do, HTTP+SSE is to be tried.
	HTTP Type = "http"
	// SSE reaches it by HTTP+SSE.
	SSE Type = "sse"
)

// File is what stands in a configuration. Nothing changes it after Read or
// Parse, so goroutines may share it.
type File struct {
	// Path is the path as Read was given it, and "" after Parse.
	Path string
	// Entries are the servers that can be used, in the order of the file.
	Entries []Entry
	// Inputs are the inputs that can be used, in the order of the file.
	Inputs []Input
	// Problems are what could not be used, in the order in which it was found.
	Problems []Problem
}

// Entry is one server. Texts of a file may have references; those of
// File.Resolve have none.
//
// What does not belong to the type is empty, whatever the file says: a server
// that is reached by its URL has no command, and one that is started has no
// headers.
type Entry struct {
	// Name has up to 128 characters, all of which can be shown, and no other
	// entry of the file has it.
	Name string
	// Type is never empty. A file that does not say it means Stdio where there
	// is a command, and HTTP where there is a URL.
	Type Type

	// Command is the program, and Args are its arguments.
	Command string
	Args    []string
	// Env is what is added to the server's environment, in the order of the
	// file. No name is in it twice. After File.Resolve it begins with what
	// EnvFile has, as far as env does not say otherwise.
	Env []EnvironmentVariable
	// EnvFile is the path of a file of environment variables, or "".
	EnvFile string
	// Dir is the server's working directory (cwd), or "". After File.Resolve it
	// is not relative, as far as the working directory is known; without cwd it
	// is the workspace folder of a file in a .vscode folder, and otherwise "".
	Dir string

	// URL is the server's endpoint.
	URL string
	// Headers are sent with each request, in the order of the file. No name is
	// in it twice, in whatever case.
	Headers []Header

	// Disabled says that the server is not to be used.
	Disabled bool
	// Allow and Deny are patterns of names of tools, for Allows. A nil Allow
	// allows all tools, an empty one none. The file says allow, includeTools or
	// tools, and deny, excludeTools or disabledTools.
	Allow, Deny []string
	// Timeout is how long a request may take; 0 is no word about that. A number
	// in the file is of seconds up to 3600, as Cline and Roo Code write it, and
	// of milliseconds above, as Claude Code and others do. A string has its unit
	// ("90s", "2m").
	Timeout time.Duration

	// Line and Column are where the name stands in the file, from 1; the column
	// is in characters.
	Line, Column int
}

// EnvironmentVariable is one variable of a server's environment.
type EnvironmentVariable struct {
	Name, Value string
	// Unset says that the server is not to have the variable, though the gateway
	// has it: the file says null. Value is "" then.
	Unset bool
}

// Header is one header of HTTP requests.
type Header struct{ Name, Value string }

// Problem is something in a file that could not be used.
type Problem struct {
	// Server is the name of the entry that it is about, or "".
	Server string
	// Line and Column are where it stands in the file, from 1; the column is in
	// characters.
	Line, Column int
	// Sentence says what it is and, where that is not plain, what to do.
	Sentence string
}

// String gives the place, the server and the sentence.
func (p Problem) String() string {
	if p.Server == "" {
		return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Sentence)
	}
	return fmt.Sprintf("line %d, column %d: server %q: %s", p.Line, p.Column, p.Server, p.Sentence)
}
