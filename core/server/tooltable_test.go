package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// names gives the tools of a tools/list answer.
func names(answer gjson.Result) (names []string) {
	for _, name := range answer.Get("result.tools.#.name").Array() {
		names = append(names, name.Str)
	}
	return names
}

// Tools come and go from many goroutines while others list and call; each list
// is one state of the table in its fixed order. This is for the race detector.
func TestToolsComeAndGoWhileServing(t *testing.T) {
	served := aspect(fast("zebra"), fast("ant"))
	served.DynamicTools, served.Asynchronous = true, true
	hosts := hosted(served)
	c := ready(t, served, nil)
	host := <-hosts
	var changing sync.WaitGroup
	for worker := range 8 {
		changing.Go(func() {
			for range 50 {
				// A pair, so that a list which shows half of a change is noticed.
				name := fmt.Sprintf("dynamic%d", worker)
				if err := host.AddTools(fast(name)); err != nil {
					t.Error(err)
				}
				if removed := host.RemoveTools(name, "never there"); removed != 1 {
					t.Errorf("RemoveTools(%q) removed %d tools, want 1", name, removed)
				}
			}
		})
	}
	const rounds = 200
	go func() {
		for id := range rounds {
			c.send(list(2*id), call(2*id+1, fmt.Sprintf("dynamic%d", id%8)))
		}
	}()
	for answers := 0; answers < 2*rounds; {
		got := c.next()
		if got.Get("method").Str == "notifications/tools/list_changed" {
			continue
		}
		answers++
		if !got.Get("result.tools").Exists() {
			continue
		}
		listed := names(got)
		middle := slices.Clone(listed[2 : len(listed)-2])
		if listed[0] != "zebra" || listed[1] != "ant" || !slices.IsSorted(middle) || len(slices.Compact(middle)) != len(middle) {
			t.Fatalf("listed %q, want the aspect's own tools, then the others by name, then the built-in ones", listed)
		}
	}
	changing.Wait()
	c.wantEnd()
}

// Changes before the client is ready are told once, afterwards; later ones as
// they come.
func TestListChangedIsToldOnceAfterInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("fast"))
		served.DynamicTools = true
		hosts := hosted(served)
		c := connect(t, served, nil)
		host := <-hosts
		add := func(name string) {
			t.Helper()
			if err := host.AddTools(fast(name)); err != nil {
				t.Fatal(err)
			}
		}
		add("a")
		add("b")
		c.wantNothing()
		c.send(initialize)
		c.wantIDs(`"init"`)
		add("c")
		c.wantNothing()
		c.send(initialized)
		c.wantMethod("notifications/tools/list_changed")
		c.wantNothing()
		c.send(list(1))
		if got, want := names(c.next()), "fast a b c about_tsar-mcp readTrace"; strings.Join(got, " ") != want {
			t.Errorf("listed %q, want %q", got, want)
		}
		add("d")
		c.wantMethod("notifications/tools/list_changed")
		if removed := host.RemoveTools("nothing"); removed != 0 {
			t.Errorf("%d tools were removed, want none", removed)
		}
		c.wantNothing()
		c.send(call(2, "d"))
		c.wantText("2", "d")
		c.wantEnd()
	})
}

// A client that initializes anew is not ready again before it says so.
func TestListChangedWaitsAfterASecondInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.DynamicTools = true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		c.send(initialize)
		c.wantIDs(`"init"`)
		for range 3 {
			if err := host.AddTools(fast("a")); err != nil {
				t.Fatal(err)
			}
		}
		c.wantNothing()
		c.send(initialized)
		c.wantMethod("notifications/tools/list_changed")
		c.wantNothing()
		c.wantEnd()
	})
}

func TestAddToolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("own"))
		served.DynamicTools = true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		for name, tool := range map[string]core.Tool{
			"the aspect's own name": fast("own"),
			"a built-in name":       fast("readTrace"),
			"a bad name":            fast("a b"),
			"no handler":            {Name: "x"},
			"a broken schema":       {Name: "x", Input: core.Object(core.String("", "")), Handler: fast("x").Handler},
		} {
			if err := host.AddTools(tool); err == nil {
				t.Errorf("%s: the tool was added", name)
			}
		}
		c.wantNothing()
		c.wantEnd()
	})
}

func TestAddToolWithoutDynamicTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := connect(t, served, nil)
		if err := (<-hosts).AddTools(fast("a")); err == nil || !strings.Contains(err.Error(), "DynamicTools") {
			t.Errorf("AddTools gave %v, want an error that names DynamicTools", err)
		}
		c.send(initialize)
		if got := c.next(); got.Get("result.capabilities.tools.listChanged").Exists() {
			t.Errorf("listChanged is declared: %s", got.Raw)
		}
		c.wantEnd()
	})
}

// A call that runs is not disturbed when its tool is removed, and a later one
// is told that there is no such tool.
func TestToolRemovedWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect()
		served.DynamicTools = true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		if err := host.AddTools(held("hold", g)); err != nil {
			t.Fatal(err)
		}
		c.wantMethod("notifications/tools/list_changed")
		c.send(call(1, "hold"))
		<-g.reached
		host.RemoveTools("hold")
		c.wantMethod("notifications/tools/list_changed")
		c.send(call(2, "hold"))
		c.wantError("2", -32602, "Unknown tool")
		g.open()
		c.wantText("1", "hold")
		c.wantEnd()
	})
}

// A handler can change the table that it stands in.
func TestHandlerChangesTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "grow", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Text("grown"), call.Host().AddTools(fast("new"))
		}})
		served.DynamicTools = true
		c := ready(t, served, nil)
		c.send(call(1, "grow"))
		c.wantMethod("notifications/tools/list_changed")
		c.wantText("1", "grown")
		c.send(call(2, "new"))
		c.wantText("2", "new")
		c.wantEnd()
	})
}
