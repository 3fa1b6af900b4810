package wordart_test

import (
	"io"
	"strings"
	"testing"

	wordart "mcpserver/aspects/wordArt"
	"mcpserver/core"
	"mcpserver/core/server"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(wordart.Aspect()); err != nil {
		t.Error(err)
	}
}

func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), wordart.Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}
