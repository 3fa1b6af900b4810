package main

import "slices"

// verdict is what is to be thought of a scenario.
type verdict string

const (
	passed   verdict = "pass"
	failed   verdict = "FAIL"
	excepted verdict = "none" // it is named in the document, and does not pass
)

// judgement is a scenario, what was found, and what is to be thought of it.
type judgement struct {
	scenario
	checks  []check
	verdict verdict
	problem string // why it fails, beside its checks
}

// judgeScenario is stricter than the suite. There a scenario passes if no check
// fails, though none may have succeeded and what should be may not be. Here none
// may warn or be skipped, and one at least must have succeeded.
func judgeScenario(s scenario, checks []check, ran, isExcepted bool) judgement {
	j := judgement{scenario: s, checks: checks, verdict: passed}
	switch {
	case !ran:
		j.problem = "it did not run"
	case slices.ContainsFunc(checks, check.isBad):
		j.problem = "not all checks pass"
	case !slices.ContainsFunc(checks, check.isGood):
		j.problem = "no check succeeds"
	}
	if j.problem != "" {
		j.verdict = failed
	}
	if !isExcepted {
		return j
	}
	switch {
	case s.isScored:
		j.verdict, j.problem = failed, document+" excepts it, and it is scored"
	case j.verdict == passed:
		j.verdict, j.problem = failed, document+" excepts it, and it passes"
	case ran:
		j.verdict, j.problem = excepted, ""
	}
	return j
}
