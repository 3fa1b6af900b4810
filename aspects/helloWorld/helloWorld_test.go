package helloworld_test

import (
	"testing"

	helloworld "mcpserver/aspects/helloWorld"
	"mcpserver/core"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(helloworld.Aspect()); err != nil {
		t.Error(err)
	}
}
