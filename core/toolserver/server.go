// Package toolserver is for tool servers that live inside a program: a host
// lists their tools and runs them by a function call, without any protocol, and
// Aspect serves the same server over MCP.
//
// A concrete server embeds a *Base, registers its tools, and overrides those
// methods of Server that are to differ:
//
//	type Notes struct {
//		*toolserver.Base
//		…
//	}
//
// A host holds it as a Server. Duplicates and Permissions are for hosts that
// run what a language model asks for.
package toolserver

import (
	"context"
	"fmt"
	"strings"
)

// Server is what a host sees of a tool server. Base implements it; a concrete
// server embeds Base and overrides methods by declaring them itself.
//
// Go has no virtual methods: a method of Base never sees an override. So no
// method of Base calls another one of this interface, and whatever must see
// overrides (Aspect, Duplicates, Permissions, Qualified) takes a Server. An
// override that wants what it overrides calls it by name, as in
// s.Base.Execute(ctx, tool, arguments).
//
// All methods are safe for concurrent use; overrides must be too.
type Server interface {
	// Name is the server's name, such as "filesystem".
	Name() string
	// RegisterTool adds a tool, also while the server is in use. The error
	// says what is wrong with the tool, or that its name is taken.
	RegisterTool(tool Tool) error
	// ListTools gives a JSON array with an object for each tool, in the order
	// of their registration: name, description, inputSchema.
	ListTools() string
	// Execute runs a tool by its local name and gives a response as JSON,
	// whatever happens; ParseResponse reads it.
	Execute(ctx context.Context, tool, arguments string) string
	// PermissionPattern gives what a person's "always allow" or "always deny"
	// for that call is kept under. The tool's name is the qualified one, the
	// arguments are those of Execute.
	PermissionPattern(qualifiedTool, arguments string) string
	// SkipDuplicateCheck reports whether a tool, by its local name, is to run
	// even if the same call was made before.
	SkipDuplicateCheck(tool string) bool
	// Configure hands over the server's own configuration, a JSON text.
	Configure(configuration string) error
	// SetWorkingDir tells the server which folder to work in.
	SetWorkingDir(path string) error
	// Registry gives the tools for reading.
	Registry() *Registry
}

// Qualified is the name by which a host tells a tool from those of other
// servers: the server's name, a dot, the tool's local name.
func Qualified(server Server, tool string) string { return server.Name() + "." + tool }

// Base is what tool servers have in common. NewBase makes one.
type Base struct {
	name     string
	registry Registry
}

var _ Server = (*Base)(nil)

// NewBase makes a base with these tools. The name is made of letters, digits,
// "_" and "-"; there is no "." in it, so that qualified names of two servers
// never look the same. The error is about the name, or that of the first tool
// which RegisterTool does not take.
func NewBase(name string, tools ...Tool) (*Base, error) {
	if !validName(name) || strings.Contains(name, ".") {
		return nil, fmt.Errorf("the server's name %q is not 1 to 128 letters, digits, '_' or '-'", name)
	}
	base := &Base{name: name}
	for _, tool := range tools {
		if err := base.registry.register(tool); err != nil {
			return nil, err
		}
	}
	return base, nil
}

// Name implements Server.
func (b *Base) Name() string { return b.name }

// RegisterTool implements Server. When it returns nil, ListTools and Execute
// know the tool, and clients to which the server is served have been told, unless
// Aspect cannot serve it, which the trace tells then.
func (b *Base) RegisterTool(tool Tool) error { return b.registry.register(tool) }

// ListTools implements Server. It gives "[]" when nothing is registered.
func (b *Base) ListTools() string { return b.registry.listJSON() }

// PermissionPattern implements Server: it gives the qualified name, so that
// what is allowed or denied is the tool, whatever its arguments.
func (b *Base) PermissionPattern(qualifiedTool, _ string) string { return qualifiedTool }

// SkipDuplicateCheck implements Server: every tool is checked.
func (b *Base) SkipDuplicateCheck(string) bool { return false }

// Configure implements Server: there is nothing to configure, so anything is
// right.
func (b *Base) Configure(string) error { return nil }

// SetWorkingDir implements Server: there is nothing that depends on a folder.
func (b *Base) SetWorkingDir(string) error { return nil }

// Registry implements Server.
func (b *Base) Registry() *Registry { return &b.registry }
