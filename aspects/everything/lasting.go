package everything

import (
	"context"
	"fmt"
	"time"

	"mcpserver/core"
)

// beat is the pause between the messages of the tools that send some.
const beat = 50 * time.Millisecond

// lastingTools take their time.
func lastingTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "test_tool_with_progress",
			Description: "Reports progress three times (0, 50 and 100 of 100) and answers, all within a tenth of a second. Only a client that asks for progress gets it.",
			Handler:     reportProgress,
		},
		{
			Name:        "longRunning",
			Title:       "Long-running work",
			Description: "Does nothing for as long as you say, reports its progress after each step with a message, and can be cancelled.",
			Input: core.ClosedObject(
				core.Number("seconds", "How long it takes in all").Minimum(0).Maximum(600).Default("5"),
				core.Integer("steps", "In how many steps").Minimum(1).Maximum(100).Default("5"),
			),
			Handler: workLong,
		},
		{
			Name:        "answerLater",
			Title:       "Deferred answer",
			Description: "Puts its answer off: the handler is done at once, the answer comes after the time that you say. Until then it can be cancelled.",
			Input: core.ClosedObject(
				core.Number("seconds", "After how long the answer comes").Minimum(0).Maximum(600).Default("2"),
			),
			Handler: answerLater,
		},
	}
}

// pause waits. The error says that the context has ended first.
func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func reportProgress(ctx context.Context, call *core.Call) (core.Result, error) {
	const total = 100
	for progress := 0; progress <= total; progress += 50 {
		if progress > 0 {
			if err := pause(ctx, beat); err != nil {
				return nil, err
			}
		}
		call.Progress(float64(progress), total, "")
	}
	return core.Text("Progress was reported three times."), nil
}

func workLong(ctx context.Context, call *core.Call) (core.Result, error) {
	duration, err := seconds(call, 5)
	if err != nil {
		return nil, err
	}
	steps, err := call.Int("steps", 5)
	if err != nil {
		return nil, err
	}
	for step := range steps {
		if err := pause(ctx, duration/time.Duration(steps)); err != nil {
			call.Host().Tracef(core.TraceInfo, "longRunning ends after %d of %d steps: %v", step, steps, err)
			return nil, err
		}
		call.Progress(float64(step+1), float64(steps), fmt.Sprintf("Step %d of %d is done.", step+1, steps))
	}
	return core.Text(fmt.Sprintf("Done after %v; steps: %d", duration, steps)), nil
}

func answerLater(ctx context.Context, call *core.Call) (core.Result, error) {
	duration, err := seconds(call, 2)
	if err != nil {
		return nil, err
	}
	later := call.Defer()
	go func() { // ends with the pause, which ends with the call
		var answer core.Result
		err := pause(ctx, duration)
		if err == nil {
			answer = core.Text(fmt.Sprintf("This answer came %v after its handler.", duration))
		}
		if err := later.Complete(answer, err); err != nil {
			call.Host().Tracef(core.TraceDebug, "nobody waits for the answer of answerLater: %v", err)
		}
	}()
	return core.Pending, nil
}

func seconds(call *core.Call, fallback float64) (time.Duration, error) {
	given, err := call.Float("seconds", fallback)
	if err != nil {
		return 0, err
	}
	return time.Duration(given * float64(time.Second)), nil
}
