package everything

import (
	"context"

	"mcpserver/core"
)

// loggingTools send log messages. A client of 2026-07-28 gets some only if its
// request says from which level on.
func loggingTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "test_tool_with_logging",
			Description: "Sends three log messages of the level info, a twentieth of a second apart, and answers.",
			Handler:     logThreeTimes,
		},
		{
			Name:        "test_logging_tool",
			Description: "Sends a log message of each of the eight levels, with a logger's name and data that is an object, and answers. What is below the level that your client has set does not come.",
			Handler:     logAtAllLevels,
		},
	}
}

func logThreeTimes(ctx context.Context, call *core.Call) (core.Result, error) {
	for i, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, beat); err != nil {
				return nil, err
			}
		}
		call.Log(core.LogInfo, "", message)
	}
	return core.Text("Three messages were logged."), nil
}

func logAtAllLevels(_ context.Context, call *core.Call) (core.Result, error) {
	type entry struct {
		Severity int    `json:"severity"`
		Meaning  string `json:"meaning"`
	}
	for i, meaning := range []string{
		"only of use to whoever looks for a fault",
		"all is well",
		"all is well, and worth to be noticed",
		"something may go wrong",
		"something went wrong",
		"a part of the system fails",
		"somebody has to act at once",
		"the system cannot be used",
	} {
		call.Log(core.LogLevel(i), "everything", entry{Severity: i, Meaning: meaning})
	}
	return core.Text("A message was logged at each of the eight levels; none of them is meant seriously."), nil
}
