package transcripts

import (
	"fmt"
	"path/filepath"
	"strings"
)

// build is a way to build the servers.
type build string

const (
	clamped   build = "clamped"
	unclamped build = "unclamped"
)

// cutBuild takes the build that a line is for off its beginning; "" is both.
func cutBuild(line string) (only build, rest string, err error) {
	if !strings.HasPrefix(line, "[") {
		return "", line, nil
	}
	name, rest, found := strings.Cut(line[1:], "] ")
	only = build(name)
	if !found || only != clamped && only != unclamped {
		return "", "", fmt.Errorf("%s begins with no build", line)
	}
	return only, rest, nil
}

// isPlayed reports whether a transcript is for this build, by its name.
func (b build) isPlayed(path string) bool {
	name := filepath.Base(path)
	switch {
	case strings.HasPrefix(name, "clamped-"):
		return b == clamped
	case strings.HasPrefix(name, "modern-"):
		return b == unclamped
	}
	return true
}

// recordingName names the recording of a conversation.
func (b build) recordingName(transcript string, number int) string {
	name := fmt.Sprintf("transcript-%s-%d", transcript, number)
	if b == unclamped {
		return "unclamped-" + name
	}
	return name
}
