package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tidwall/sjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// Options are how Aspect serves a server. The zero Options will do.
type Options struct {
	// Aspect is what the aspect is made of beside the tools: who it is, its
	// flags, hooks, prompts, self-tests. Without a name it is called
	// "MCPServer_" and the server's name, without a version "0.0.0". Its own
	// tools come first; its OnStartup runs first.
	Aspect core.Aspect
	// Validator makes what checks the arguments of tools whose RawSchema came
	// without a validator, such as jsonschema.Raw. A tool whose validator is
	// invalid cannot be served.
	Validator func(inputSchema string) core.Schema
}

// Aspect makes an aspect that serves the server over MCP; nil options are the
// zero ones. The aspect lists what the server's ListTools lists and calls its
// Execute, so what a concrete server overrides counts for MCP as well. Title,
// output schema, annotations and access come from the Registry's tool of the
// same name; without one there, access is Write.
//
// Arguments that do not fit the tool's schema never reach Execute. A response
// with IsError is a tool result with isError. Directives are dropped.
// Outcome.Content and Outcome.Structured, and what a tool has to Ask, go to the
// client if Execute gives back what Base.Execute gave it; a response that an
// override has made or changed is sent as it is, as a text. Of a server that
// overrides neither ListTools nor Execute, its *Base can be given: no response
// is made then, which nobody would read.
//
// A tool that is registered later is served from then on, and clients are told.
// One that cannot be is left out and named in the trace; among those that are
// there from the start, it is an error of the start.
func Aspect(server Server, options *Options) *core.Aspect {
	if options == nil {
		options = &Options{}
	}
	made := options.Aspect
	if made.Name == "" {
		made.Name = "MCPServer_" + server.Name()
	}
	if made.Version == "" {
		made.Version = "0.0.0"
	}
	made.DynamicTools = true
	b := &bridge{server: server, validator: options.Validator, startup: options.Aspect.OnStartup, first: make(map[string]bool)}
	tools, problems := b.tools(nil)
	for _, tool := range tools {
		b.first[tool.Name] = true
	}
	b.problem = errors.Join(problems...)
	made.Tools = slices.Concat(made.Tools, tools)
	made.OnStartup = b.onStartup
	return &made
}

// bridge serves one server over MCP.
type bridge struct {
	server    Server
	validator func(string) core.Schema
	startup   func(context.Context, core.Host) error
	first     map[string]bool // the tools of the aspect's own table
	problem   error           // what was wrong with those
}

// onStartup runs for each connection that the aspect is served on.
func (b *bridge) onStartup(ctx context.Context, host core.Host) error {
	if b.startup != nil {
		if err := b.startup(ctx, host); err != nil {
			return err
		}
	}
	if b.problem != nil {
		return b.problem
	}
	late := &lateTools{bridge: b, host: host, added: make(map[string]bool), refused: make(map[string]bool)}
	stop := b.server.Registry().watch(late.add)
	context.AfterFunc(ctx, stop)
	late.add() // those that came since the aspect was made
	return nil
}

// lateTools are the tools that come while one connection is served.
type lateTools struct {
	bridge *bridge
	host   core.Host

	mu      sync.Mutex // guards what follows
	added   map[string]bool
	refused map[string]bool // problems that were traced
}

func (l *lateTools) add() {
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, problems := l.bridge.tools(func(name string) bool { return l.bridge.first[name] || l.added[name] })
	for _, tool := range tools {
		if err := l.host.AddTools(tool); err != nil {
			problems = append(problems, err)
			continue
		}
		l.added[tool.Name] = true
	}
	for _, problem := range problems {
		if text := problem.Error(); !l.refused[text] {
			l.refused[text] = true
			l.host.Tracef(core.TraceError, "left out of the tools: %v", problem)
		}
	}
}

// tools gives what the server lists, without those that are known.
func (b *bridge) tools(known func(name string) bool) (tools []core.Tool, problems []error) {
	list, err := listed(b.server)
	if err != nil {
		return nil, []error{err}
	}
	for _, entry := range list {
		if known != nil && known(entry.Name) {
			continue
		}
		tool, err := b.tool(entry)
		if err != nil {
			problems = append(problems, fmt.Errorf("the tool %q: %w", entry.Name, err))
			continue
		}
		tools = append(tools, tool)
	}
	return tools, problems
}

// listing is one entry of ListTools.
type listing struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

func listed(server Server) (list []listing, err error) {
	if err = json.Unmarshal([]byte(server.ListTools()), &list); err != nil {
		return nil, fmt.Errorf("ListTools of the server %q: %w", server.Name(), err)
	}
	return list, nil
}

func (b *bridge) tool(entry listing) (core.Tool, error) {
	registered, _ := b.server.Registry().Tool(entry.Name)
	definition := registered.Definition
	input, err := b.input(definition, entry.InputSchema)
	if err != nil {
		return core.Tool{}, fmt.Errorf("its input schema: %w", err)
	}
	listed := core.Tool{
		Name: entry.Name, Title: definition.Title, Description: entry.Description, Icons: definition.Icons,
		Input: input, Meta: definition.Meta, Annotations: annotations(definition.Annotations, registered.Access),
	}
	raw, err := listed.AppendDefinition(nil, protocol.V20260728)
	if err != nil {
		return core.Tool{}, err
	}
	if len(definition.Output) > 0 {
		if raw, err = sjson.SetRawBytes(raw, "outputSchema", definition.Output); err != nil {
			return core.Tool{}, fmt.Errorf("its output schema: %w", err)
		}
	}
	handler := b.handler(input)
	// A tool with a Resume takes no answers in a call's first round. So nothing
	// that a client sends unasked, without the state of a question, is a reply.
	return core.Tool{Name: entry.Name, Raw: raw, Handler: handler, Resume: handler}, nil
}

// input gives the schema of what is listed: that of the definition, unless
// ListTools has been overridden to list another one.
func (b *bridge) input(definition Definition, listed json.RawMessage) (core.Schema, error) {
	input := RawSchema(listed, nil)
	if err := input.Validate(); err != nil {
		return nil, err
	}
	if own := definition.input(); string(own.AppendJSON(nil)) == string(input.AppendJSON(nil)) {
		input = own
	}
	raw, isRaw := input.(*rawSchema)
	if !isRaw || raw.validator != nil || b.validator == nil {
		return input, nil
	}
	checked := RawSchema(raw.json, b.validator(string(raw.json)))
	if err := checked.Validate(); err != nil {
		return nil, err
	}
	return checked, nil
}

// annotations says what the access means. The author may know more.
func annotations(own *core.ToolAnnotations, access Access) *core.ToolAnnotations {
	var made core.ToolAnnotations
	if own != nil {
		made = *own
	}
	made.ReadOnlyHint = core.Hint(access == Read)
	if access != Read && made.DestructiveHint == nil {
		made.DestructiveHint = core.Hint(true)
	}
	return &made
}

func (b *bridge) handler(input core.Schema) core.Handler {
	return func(ctx context.Context, request *core.Call) (core.Result, error) {
		if err := checkArguments(input, request.ArgumentsText(), request.Members()); err != nil {
			return nil, err
		}
		record := &recorder{}
		ctx = context.WithValue(ctx, callKey{}, call{
			progress: request.Progress,
			ask:      askerOf(request),
			recorder: record,
			panicked: func(tool string, value any, stack []byte) {
				request.Host().Tracef(core.TraceError, "the tool %s panicked: %v\n%s", tool, value, stack)
			},
		})
		arguments := request.Arguments().Raw
		if base, isBase := b.server.(*Base); isBase {
			return base.run(ctx, request.Name(), arguments).result(request)
		}
		answer := b.server.Execute(ctx, request.Name(), arguments)
		if done, known := record.of(answer); known {
			return done.result(request)
		}
		response, err := ParseResponse(answer)
		if err != nil {
			return nil, err
		}
		return Outcome{Result: response.Result, IsError: response.IsError}.toolResult(), nil
	}
}

// result gives what the client gets of a call that came out so.
func (e execution) result(request *core.Call) (core.Result, error) {
	if e.asks == nil {
		return e.toolResult(), nil
	}
	inputs := make(core.Inputs)
	for _, question := range e.asks.questions {
		inputs[question.key()] = core.Elicitation{Message: question.Message, Schema: question.form(), HandleRefusal: true}
	}
	return request.RequireInput(inputs, nil)
}

func (o Outcome) toolResult() core.Result {
	if result, ok := o.textResult(); ok {
		return result
	}
	content := o.Content
	if len(content) == 0 && (o.Result != "" || o.Structured == nil) {
		content = []core.Block{core.TextBlock{Text: o.Result}}
	}
	return &core.ToolResult{Content: content, Structured: o.Structured, IsError: o.IsError}
}

// askerOf looks for the answers that came with the call.
func askerOf(request *core.Call) Asker {
	return func(_ context.Context, question Question) (Reply, error) {
		if answer, given := request.Input(question.key()); given {
			return Reply{Action: answer.Action(), Content: answer.Content()}, nil
		}
		if !takesForms(request) {
			return Reply{}, fmt.Errorf("%w: the client does not offer it (elicitation)", ErrNobodyToAsk)
		}
		return Reply{}, &unansweredError{[]Question{question}}
	}
}

// takesForms reports whether the client can show a form. A client that names no
// mode of elicitation means forms.
func takesForms(request *core.Call) bool {
	elicitation := request.ClientCapabilities().Get("elicitation")
	hasForms := elicitation.Get("form").Exists() || !elicitation.Get("url").Exists()
	return elicitation.IsObject() && hasForms && request.ProtocolVersion() >= protocol.V20250618.String()
}
