package form

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

const (
	maxAddress = 254 // of an email address, in bytes (RFC 5321)
	maxLabel   = 63  // of a part of a host's name, in bytes (RFC 1035)
)

// isFormat reports whether a form's string may have the format.
func isFormat(name string) bool {
	switch name {
	case "email", "uri", "date", "date-time":
		return true
	}
	return false
}

// textFault says in what way the text is not of the property's format or does
// not match its pattern, or gives "".
func (p *property) textFault(text string) string {
	switch {
	case p.format == "email" && !isEmail(text):
		return "must be an email address"
	case p.format == "uri" && !IsURI(text):
		return "must be an absolute URI, such as https://example.com/a"
	case p.format == "date" && !isDate(text):
		return "must be a date, such as 2026-07-28"
	case p.format == "date-time" && !isDateTime(text):
		return "must be a date and a time with its zone, such as 2026-07-28T12:30:00Z"
	case p.pattern != nil && !p.pattern.MatchString(text):
		return fmt.Sprintf("must match the pattern %.200q", p.pattern)
	}
	return ""
}

// isEmail takes what the email field of an HTML form takes (HTML standard,
// "valid email address"), and letters of all scripts.
func isEmail(text string) bool {
	local, domain, found := strings.Cut(text, "@")
	if !found || local == "" || len(text) > maxAddress || strings.ContainsFunc(local, breaksLocalPart) {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > maxLabel || strings.Trim(label, "-") != label || strings.ContainsFunc(label, breaksLabel) {
			return false
		}
	}
	return true
}

func breaksLocalPart(r rune) bool {
	return breaksLabel(r) && !strings.ContainsRune(".!#$%&'*+/=?^_`{|}~", r)
}

func breaksLabel(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
}

// IsURI reports whether the text is a URI with a scheme and something after it.
// It takes letters of all scripts, as people write and paste them.
func IsURI(text string) bool {
	if strings.ContainsFunc(text, breaksURI) {
		return false
	}
	parsed, err := url.Parse(text)
	return err == nil && parsed.Scheme != "" && parsed.Host+parsed.Path+parsed.Opaque != ""
}

func breaksURI(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\"{}|\\^`", r)
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isDateTime takes what RFC 3339 has, but for leap seconds.
func isDateTime(text string) bool {
	// The library takes an hour of one digit, and a comma, which the RFC does
	// not have.
	const hourEnd = len("2026-07-28T12")
	if len(text) <= hourEnd || text[hourEnd] != ':' || strings.Contains(text, ",") {
		return false
	}
	_, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	return err == nil
}
