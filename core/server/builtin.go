package server

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

const (
	aboutName     = "about_tsar-mcp"
	readTraceName = "readTrace"

	defaultTraceLines = 50
	maxTraceLines     = 5000

	// coreCredit is what about_tsar-mcp says of the framework.
	coreCredit = "MCPServer for Go, after the TSAR-MCP framework"
)

// builtInTools are the tools that every server has, and those for its prompts.
func (c *connection) builtInTools() []*tool {
	readOnly := &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(false)}
	tools := []*tool{
		{
			Tool: core.Tool{
				Name:        aboutName,
				Description: "Describes this server: identity, protocol versions, hooks, credits and inventory.",
				Annotations: readOnly,
			},
			builtIn: (*request).about,
		},
		{
			Tool: core.Tool{
				Name:        readTraceName,
				Description: "Reads lines of this server's trace.",
				Input: core.Object(
					core.Integer("nLines", "How many lines; 5000 at most").Default("50"),
					core.Boolean("tail", "The last lines rather than the first").Default("true"),
				),
				Annotations: readOnly,
			},
			builtIn: (*request).readTrace,
		},
	}
	if c.hasPrompts() {
		tools = append(tools, promptTools()...)
	}
	return tools
}

// about serves about_tsar-mcp.
func (q *request) about() (core.Result, error) {
	c := q.connection
	a := c.aspect
	requested := q.session.requested
	if requested == "" {
		requested = "not told"
	}
	var text strings.Builder
	line := func(label, value string) { fmt.Fprintf(&text, "%s: %s\n", label, value) }
	line("Name", a.Name)
	line("Version", a.Version)
	if a.Title != "" {
		line("Title", a.Title)
	}
	line("Client", requested+describeClient(q.session.clientInfo))
	line("Server", protocol.Ceiling.String())
	line("Speak", q.session.revision.String())
	line("Asynchronous", onOff(a.Asynchronous))
	line("Hooks", strings.Join(hooksInUse(a), ", "))
	line("Tools", c.tables.tools.inventory())
	line("Prompts", c.tables.prompts.inventory())
	line("Resources", c.tables.resources.inventory())
	line("Templates", c.tables.templates.inventory())
	for _, reason := range c.tables.leftOut.lines() {
		line("Left out", reason)
	}
	for _, more := range c.aboutAspect() {
		fmt.Fprintln(&text, lineBreaks.Replace(more))
	}
	line("Core credit", coreCredit)
	if a.Credit != "" {
		line("Aspect credit", a.Credit)
	}
	return core.Text(strings.TrimSuffix(text.String(), "\n")), nil
}

// lineBreaks makes one line of a text.
var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// aboutAspect gives what the aspect adds.
func (c *connection) aboutAspect() (lines []string) {
	if c.aspect.About == nil {
		return nil
	}
	c.aside("About", func() { lines = c.aspect.About() })
	return lines
}

func describeClient(info string) string {
	name := gjson.Get(info, "name").String()
	if name == "" {
		return ""
	}
	return " (" + strings.TrimSpace(shorten(name)+" "+shorten(gjson.Get(info, "version").String())) + ")"
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func hooksInUse(a *core.Aspect) []string {
	hooks := []struct {
		name string
		used bool
	}{
		{"OnStartup", a.OnStartup != nil},
		{"Prepare", a.Prepare != nil},
		{"OnInitialize", a.OnInitialize != nil},
		{"OnInitialized", a.OnInitialized != nil},
		{"OnFirstRequest", a.OnFirstRequest != nil},
		{"OnShutdown", a.OnShutdown != nil},
		{"OnToolsCall", a.OnToolsCall != nil},
		{"OnPromptsGet", a.OnPromptsGet != nil},
		{"OnComplete", a.OnComplete != nil},
		{"OnResourcesRead", a.OnResourcesRead != nil},
		{"OnList", a.OnList != nil},
		{"OnSubscribe", a.OnSubscribe != nil},
		{"OnUnsubscribe", a.OnUnsubscribe != nil},
		{"OnMethod", a.OnMethod != nil},
		{"OnSetLevel", a.OnSetLevel != nil},
		{"OnNotification", a.OnNotification != nil},
	}
	var used []string
	for _, hook := range hooks {
		if hook.used {
			used = append(used, hook.name)
		}
	}
	if len(used) == 0 {
		return []string{"none"}
	}
	return used
}

// readTrace serves the tool of that name.
func (q *request) readTrace() (core.Result, error) {
	count, err := q.call.Int("nLines", defaultTraceLines)
	if err != nil {
		return nil, err
	}
	tail, err := q.call.Bool("tail", true)
	if err != nil {
		return nil, err
	}
	if count < 1 {
		count = defaultTraceLines
	}
	count = min(count, maxTraceLines)
	read := q.connection.trace.Head
	if tail {
		read = q.connection.trace.Tail
	}
	lines := read(int(count))
	if len(lines) == 0 {
		return core.Text("Nothing was traced. Start the server with --info, --debug or --trace to have more than errors traced."), nil
	}
	return core.Text(strings.Join(lines, "\n")), nil
}
