package gateway

import (
	"context"
	"time"

	"mcpserver/core"
)

// awaitLists lets the first lists wait for servers that are still starting: many
// clients ask once, and never again.
func (g *gateway) awaitLists(ctx context.Context, _ *core.Call) {
	if g.settings.listWait == 0 || len(g.upstreams) == 0 {
		return
	}
	began := g.opened.Load()
	if began == nil {
		return
	}
	limit, stop := context.WithDeadline(ctx, began.Add(g.settings.listWait))
	defer stop()
	for _, u := range g.upstreams {
		select {
		case <-u.settled:
		case <-limit.Done():
			return
		}
	}
}

// beforeDeadline gives a context that ends that long before another one does.
func beforeDeadline(ctx context.Context, before time.Duration) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-before))
}
