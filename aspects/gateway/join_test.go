package gateway_test

import (
	"slices"
	"testing"
)

func TestJoinsServers(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), modernServer(t, "b", "x", "y")
	c := legacy(t, a, b)
	if got := c.tools(); !slices.Equal(got, []string{"a.x", "b.x", "b.y"}) {
		t.Errorf("the tools are %q", got)
	}
	c.wantText("a.x", "a:x")
	c.wantText("b.x", "b:x")
	c.wantText("b.y", "b:y")
}
