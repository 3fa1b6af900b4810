package myaspect

import (
	"io"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/server"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(Aspect()); err != nil {
		t.Error(err)
	}
}

// TestSelfTests runs what "MCPServer_myAspect Test" does.
func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}
