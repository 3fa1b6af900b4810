package transcripts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	hole     = regexp.MustCompile(`«[^»]*»`)
	repeated = regexp.MustCompile(`^«("(?:[^"\\]|\\.)*")\*(\d+)»$`)
)

// expand puts what «"TEXT"*COUNT» stands for in its place.
func expand(text string) (string, error) {
	var failure error
	expanded := hole.ReplaceAllStringFunc(text, func(found string) string {
		times := repeated.FindStringSubmatch(found)
		if times == nil {
			return found
		}
		unit, err := strconv.Unquote(times[1])
		count, countErr := strconv.Atoi(times[2])
		if err != nil || countErr != nil {
			failure = fmt.Errorf("%s is not well formed", found)
		}
		return strings.Repeat(unit, count)
	})
	return expanded, failure
}

// matches reports whether a line is what an expanded text stands for.
func matches(text, line string) (bool, error) {
	if !hole.MatchString(text) {
		return text == line, nil
	}
	var pattern strings.Builder
	next := 0
	for _, at := range hole.FindAllStringIndex(text, -1) {
		pattern.WriteString(regexp.QuoteMeta(text[next:at[0]]))
		pattern.WriteString("(?:" + text[at[0]+len("«"):at[1]-len("»")] + ")")
		next = at[1]
	}
	pattern.WriteString(regexp.QuoteMeta(text[next:]))
	expression, err := regexp.Compile("^(?s:" + pattern.String() + ")$")
	if err != nil {
		return false, err
	}
	return expression.MatchString(line), nil
}

// shown makes a line fit for a message.
func shown(line string) string {
	const most = 2000
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s… (%d bytes)", line[:most], len(line))
}
