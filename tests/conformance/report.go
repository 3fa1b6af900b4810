package main

import (
	"fmt"
	"io"
	"strings"

	"mcpserver/tests/conformance/bridge"
)

// report is the outcome of a trial.
type report struct {
	trial      trial
	judgements []judgement
	findings   bridge.Findings
	problems   []string // of the run as a whole
}

func (r report) isFit() bool {
	hasFailed := func(j judgement) bool { return j.verdict == failed }
	return r.count(hasFailed) == 0 && len(r.findings.Faults) == 0 && len(r.problems) == 0
}

func isScored(j judgement) bool  { return j.isScored }
func isOther(j judgement) bool   { return !j.isScored }
func hasPassed(j judgement) bool { return j.verdict == passed }

// count counts the scenarios that all predicates hold for.
func (r report) count(predicates ...func(judgement) bool) int {
	count := 0
next:
	for _, j := range r.judgements {
		for _, holds := range predicates {
			if !holds(j) {
				continue next
			}
		}
		count++
	}
	return count
}

// print prints a line for each scenario, with what is wrong below it.
func (r report) print(out io.Writer) {
	fmt.Fprintf(out, "Requirements of %s, %s build\n", r.trial.revision, r.trial.build)
	fmt.Fprintf(out, "      %-46s  passed  failed\n", "scenario")
	for _, j := range r.judgements {
		j.print(out)
	}
	for _, problem := range r.problems {
		fmt.Fprintln(out, "FAIL ", problem)
	}
	for _, fault := range r.findings.Faults {
		fmt.Fprintln(out, "FAIL ", fault)
	}
	for _, note := range r.findings.Notes {
		fmt.Fprintln(out, "note ", note)
	}
	fmt.Fprintln(out)
}

func (j judgement) print(out io.Writer) {
	var good, bad int
	for _, c := range j.checks {
		switch {
		case c.Status == success:
			good++
		case c.isBad():
			bad++
		}
	}
	line := fmt.Sprintf("%-4s  %-46s  %6d  %6d", j.verdict, j.name, good, bad)
	if !j.isScored {
		line += "  not scored: " + j.reason
	}
	fmt.Fprintln(out, line)
	if j.verdict != failed {
		return
	}
	fmt.Fprintln(out, "      "+j.problem)
	for _, c := range j.checks {
		if c.isBad() {
			fmt.Fprintf(out, "      %s %s: %s\n", strings.ToLower(string(c.Status)), c.ID, c.explanation())
		}
	}
}

// explanation says on one line what is wrong.
func (c check) explanation() string {
	text := c.ErrorMessage
	if text == "" {
		text = c.Description
	}
	return strings.Join(strings.Fields(text), " ")
}

// summaryHead and the lines that [report.summary] gives are a table in Markdown.
const summaryHead = "| requirements | build | scored scenarios that pass | others |\n| --- | --- | --- | --- |"

func (r report) summary() string {
	return fmt.Sprintf("| %s | %s | %d of %d | %d of %d |", r.trial.revision, r.trial.build,
		r.count(isScored, hasPassed), r.count(isScored), r.count(isOther, hasPassed), r.count(isOther))
}
