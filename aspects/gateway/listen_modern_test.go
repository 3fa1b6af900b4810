//go:build mcp20260728

package gateway_test

import (
	"fmt"
	"testing"

	"github.com/tidwall/gjson"
)

// listen opens a stream and waits for its acknowledgement.
func (c *talk) listen(filter string) (id string) {
	c.t.Helper()
	id = c.request("subscriptions/listen", `{"notifications":`+filter+`}`)
	c.take("the acknowledgement of "+id, func(m gjson.Result) bool {
		return m.Get("method").Str == "notifications/subscriptions/acknowledged" && streamOf(m) == id
	})
	return id
}

func streamOf(m gjson.Result) string {
	return m.Get(`params._meta.io\.modelcontextprotocol/subscriptionId`).Raw
}

// TestModernListen: changes are told on the streams that want them, and only
// there. Servers of both eras have them.
func TestModernListen(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		c := modern(t, f)
		tools := c.listen(`{"toolsListChanged":true}`)
		prompts := c.listen(`{"promptsListChanged":true,"resourcesListChanged":true}`)
		if f.sent("subscriptions/listen") != nil {
			f.await("a stream for all lists", func() bool {
				streams := f.sentLocked("subscriptions/listen")
				filter := streams[len(streams)-1].params.Get("notifications")
				return filter.Get("toolsListChanged").Bool() && filter.Get("promptsListChanged").Bool() && filter.Get("resourcesListChanged").Bool()
			})
		}
		f.has("tools", toolsOf("y")...)
		f.notifyChanged("tools", 3)
		if got := streamOf(c.message("notifications/tools/list_changed")); got != tools {
			t.Errorf("tools have changed on the stream %s, want %s", got, tools)
		}
		f.has("prompts", promptOf("p"))
		f.notifyChanged("prompts", 1)
		if got := streamOf(c.message("notifications/prompts/list_changed")); got != prompts {
			t.Errorf("prompts have changed on the stream %s, want %s", got, prompts)
		}
		f.has("resourceTemplates", templateOf("t://{x}"))
		f.notifyChanged("resources", 1)
		if got := streamOf(c.message("notifications/resources/list_changed")); got != prompts {
			t.Errorf("templates have changed on the stream %s, want %s", got, prompts)
		}
		f.link(0).exit(1)
		for range 2 {
			// It goes and comes back.
			c.message("notifications/prompts/list_changed")
		}
		for _, m := range c.came("notifications/tools/list_changed") {
			if streamOf(m) != tools {
				t.Errorf("tools have changed on the stream %s", streamOf(m))
			}
		}
		c.close()
	}
}

// TestModernSubscriptions: updates are told on the streams that watch the resource,
// also those of a part of it.
func TestModernSubscriptions(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), modernServer(t, "b")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("file:///dir"))
	}
	c := modern(t, a, b)
	plain := c.listen(`{"resourceSubscriptions":["file:///dir"]}`)
	both := c.listen(`{"resourceSubscriptions":["b+file:///dir","file:///dir"]}`)
	a.awaitSent("resources/subscribe", 1)
	b.awaitStream(`["file:///dir"]`)
	for _, test := range []struct {
		server    *fake
		own, told string
		streams   []string
	}{
		{a, "file:///dir", "file:///dir", []string{plain, both}},
		{b, "file:///dir", "b+file:///dir", []string{both}},
		{a, "file:///dir/part", "file:///dir/part", []string{plain, both}},
		{b, "file:///dir/part", "b+file:///dir/part", []string{both}},
	} {
		test.server.updated(test.own)
		got := map[string]string{}
		for range test.streams {
			m := c.message("notifications/resources/updated")
			got[streamOf(m)] = m.Get("params.uri").Str
		}
		want := map[string]string{}
		for _, stream := range test.streams {
			want[stream] = test.told
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("an update of %s of %s is told as %v, want %v", test.own, test.server.name, got, want)
		}
	}
	c.cancel(plain)
	c.cancel(both)
	a.awaitSent("resources/unsubscribe", 1)
	b.await("a stream without resources", func() bool {
		streams := b.sentLocked("subscriptions/listen")
		return !streams[len(streams)-1].params.Get("notifications.resourceSubscriptions").Exists()
	})
	c.fence()
	if got := c.came("notifications/resources/updated"); len(got) > 0 {
		t.Errorf("more was told: %v", got)
	}
}
