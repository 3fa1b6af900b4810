package server

import (
	"time"

	"mcpserver/core"
)

// Options bound what a server takes from its client. Zero means the default of
// each; nil Options are valid.
type Options struct {
	// MaxMessage is the most bytes of one message (default 20 MiB), and
	// MaxDepth how deeply its JSON may nest (default 512).
	MaxMessage, MaxDepth int
	// MaxQuestions is the most questions to the client open at once (default
	// 64), and QuestionTimeout how long each may stay open (default 5 minutes).
	MaxQuestions    int
	QuestionTimeout time.Duration
	// CallTimeout ends a request that takes longer; 0 is no limit.
	CallTimeout time.Duration
	// Concurrency is how many handlers of an Asynchronous aspect run at once
	// (default 64).
	Concurrency int
	// OutputLimit is how many bytes the client may leave unread before the
	// server stops reading (default 64 MiB), and QueueLimit how many bytes of
	// requests may wait for their handlers (default 64 MiB).
	OutputLimit, QueueLimit int
	// Drain is how long requests may take to finish after the input ended
	// (default 30 s), and Grace how long deferred answers, and all of them
	// after a signal, have left (default 2 s).
	Drain, Grace time.Duration

	// PageSize is how many entries a list answers at once (default: the aspect's,
	// or else 1000).
	PageSize int
	// StateLifetime is how long a modern client may take to come back with
	// answers (default 1 hour). It has no use where the modern era is not served.
	StateLifetime time.Duration

	// selfTesting says that a self-test runs, which is kept from the user's key
	// file.
	selfTesting bool

	// Arguments are the positional arguments that Host.Args gives an aspect,
	// and CommandLine what Host.CommandLine does.
	Arguments, CommandLine []string
}

func (o *Options) maxMessage() int { return orDefault(o.MaxMessage, 20<<20) }

func (o *Options) maxDepth() int { return orDefault(o.MaxDepth, 512) }

func (o *Options) maxQuestions() int { return orDefault(o.MaxQuestions, 64) }

func (o *Options) questionTimeout() time.Duration {
	return orDefault(o.QuestionTimeout, 5*time.Minute)
}

func (o *Options) pageSize(a *core.Aspect) int {
	return orDefault(o.PageSize, orDefault(a.PageSize, 1000))
}

func (o *Options) concurrency() int { return orDefault(o.Concurrency, 64) }

func (o *Options) outputLimit() int { return orDefault(o.OutputLimit, 64<<20) }

func (o *Options) queueLimit() int { return orDefault(o.QueueLimit, 64<<20) }

func (o *Options) drain() time.Duration { return orDefault(o.Drain, 30*time.Second) }

func (o *Options) grace() time.Duration { return orDefault(o.Grace, 2*time.Second) }

func orDefault[T int | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}
