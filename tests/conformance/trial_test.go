package main

import (
	"strings"
	"testing"
)

func TestTrials(t *testing.T) {
	all := func(s status) map[string]status { return map[string]status{"a": s, "b": s, "c": s} }
	without := func(name string) map[string]status {
		checks := all(success)
		delete(checks, name)
		return checks
	}
	exceptC := exceptions{"2025-11-25": {"c"}}
	for _, test := range []struct {
		name   string
		fake   fake
		scored int
		except exceptions
		want   string // in what is printed of an unfit server; "" is a fit one
	}{
		{"all passes", fake{Checks: all(success)}, 2, nil, ""},
		{"all fails", fake{Checks: all(failure), SuiteExit: 1}, 2, nil, "failure x: that is so"},
		{"a warning", fake{Checks: all(warning)}, 2, nil, "warning x: that is so"},
		{"a check is skipped", fake{Checks: all(skipped)}, 2, nil, "skipped x: that is so"},
		{"nothing is checked", fake{Checks: all("INFO")}, 2, nil, "no check succeeds"},
		{"a scored scenario did not run", fake{Checks: without("b")}, 2, nil, "it did not run"},
		{"another did not run", fake{Checks: without("c")}, 2, nil, "it did not run"},
		{"an exception did not run", fake{Checks: without("c")}, 2, exceptC, "it did not run"},
		{"an exception passes", fake{Checks: all(success)}, 2, exceptC, "excepts it, and it passes"},
		{"an exception fails", fake{Checks: map[string]status{"a": success, "b": success, "c": failure}}, 2, exceptC, ""},
		{"an exception is scored", fake{Checks: all(success)}, 2, exceptions{"2025-11-25": {"a"}}, "excepts it, and it is scored"},
		{"an exception is unknown", fake{Checks: all(success)}, 2, exceptions{"2025-11-25": {"d"}}, "excepts d, which 2025-11-25 has not"},
		{"an exception of another revision", fake{Checks: all(success)}, 2, exceptions{"2026-07-28": {"d"}}, ""},
		{"fewer scenarios than expected", fake{Checks: all(success)}, 3, nil, "the suite requires 2 scenarios, 3 are expected"},
		{"the suite is not content", fake{Checks: all(success), SuiteExit: 1}, 2, nil, "the suite itself is not content"},
		{"the bridge finds a fault", fake{Checks: all(success), ServerSays: "hello\n"}, 2, nil, "a line is no message"},
		{"a message is not valid", fake{Checks: all(success), Violations: "here: no\n"}, 2, nil, "here: no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := test.fake.judge(t, test.scored, test.except)
			if err != nil {
				t.Fatal(err)
			}
			var printed strings.Builder
			r.print(&printed)
			isFit := test.want == ""
			if r.isFit() != isFit || !strings.Contains(printed.String(), test.want) {
				t.Errorf("the server is fit: %t, want %t and %q in\n%s", r.isFit(), isFit, test.want, printed.String())
			}
		})
	}
}

func TestTrialWithoutJudgement(t *testing.T) {
	if r, err := (fake{SuiteExit: 1}).judge(t, 2, nil); err == nil {
		t.Errorf("a suite that runs nothing gave %+v, want an error", r)
	}
	s := suite{node: "/no/such/node", program: "suite"}
	if r, err := s.judge(t.Context(), trial{}, t.TempDir(), nil); err == nil {
		t.Errorf("without Node.js there is %+v, want an error", r)
	}
}

func TestReport(t *testing.T) {
	r, err := fake{Checks: map[string]status{"a": success, "b": failure, "c": "INFO"}}.judge(t, 2, exceptions{"2025-11-25": {"c"}})
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	r.print(&printed)
	want := `Requirements of 2025-11-25, clamped build
      scenario                                        passed  failed
pass  a                                                    2       0
FAIL  b                                                    1       1
      not all checks pass
      failure x: that is so
none  c                                                    1       0  not scored: pending

`
	if got := printed.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := r.summary(), "| 2025-11-25 | clamped | 1 of 2 | 0 of 1 |"; got != want {
		t.Errorf("got the summary %q, want %q", got, want)
	}
}

func TestConclusion(t *testing.T) {
	fit := report{judgements: []judgement{{verdict: passed}, {verdict: excepted}}}
	unfit := report{judgements: []judgement{{verdict: passed}, {verdict: failed}}}
	for _, test := range []struct {
		name     string
		reports  []report
		problems []string
		isFit    bool
	}{
		{"fit", []report{fit, fit}, nil, true},
		{"one unfit", []report{unfit, fit}, nil, false},
		{"a document that is wrong", []report{fit}, []string{"the document"}, false},
	} {
		var printed strings.Builder
		if err := conclude(&printed, test.reports, test.problems); (err == nil) != test.isFit {
			t.Errorf("%s: got error %v, want fit: %t", test.name, err, test.isFit)
		}
	}
}

func TestParseRequirements(t *testing.T) {
	text := `Required for 2025-11-25 (48 scenarios, frozen; run at the 2025-11-25 wire):

Server scenarios (test against a server):
  - ping
  - tools-list

Client scenarios (test against a client):
  - initialize

Run and reported, but never scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
  pending (1):
    - json-schema-2020-12 [server]
`
	got := parseRequirements(text)
	want := []scenario{
		{name: "ping", isScored: true},
		{name: "tools-list", isScored: true},
		{name: "tasks-lifecycle", reason: "extension"},
		{name: "json-schema-2020-12", reason: "pending"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}
