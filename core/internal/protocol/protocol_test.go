package protocol

import "testing"

func TestNegotiate(t *testing.T) {
	for _, test := range []struct{ requested, want string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"2026-07-28", "2025-11-25"},
		{"2099-01-01", "2025-11-25"},
		{"1.0", "2025-11-25"},
		{"unknown", "2025-11-25"},
		{"", "2025-11-25"},
	} {
		if got := Negotiate(test.requested).String(); got != test.want {
			t.Errorf("Negotiate(%q) = %s, want %s", test.requested, got, test.want)
		}
	}
}

func TestLogLevelsByName(t *testing.T) {
	names := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	for i, name := range names {
		level, ok := ParseLogLevel(name)
		if !ok || level != LogLevel(i) || level.String() != name {
			t.Errorf("ParseLogLevel(%q) = %d (%s), %t; want %d", name, level, level, ok, i)
		}
	}
	for _, name := range []string{"", "verbose", "INFO"} {
		if level, ok := ParseLogLevel(name); ok {
			t.Errorf("ParseLogLevel(%q) = %s, want none", name, level)
		}
	}
}
