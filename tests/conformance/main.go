// Command conformance has the official conformance suite of the Model Context
// Protocol judge a server over stdin and stdout.
//
//	go run ./tests/conformance CLAMPED UNCLAMPED
//
// takes the two builds of the server's program, and runs in the root of the
// repository. It prints what became of each scenario. The exit status is 0 if all
// is well, 1 if anything is not, and 2 if the server could not be judged, for
// want of a tool for instance. The package bridge says how a suite that speaks
// HTTP alone gets to the server, and docs/CONFORMANCE.md what the outcome means.
//
// Whatever the runs leave behind is in build/conformance.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

const (
	document = "docs/CONFORMANCE.md"
	results  = "build/conformance"
)

// errUnfit says that the server was judged and did not pass.
var errUnfit = errors.New("the server does not conform")

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: conformance CLAMPED UNCLAMPED (the server's program, in both builds)")
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		if errors.Is(err, errUnfit) {
			os.Exit(1)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, out io.Writer, clamped, unclamped string) error {
	exceptions, err := readExceptions(document)
	if err != nil {
		return err
	}
	s, err := fetchSuite(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(results); err != nil {
		return err
	}
	var reports []report
	for _, t := range trials(clamped, unclamped) {
		r, err := s.judge(ctx, t, filepath.Join(results, t.name()), exceptions)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
		r.print(out)
		reports = append(reports, r)
	}
	problems, err := documentProblems(document, reports)
	if err != nil {
		return err
	}
	return conclude(out, reports, problems)
}

// conclude prints the outcome of all trials.
func conclude(out io.Writer, reports []report, problems []string) error {
	fmt.Fprintln(out, summaryHead)
	isFit := len(problems) == 0
	for _, r := range reports {
		fmt.Fprintln(out, r.summary())
		isFit = isFit && r.isFit()
	}
	for _, problem := range problems {
		fmt.Fprintln(out, "FAIL", problem)
	}
	if !isFit {
		return fmt.Errorf("%w; %s has the conversations and what the suite found", errUnfit, results)
	}
	return nil
}
