package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"mcpserver/aspects/gateway/config"
	"mcpserver/core"
)

// checked is what Check has found out about a server.
type checked struct {
	Server   string   `json:"server"`
	State    string   `json:"state"`
	Era      string   `json:"era,omitempty"`
	Revision string   `json:"revision,omitempty"`
	Tools    int      `json:"tools"`
	Millis   int64    `json:"milliseconds"`
	Reason   string   `json:"reason,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// mostNotes is how many notes about a server stand below the table.
const mostNotes = 5

const (
	stateWell   = "ok"
	stateFailed = "failed"
)

// report is all that Check prints with --json.
type report struct {
	Servers  []checked `json:"servers"`
	Problems []string  `json:"problems,omitempty"`
}

// check connects to every server and prints what it finds. The error says that
// not all is well.
func (g *gateway) check(ctx context.Context, terminal core.Terminal) error {
	if err := g.settings.check(); err != nil {
		return err
	}
	if len(terminal.Args) > 0 {
		return fmt.Errorf("unexpected argument %q: Check takes none, and --only names servers", terminal.Args[0])
	}
	var ask func(config.Input) (string, error)
	if terminal.Interactive {
		ask = asker(ctx, terminal)
	}
	servers, err := g.settings.servers(ask)
	if err != nil {
		if g.settings.json {
			return errors.Join(printReport(terminal.Out, report{Servers: []checked{}, Problems: []string{err.Error()}}, true), err)
		}
		return err
	}
	if ctx.Err() != nil {
		return errors.New("it was interrupted")
	}
	g.context = ctx
	if err := g.configure(servers); err != nil {
		return err
	}
	found := g.checkAll(ctx)
	if err := printReport(terminal.Out, found, g.settings.json); err != nil {
		return err
	}
	failed := len(found.Problems)
	for _, server := range found.Servers {
		if server.State != stateWell {
			failed++
		}
	}
	switch {
	case len(found.Servers) == 0 && failed == 0:
		return errors.New("there is no enabled server in the configuration")
	case failed > 0:
		return errors.New("not all is well")
	}
	return nil
}

// checkAll connects to all servers, side by side.
func (g *gateway) checkAll(ctx context.Context) report {
	found := report{Servers: make([]checked, len(g.upstreams)), Problems: g.problems}
	var all sync.WaitGroup
	for i, u := range g.upstreams {
		all.Go(func() { found.Servers[i] = u.check(ctx) })
	}
	all.Wait()
	g.join(allLists)
	for i, u := range g.upstreams {
		found.Servers[i].Tools = g.routes.Load().toolsOf(u)
		found.Servers[i].Notes = u.notes()
	}
	all = sync.WaitGroup{}
	for _, u := range g.upstreams {
		all.Go(u.close)
	}
	all.Wait()
	return found
}

// check connects to the server and reads its lists.
func (u *upstream) check(ctx context.Context) checked {
	began := time.Now()
	result := checked{Server: u.name, State: stateFailed}
	if reason := u.failure(); reason != nil {
		result.Reason = u.reasonOf(reason)
		return result
	}
	u.client = u.newClient(carriedAtMost)
	err := u.client.Connect(ctx)
	result.Millis = time.Since(began).Milliseconds()
	if err != nil {
		result.Reason = u.reasonOf(err)
		return result
	}
	info, _ := u.client.Server()
	result.Era, result.Revision = info.Era.String(), info.Version
	failed := u.read(ctx, allLists)
	result.Millis = time.Since(began).Milliseconds()
	if failed != 0 {
		result.Reason = u.unread()
		return result
	}
	result.State = stateWell
	return result
}

// unread says which lists could not be read, and why.
func (u *upstream) unread() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var reasons []string
	for _, list := range []lists{toolsList, promptsList, resourcesList} {
		if reason := u.failures[list]; reason != "" {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// failure gives why the server cannot be tried, or nil.
func (u *upstream) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.reason
}

// printReport prints a table, and below it what is to be known.
func printReport(out io.Writer, found report, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(found)
	}
	var aligned strings.Builder
	table := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SERVER\tSTATE\tERA\tREVISION\tTOOLS\tTIME\tREASON")
	for _, s := range found.Servers {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d ms\t%s\n", s.Server, s.State, orDash(s.Era), orDash(s.Revision), s.Tools, s.Millis, s.Reason)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	for _, problem := range found.Problems {
		fmt.Fprintln(out, problem)
	}
	for _, s := range found.Servers {
		for _, note := range s.Notes[:min(len(s.Notes), mostNotes)] {
			fmt.Fprintf(out, "%s: %s\n", s.Server, note)
		}
		if more := len(s.Notes) - mostNotes; more > 0 {
			fmt.Fprintf(out, "%s: and %d more, which --json has\n", s.Server, more)
		}
	}
	return nil
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// asker asks the person at a terminal for inputs, until the context ends.
func asker(ctx context.Context, terminal core.Terminal) func(config.Input) (string, error) {
	lines := bufio.NewReader(terminal.In)
	return func(input config.Input) (string, error) {
		question := input.ID
		if input.Description != "" {
			question = input.Description + " (" + input.ID + ")"
		}
		if _, err := fmt.Fprintf(terminal.Err, "%s: ", question); err != nil {
			return "", err
		}
		if input.Password {
			show, err := terminal.Hide()
			if err != nil {
				return "", fmt.Errorf("the terminal cannot hide what is typed: %w", err)
			}
			defer fmt.Fprintln(terminal.Err)
			defer show()
		}
		return readLine(ctx, lines)
	}
}

// readLine reads what the person types. When the context ends, the goroutine that
// reads is left behind: the process is about to end.
func readLine(ctx context.Context, lines *bufio.Reader) (string, error) {
	type typed struct {
		line string
		err  error
	}
	result := make(chan typed, 1)
	go func() {
		line, err := lines.ReadString('\n')
		result <- typed{line, err}
	}()
	select {
	case read := <-result:
		if read.err != nil && read.line == "" {
			return "", fmt.Errorf("no value was given: %w", read.err)
		}
		return strings.TrimRight(read.line, "\r\n"), nil
	case <-ctx.Done():
		return "", errors.New("no value was given")
	}
}
