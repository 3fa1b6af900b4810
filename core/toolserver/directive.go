package toolserver

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/envelope"
	"mcpserver/core/internal/wire"
)

// Directive is what a tool tells the host to do beside handing the result to
// the model: a JSON object {"type":"…", …}. The functions below make the ones
// that hosts know. The zero Directive is {}.
type Directive struct {
	inner envelope.Directive
}

// Type gives the directive's type, such as "stop_processing"; "" if it has
// none.
func (d Directive) Type() string { return d.Member("type").Str }

// Member gives a member of the directive; it does not exist when there is none.
func (d Directive) Member(name string) gjson.Result {
	return gjson.Get(d.inner.JSON(), gjson.Escape(name))
}

// JSON gives the directive on one line.
func (d Directive) JSON() string { return d.inner.JSON() }

// StopProcessing: the host leaves out what else it was to call in this turn.
func StopProcessing() Directive { return open("stop_processing").close() }

// TierChange: the conversation goes on with another tier of model. An empty
// reason is left out.
func TierChange(tier, reason string) Directive {
	return open("tier_change").text("tier", tier).optional("reason", reason).close()
}

// Delegate: a model of the target tier takes over a task, for at most that many
// turns; 0 or less leaves the number to the host.
func Delegate(target, task string, maxTurns int) Directive {
	d := open("delegate").text("target", target).text("task", task)
	if maxTurns > 0 {
		d = d.number("max_turns", maxTurns)
	}
	return d.close()
}

// Pipeline: a task goes through tiers of models, one after the other.
func Pipeline(task string, stages ...string) Directive {
	return open("pipeline").texts("stages", stages).text("task", task).close()
}

// Completion is what Complete says.
type Completion struct {
	// Summary says what was done.
	Summary string
	// CoverageGap says that something is missing, GapDescription what, and
	// SuggestedFiles where it may be found.
	CoverageGap    bool
	GapDescription string
	SuggestedFiles []string
}

// Complete: the task is done. Of the completion, all but the summary is left
// out where it says nothing.
func Complete(completion Completion) Directive {
	d := open("complete").text("summary", completion.Summary)
	if completion.CoverageGap {
		d = append(d, `,"coverage_gap":true`...)
	}
	d = d.optional("gap_description", completion.GapDescription)
	if len(completion.SuggestedFiles) > 0 {
		d = d.texts("suggested_files", completion.SuggestedFiles)
	}
	return d.close()
}

// ClearSelfTodos: the model's list of things to do is emptied.
func ClearSelfTodos() Directive { return open("clear_self_todos").close() }

// InjectContext: a message of that role is put into the conversation. An empty
// role is "user".
func InjectContext(content, role string) Directive {
	if role == "" {
		role = "user"
	}
	return open("inject_context").text("content", content).text("role", role).close()
}

// PruneMessages: old tool results leave the conversation but for the newest.
// Less than none is none.
func PruneMessages(keepRecent int) Directive {
	return open("prune_messages").number("keep_recent", max(keepRecent, 0)).close()
}

// ContextAnchor: what stands under that key stays in the model's context, the
// newest alone. Without content, it is the result that the directive came with.
func ContextAnchor(key, content string) Directive {
	return open("context_anchor").text("key", key).optional("content", content).close()
}

// PhaseChange: inference goes on in another phase.
func PhaseChange(phase string) Directive { return open("phase_change").text("phase", phase).close() }

// NotifyPresenter: who shows the conversation is told something, which the host
// does not look at. The data is anything that encoding/json can write; an error
// says that it cannot. Nil data is left out.
func NotifyPresenter(key string, data any) (Directive, error) {
	d := open("notify_presenter").text("key", key)
	if data == nil {
		return d.close(), nil
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return Directive{}, fmt.Errorf("the data of notify_presenter %q: %w", key, err)
	}
	d = append(append(d, `,"data":`...), encoded...)
	made, err := envelope.NewDirective(string(append(d, '}')))
	if err != nil {
		return Directive{}, fmt.Errorf("the data of notify_presenter %q: %w", key, err)
	}
	return Directive{made}, nil
}

// unclosed is a directive's JSON without the brace at its end. Names of members
// are ours and need no escapes.
type unclosed []byte

func open(kind string) unclosed {
	return wire.AppendString([]byte(`{"type":`), kind)
}

func (d unclosed) text(name, value string) unclosed {
	return wire.AppendString(append(d, `,"`+name+`":`...), value)
}

func (d unclosed) optional(name, value string) unclosed {
	if value == "" {
		return d
	}
	return d.text(name, value)
}

func (d unclosed) number(name string, value int) unclosed {
	return wire.AppendInt(append(d, `,"`+name+`":`...), int64(value))
}

func (d unclosed) texts(name string, values []string) unclosed {
	d = append(d, `,"`+name+`":[`...)
	for i, value := range values {
		if i > 0 {
			d = append(d, ',')
		}
		d = wire.AppendString(d, value)
	}
	return append(d, ']')
}

func (d unclosed) close() Directive {
	made, err := envelope.NewDirective(string(append(d, '}')))
	if err != nil {
		panic("a directive was written wrongly: " + err.Error())
	}
	return Directive{made}
}
