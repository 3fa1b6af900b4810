package helloworld_test

import (
	"io"
	"strings"
	"testing"

	helloworld "mcpserver/aspects/helloWorld"
	"mcpserver/core"
	"mcpserver/core/server"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(helloworld.Aspect()); err != nil {
		t.Error(err)
	}
}

func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), helloworld.Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}
