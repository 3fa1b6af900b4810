package protocol

// LogLevel is a level of notifications/message, as syslog has them (RFC 5424).
// A more severe level compares greater than a less severe one.
type LogLevel uint8

// The levels, least severe first.
const (
	Debug LogLevel = iota
	Info
	Notice
	Warning
	Error
	Critical
	Alert
	Emergency
)

// String gives the level as it stands on the wire.
func (l LogLevel) String() string {
	switch l {
	case Debug:
		return "debug"
	case Info:
		return "info"
	case Notice:
		return "notice"
	case Warning:
		return "warning"
	case Error:
		return "error"
	case Critical:
		return "critical"
	case Alert:
		return "alert"
	}
	return "emergency"
}

// ParseLogLevel gives the level of that name; ok is false when there is none.
func ParseLogLevel(name string) (level LogLevel, ok bool) {
	for l := Debug; l <= Emergency; l++ {
		if l.String() == name {
			return l, true
		}
	}
	return 0, false
}
