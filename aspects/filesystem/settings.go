package filesystem

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// Outside says what becomes of paths that lead out of the allowed directories.
type Outside string

// The policies.
const (
	// Deny refuses them.
	Deny Outside = "deny"
	// Ask has the person decide, for one path in one call.
	Ask Outside = "ask"
	// Allow lets them be read and written.
	Allow Outside = "allow"
)

// RootsPolicy says what the roots of a client mean.
type RootsPolicy string

// The policies.
const (
	// Within has roots narrow the directories that were given; where none
	// were, the roots are the allowed directories.
	Within RootsPolicy = "within"
	// Replace has roots take the place of the directories that were given.
	Replace RootsPolicy = "replace"
	// Ignore never asks for roots.
	Ignore RootsPolicy = "ignore"
)

// Settings are what a server allows beside its directories.
type Settings struct {
	Outside Outside     `json:"outside"`
	Roots   RootsPolicy `json:"roots"`
	// MaxRead is the most bytes of a file that is read as a whole, and of what
	// one answer has of files.
	MaxRead int64 `json:"max_read"`
	// MaxEntries is the most entries of a tree, a listing or a search's answer.
	MaxEntries int `json:"max_entries"`
}

// DefaultSettings are those of a command line without flags.
func DefaultSettings() Settings {
	return Settings{Outside: Deny, Roots: Within, MaxRead: 16 << 20, MaxEntries: 100_000}
}

func (s Settings) validate() error {
	switch {
	case !slices.Contains([]Outside{Deny, Ask, Allow}, s.Outside):
		return fmt.Errorf("outside is %q; it must be deny, ask or allow", s.Outside)
	case !slices.Contains([]RootsPolicy{Within, Replace, Ignore}, s.Roots):
		return fmt.Errorf("roots is %q; it must be within, replace or ignore", s.Roots)
	case s.MaxRead < 1 || s.MaxRead > 1<<30:
		return fmt.Errorf("max-read is %d; it must be from 1 to %d", s.MaxRead, 1<<30)
	case s.MaxEntries < 1 || s.MaxEntries > 10_000_000:
		return fmt.Errorf("max-entries is %d; it must be from 1 to 10000000", s.MaxEntries)
	}
	return nil
}

// configuration is what Configure takes.
type configuration struct {
	Settings
	Directories []string `json:"directories"`
}

// Configure implements toolserver.Server. The configuration is a JSON object
// with any of outside, roots, max_read, max_entries and directories; what it
// does not name stays as it is.
func (s *Server) Configure(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := configuration{Settings: s.settings}
	if err := json.Unmarshal([]byte(text), &changed); err != nil {
		return fmt.Errorf("the configuration of the filesystem server: %w", err)
	}
	if err := changed.validate(); err != nil {
		return fmt.Errorf("the configuration of the filesystem server: %w", err)
	}
	if changed.Directories != nil {
		given, skipped := newDirectories(changed.Directories)
		if len(skipped) > 0 {
			return errors.Join(skipped...)
		}
		s.given = given
	}
	s.settings = changed.Settings
	return nil
}

// commandLine holds the flags as they were given.
type commandLine struct {
	outside, roots string
	maxRead        int64
	maxEntries     int
}

func (c *commandLine) flags(flags *flag.FlagSet) {
	fallback := DefaultSettings()
	c.outside, c.roots = string(fallback.Outside), string(fallback.Roots)
	flags.Var(&choice{&c.outside, []string{string(Deny), string(Ask), string(Allow)}}, "outside", "what to do about paths outside the allowed directories, to read or to write: deny, ask (the person, for that path and call) or allow")
	flags.Var(&choice{&c.roots, []string{string(Within), string(Replace), string(Ignore)}}, "roots", "what the client's roots do: within (narrow the directories given here, never widen them), replace (take their place) or ignore")
	flags.Int64Var(&c.maxRead, "max-read", fallback.MaxRead, "most `bytes` of a whole-file read; head and tail stream from a file of any size")
	flags.IntVar(&c.maxEntries, "max-entries", fallback.MaxEntries, "most `entries` of trees and searches; the answer says when it was cut")
}

// choice is the value of a flag that is one of a few words.
type choice struct {
	value *string
	words []string
}

// String implements flag.Value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set implements flag.Value.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("it must be one of: %s", strings.Join(c.words, ", "))
	}
	*c.value = text
	return nil
}

// settings gives what the flags say. A command line that was never read, as in
// a test, says nothing.
func (c *commandLine) settings() Settings {
	if c.outside == "" && c.roots == "" && c.maxRead == 0 && c.maxEntries == 0 {
		return DefaultSettings()
	}
	return Settings{Outside: Outside(c.outside), Roots: RootsPolicy(c.roots), MaxRead: c.maxRead, MaxEntries: c.maxEntries}
}
