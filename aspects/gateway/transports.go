package gateway

import (
	"strings"
	"time"

	"mcpserver/aspects/gateway/config"
	"mcpserver/core/client/transport"
)

const (
	// childGrace is how long a child has to end after its stdin was closed, and
	// again after SIGTERM.
	childGrace = 400 * time.Millisecond
	// killTime is how long before the end of the process children are killed.
	killTime = 200 * time.Millisecond
)

// transportOf makes the way to a server. It is the only place that does, so that
// no setting of an entry is lost on one way and not on another.
func transportOf(entry config.Entry, settings *settings, hurry <-chan struct{}) transport.Transport {
	if entry.Type == config.Stdio {
		environment := make(map[string]string, len(entry.Env))
		var without []string
		for _, variable := range entry.Env {
			if variable.Unset {
				without = append(without, variable.Name)
				continue
			}
			environment[variable.Name] = variable.Value
		}
		return &transport.Stdio{
			Command:       entry.Command,
			Arguments:     entry.Args,
			Directory:     entry.Dir,
			Environment:   environment,
			Inherit:       settings.inherit,
			Without:       without,
			Grace:         childGrace,
			Hurry:         hurry,
			DieWithParent: true,
		}
	}
	headers := make(map[string]string, len(entry.Headers))
	for _, header := range entry.Headers {
		headers[header.Name] = header.Value
	}
	return &transport.HTTP{URL: entry.URL, EventsFirst: entry.Type == config.SSE, Headers: headers}
}

// oneLine gives an error's text on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
