package gateway

import (
	"context"
	"time"

	"mcpserver/core"
)

// awaitLists lets the first lists wait for servers that are still starting: many
// clients ask once, and never again.
func (g *gateway) awaitLists(ctx context.Context, _ *core.Call) {
	limit, stop := g.untilListed(ctx)
	defer stop()
	for _, u := range g.upstreams {
		select {
		case <-u.settled:
		case <-limit.Done():
			return
		}
	}
}

// untilListed gives a context that ends when nobody waits any longer for servers
// that are still starting.
func (g *gateway) untilListed(ctx context.Context) (context.Context, context.CancelFunc) {
	var began time.Time
	if opened := g.opened.Load(); opened != nil {
		began = *opened
	}
	return context.WithDeadline(ctx, began.Add(g.settings.listWait))
}

// beforeDeadline gives a context that ends that long before another one does.
func beforeDeadline(ctx context.Context, before time.Duration) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-before))
}
