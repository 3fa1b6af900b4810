// Package core is the contract between an aspect and the framework.
//
// An aspect is one server personality: who it is, which tools it has, what
// their handlers do. It is a value that a function named Aspect makes; the
// runner (package core/server) does everything else, from the framing of
// messages to the command line. An aspect imports this package and never the
// runner, so the same aspect runs as a binary, in a test, or inside another
// program.
//
// # Concurrency
//
// With Asynchronous false, all of an aspect's code (handlers, hooks, posted
// actions) runs one piece at a time in order of arrival, so it needs no locks;
// Prepare alone runs beside it. With Asynchronous true, handlers run
// concurrently. What the core answers by itself (ping, lists, cancellation) is
// served meanwhile in both cases.
package core

import (
	"context"
	"encoding/json"
	"flag"
	"time"

	"github.com/tidwall/gjson"
)

// Aspect describes one server. The runner reads it and never changes it.
// State that handlers share lives in a value that the function making the
// Aspect closes over.
type Aspect struct {
	// Name is the name of the executable and of the server, such as
	// "MCPServer_helloWorld". Required; letters, digits, "_", "-" and ".".
	Name string
	// Version is the server's own version. Required.
	Version string
	// Title, Description, WebsiteURL and Icons are shown to people by clients.
	Title, Description, WebsiteURL string
	Icons                          []Icon
	// Instructions tell the client's model how to use the server.
	Instructions string
	// Credit is shown by the tool about_tsar-mcp.
	Credit string

	// Asynchronous lets handlers run concurrently.
	Asynchronous bool
	// Relays says that the aspect's handlers do little but ask others and answer
	// later, by Call.Defer. A process of its own (server.Main) then lets several
	// goroutines wait in system calls at once, for the client and for the others,
	// unless the environment has GOMAXPROCS. It changes nothing but speed.
	Relays bool
	// Logging declares the logging capability. Without it, log messages go to
	// the trace alone.
	Logging bool
	// DynamicTools, DynamicPrompts and DynamicResources declare that tools,
	// prompts, resources (and templates) come and go while serving, and that
	// clients are told; without them Host.AddTools and its kin refuse.
	DynamicTools, DynamicPrompts, DynamicResources bool

	// Tools, Prompts, Resources and Templates are listed in this order. Having
	// any, or the hook for it, declares the capability.
	Tools     []Tool
	Prompts   []Prompt
	Resources []Resource
	Templates []Template
	// ResourceUpdates declares that clients can subscribe to resources; the
	// aspect calls Host.ResourceUpdated.
	ResourceUpdates bool
	// PageSize is how many entries a list answers at once; 0 is 1000. The flag
	// --page-size overrides it.
	PageSize int

	// Caching tells modern clients how long they may keep what they read.
	Caching Caching

	// Experimental holds experimental capabilities, a JSON object per name.
	// Extensions likewise, for revisions that have them.
	Experimental, Extensions map[string]json.RawMessage

	// OnStartup runs once before the first message is read; it should be
	// quick. An error ends the process with status 1 and goes to stderr. The
	// context ends when serving does.
	OnStartup func(ctx context.Context, host Host) error
	// Prepare is for slow set-up: it runs once beside the loop, concurrently
	// with other code of the aspect. Tools, prompts and resources wait for it,
	// or get its error.
	Prepare func(ctx context.Context) error
	// OnInitialize sees each initialize request; an error answers it, and the
	// server goes on. Modern clients never send one.
	OnInitialize func(ctx context.Context, request *Initialize) error
	// OnInitialized runs when the client is ready for requests of the server:
	// from then on Host.Ask works.
	OnInitialized func(ctx context.Context)
	// OnFirstRequest runs, for a client that does not begin with initialize,
	// before its first request is served: at once and quickly, beside the
	// aspect's other code, since nothing is read meanwhile. It sees no ping.
	OnFirstRequest func(ctx context.Context, call *Call)
	// OnShutdown runs once when serving ends, also after a signal.
	OnShutdown func(ctx context.Context) error
	// OnToolsCall sees every tools/call before the tool table does, built-in
	// tools included. It declines by returning nil and nil.
	OnToolsCall Handler
	// OnPromptsGet sees every prompts/get before the prompt table does, and
	// OnComplete every completion/complete before the completers of prompts and
	// templates do. They decline by returning nil and nil.
	OnPromptsGet, OnComplete Handler
	// OnResourcesRead is asked for URIs that neither the resource table nor a
	// template with a Read has. It declines by returning nil and nil.
	OnResourcesRead Handler
	// OnList runs before a list is answered: of tools, prompts, resources or
	// templates, by the call's method. It is for lists that are made elsewhere
	// and may be complete in a moment. It runs beside the aspect's other code.
	OnList func(ctx context.Context, call *Call)
	// OnSubscribe is told when the first subscriber to a resource comes, and
	// OnUnsubscribe when the last one goes, whichever way clients subscribe.
	// When serving ends, OnShutdown alone is told.
	OnSubscribe, OnUnsubscribe func(ctx context.Context, uri string)
	// OnMethod is asked for requests whose method the core does not serve.
	// Returning nil and nil means that it does not serve it either.
	OnMethod Handler
	// OnSetLevel is told, when the client of the legacy era has set it, from
	// which level on it wants log messages. A client of the modern era says so
	// with each request.
	OnSetLevel func(ctx context.Context, level LogLevel)
	// OnNotification sees notifications that the core does not use itself.
	OnNotification func(ctx context.Context, notification *Notification)

	// About gives further lines for the tool about_tsar-mcp. It is safe for
	// concurrent use, and quick, since nothing is read meanwhile.
	About func() []string

	// Flags adds long flags of the aspect's own to the command line. It is
	// called before the command line is read.
	Flags func(flags *flag.FlagSet)
	// Positional describes positional arguments in --help, such as
	// "[directory ...]". An aspect without it takes none.
	Positional string

	// Commands are verbs of the command line beside Test.
	Commands []Command

	// SelfTests run by "<binary> Test".
	SelfTests []SelfTest
}

// Caching holds the hints for what clients may cache: Lists for server/discover
// and all lists, Reads for resources/read. The zero hint is: not at all.
type Caching struct {
	Lists, Reads CacheHint
}

// CacheHint says how long a result stays fresh, and whether it is the same for
// every user.
type CacheHint struct {
	Lifetime time.Duration
	Public   bool
}

// Handler answers one request. A *Error becomes a JSON-RPC error with its
// code; any other error becomes, for a tool, a result with isError that the
// client's model can read. The context ends when the client cancels, when
// serving ends, or at the request's time limit.
type Handler func(ctx context.Context, call *Call) (Result, error)

// Tool is one entry of an aspect's tool table.
type Tool struct {
	// Name is required: 1 to 128 letters, digits, "_", "-" and ".".
	Name string
	// Title is for people, Description for models; one line each.
	Title, Description string
	Icons              []Icon
	// Input describes the arguments; nil is an object without any.
	Input Schema
	// Output describes the structured content of results; nil promises none.
	// A result that does not fit it becomes a tool error.
	Output Schema
	// Annotations are hints about what the tool does.
	Annotations *ToolAnnotations
	// Meta is a JSON object for the definition's _meta member.
	Meta json.RawMessage
	// Raw is the tool's definition verbatim, a JSON object, in place of the
	// members above except Name; neither arguments nor results are checked.
	Raw json.RawMessage
	// Handler is required.
	Handler Handler
	// Resume gets calls whose questions were answered; without it Handler runs
	// again.
	Resume Handler
}

// ToolAnnotations are hints for clients. A nil hint is left out, which means
// the specification's default.
type ToolAnnotations struct {
	Title                                                        string
	ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
}

// Hint gives a pointer to the value, for ToolAnnotations.
func Hint(value bool) *bool { return &value }

// Icon is an image that clients may show.
type Icon struct {
	// Source is a URL, or a data: URI. Required.
	Source string
	// MIMEType is optional.
	MIMEType string
	// Sizes are such as "48x48", or "any".
	Sizes []string
	// Theme is "light", "dark", or empty for both.
	Theme string
}

// Initialize is an initialize request.
type Initialize struct {
	// Requested is the protocol version that the client asked for, and
	// Negotiated the one that it gets.
	Requested, Negotiated string
	// Params is the request's params object.
	Params gjson.Result
}

// Notification is a notification of the client.
type Notification struct {
	Method string
	// Params does not exist when the client sent none.
	Params gjson.Result
}
