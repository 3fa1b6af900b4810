package probe_test

import (
	"testing"

	"mcpserver/core"
	"mcpserver/tests/probe"
)

func TestAspectsAreValid(t *testing.T) {
	for _, aspect := range []*core.Aspect{
		probe.Aspect(),
		probe.AsyncAspect(),
		probe.Unattended(),
		probe.Hooks(),
		probe.Dynamic(),
		probe.Library(),
		probe.Preparing(),
	} {
		if err := core.Validate(aspect); err != nil {
			t.Errorf("Validate(%s) = %v, want nil", aspect.Name, err)
		}
	}
	if err := core.Validate(probe.Broken()); err == nil {
		t.Error("Validate(Broken) = nil, want its faults")
	}
}
