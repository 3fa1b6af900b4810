package wordart_test

import (
	"testing"

	wordart "mcpserver/aspects/wordArt"
	"mcpserver/core"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(wordart.Aspect()); err != nil {
		t.Error(err)
	}
}
