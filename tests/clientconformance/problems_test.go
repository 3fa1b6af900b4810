//go:build conformance

package clientconformance

import "testing"

func TestProblems(t *testing.T) {
	good := check{ID: "a", Name: "A", Status: "SUCCESS"}
	valid := check{ID: "wire-schema-valid", Status: "SUCCESS"}
	for _, test := range []struct {
		name     string
		checks   []check
		unasked  []string
		problems int
	}{
		{"one that is good", []check{good, valid, {Status: "INFO"}}, nil, 0},
		{"nothing", nil, nil, 1},
		{"valid messages alone", []check{valid}, nil, 1},
		{"a failure", []check{good, {Status: "FAILURE"}}, nil, 1},
		{"a warning", []check{good, {Status: "WARNING"}}, nil, 1},
		{"a skipped one", []check{good, {Name: "B", Status: "SKIPPED"}}, nil, 1},
		{"a skipped one that is known", []check{good, {Name: "B", Status: "SKIPPED"}}, []string{"B"}, 0},
		{"one that was skipped once", []check{good}, []string{"A"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scenario{unasked: test.unasked}
			if problems := s.problems(test.checks); len(problems) != test.problems {
				t.Errorf("the problems are %q, want %d", problems, test.problems)
			}
		})
	}
}
