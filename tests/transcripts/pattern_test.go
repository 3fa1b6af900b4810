package transcripts

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	hole     = regexp.MustCompile(`«[^»]*»`)
	repeated = regexp.MustCompile(`^«("(?:[^"\\]|\\.)*")\*(\d+)»$`)
	used     = regexp.MustCompile(`^«\$([a-z]+)»$`)
	given    = regexp.MustCompile(`^«([a-z]+)=(.*)»$`)
	wellName = regexp.MustCompile(`^[a-z]+$`)
)

// expand puts what «"TEXT"*COUNT» and «$NAME» stand for in their place.
func expand(text string, names map[string]string) (string, error) {
	var failure error
	expanded := hole.ReplaceAllStringFunc(text, func(found string) string {
		if name := used.FindStringSubmatch(found); name != nil {
			value, known := names[name[1]]
			if !known {
				failure = fmt.Errorf("nothing has the name %s", name[1])
			}
			return value
		}
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

// match reports whether a line is what an expanded text stands for, and gives
// what «NAME=REGEXP» gives names to.
func match(text, line string) (named map[string]string, same bool, err error) {
	if !hole.MatchString(text) {
		return nil, text == line, nil
	}
	var pattern strings.Builder
	next := 0
	for _, at := range hole.FindAllStringIndex(text, -1) {
		pattern.WriteString(regexp.QuoteMeta(text[next:at[0]]))
		group := "(?:" + text[at[0]+len("«"):at[1]-len("»")] + ")"
		if naming := given.FindStringSubmatch(text[at[0]:at[1]]); naming != nil {
			group = "(?P<" + naming[1] + ">" + naming[2] + ")"
		}
		pattern.WriteString(group)
		next = at[1]
	}
	pattern.WriteString(regexp.QuoteMeta(text[next:]))
	expression, err := regexp.Compile("^(?s:" + pattern.String() + ")$")
	if err != nil {
		return nil, false, err
	}
	found := expression.FindStringSubmatch(line)
	if found == nil {
		return nil, false, nil
	}
	named = make(map[string]string)
	for i, name := range expression.SubexpNames() {
		if name != "" {
			named[name] = found[i]
		}
	}
	return named, true, nil
}

// abbreviated puts «$NAME» where a line has a text that was given a name.
func abbreviated(line string, names map[string]string) string {
	const shortest = 20
	longestFirst := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(names[b]) - len(names[a]) })
	for _, name := range longestFirst {
		if len(names[name]) >= shortest {
			line = strings.ReplaceAll(line, names[name], "«$"+name+"»")
		}
	}
	return line
}

// shown makes a line fit for a message.
func shown(line string) string {
	const most = 2000
	if len(line) <= most {
		return line
	}
	return fmt.Sprintf("%s… (%d bytes)", line[:most], len(line))
}
