package toolserver

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"mcpserver/core/internal/envelope"
)

// maxWords is the most of a panic's value or an unknown tool's name that is
// repeated, in bytes.
const maxWords = 1000

// Execute implements Server: it reads the arguments as ParseArguments does and
// runs the tool. When that goes well and the tool has an anchor key for the
// arguments, a ContextAnchor with it follows the tool's own directives.
//
// A call fails when there is no such tool, when the tool returns an error,
// panics or ends its goroutine, and when the arguments have more than 64 MiB.
// Then the response has IsError, the reason as its result, and no directives.
// Nothing of it reaches the caller in another way; only what ends a whole
// process (a fatal error of the Go runtime, a panic in a goroutine that the
// tool has started) still does.
//
// A tool is not begun when the context has ended. Once begun, it runs in a
// goroutine that Execute waits for, so that nothing goes on behind an answer: a
// tool that ignores its context keeps its caller waiting.
func (b *Base) Execute(ctx context.Context, tool, arguments string) string {
	done := b.run(ctx, tool, arguments)
	answer := done.envelope().JSON()
	if recorder := callOf(ctx).recorder; recorder != nil {
		recorder.keep(answer, done)
	}
	return answer
}

// execution is how a call of a tool came out.
type execution struct {
	Outcome
	// asks is what has to be asked of the person before the tool can go on.
	asks *unansweredError
}

func failed(format string, arguments ...any) execution {
	return execution{Outcome: Outcome{Result: fmt.Sprintf(format, arguments...), IsError: true}}
}

func (e execution) envelope() envelope.Envelope {
	made := envelope.Envelope{Result: e.Result, IsError: e.IsError}
	for _, directive := range e.Directives {
		made.Directives = append(made.Directives, directive.inner)
	}
	return made
}

func (b *Base) run(ctx context.Context, name, arguments string) execution {
	tool, found := b.registry.Tool(name)
	switch {
	case !found:
		return failed("there is no tool %q in the server %q", shorten(name), b.name)
	case len(arguments) > maxArguments:
		return failed("the arguments have %d bytes, more than the %d that are taken", len(arguments), maxArguments)
	case ctx.Err() != nil:
		return failed("the call of %s was not begun: %v", name, ctx.Err())
	}
	done := make(chan execution, 1)
	// The goroutine ends with the tool. It is there for a tool that ends its
	// goroutine, which would otherwise be the caller's.
	go func() {
		result := failed("the tool %s ended without an answer", name)
		defer func() { done <- result }()
		defer func() {
			if value := recover(); value != nil {
				result = failed("the tool %s failed unexpectedly: %s", name, shorten(fmt.Sprint(value)))
				reportPanic(ctx, name, value, debug.Stack())
			}
		}()
		result = perform(ctx, tool, ParseArguments(arguments))
	}()
	return <-done
}

// perform runs the tool's own code.
func perform(ctx context.Context, tool Tool, arguments Arguments) execution {
	outcome, err := tool.Execute(ctx, arguments)
	if err != nil {
		reason := err.Error()
		if reason == "" {
			reason = "it does not say why"
		}
		result := failed("%s", reason)
		errors.As(err, &result.asks)
		return result
	}
	if outcome.IsError {
		outcome.Directives = nil
		return execution{Outcome: outcome}
	}
	if tool.AnchorKey == nil {
		return execution{Outcome: outcome}
	}
	if key := tool.AnchorKey(arguments); key != "" {
		outcome.Directives = append(slices.Clip(outcome.Directives), ContextAnchor(key, ""))
	}
	return execution{Outcome: outcome}
}

// reportPanic must not panic itself: the caller waits for the answer.
func reportPanic(ctx context.Context, tool string, value any, stack []byte) {
	report := callOf(ctx).panicked
	if report == nil {
		return
	}
	defer func() { _ = recover() }()
	report(tool, value, stack)
}

func shorten(text string) string {
	if len(text) <= maxWords {
		return text
	}
	return text[:maxWords] + "…"
}
