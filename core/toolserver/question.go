package toolserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// ErrNobodyToAsk says that the caller has no way to ask the person. Errors of
// Ask and Approve wrap it, with the reason.
var ErrNobodyToAsk = errors.New("the person cannot be asked")

// Question is something that a tool has to know of the person.
type Question struct {
	// Subject is what the question is about, such as a path. An answer holds
	// for one subject and message, in one call.
	Subject string
	// Message tells the person what is asked and why. Required.
	Message string
	// Form describes what the person fills in; nil is one box to tick, which
	// Reply.Approved looks at.
	Form core.Schema
}

// Reply is what the person did about a question.
type Reply struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content is the form as it was filled in, if it was accepted. Nobody has
	// checked it against the form.
	Content gjson.Result
}

// approveMember is the one box of a question without a form.
const approveMember = "approve"

// Approved reports whether the person ticked the box of a question without a
// form. Whatever is not clearly a yes is a no.
func (r Reply) Approved() bool {
	return r.Action == "accept" && r.Content.Get(approveMember).Type == gjson.True
}

func (q Question) form() core.Schema {
	if q.Form != nil {
		return q.Form
	}
	return core.Object(core.Boolean(approveMember, "Allow it").Required())
}

// key is what an answer is found by. It is made of the whole question, so that
// no answer counts for another one.
func (q Question) key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", q.Subject, q.Message, q.form().AppendJSON(nil)))
	return hex.EncodeToString(sum[:16])
}

// Asker asks the person one question for a host, and waits for the reply. It
// may be called from several goroutines at once.
type Asker func(ctx context.Context, question Question) (Reply, error)

// WithAsker gives a context for Execute under which the tool's questions go to
// ask.
func WithAsker(ctx context.Context, ask Asker) context.Context {
	return with(ctx, func(c *call) { c.ask = ask })
}

// WithApprover is WithAsker for hosts that can ask for a yes or a no. Questions
// with a form are refused.
func WithApprover(ctx context.Context, approve func(ctx context.Context, subject, message string) (bool, error)) context.Context {
	return WithAsker(ctx, func(ctx context.Context, question Question) (Reply, error) {
		if question.Form != nil {
			return Reply{}, fmt.Errorf("%w: this host takes no forms", ErrNobodyToAsk)
		}
		approved, err := approve(ctx, question.Subject, question.Message)
		if err != nil || !approved {
			return Reply{Action: "decline"}, err
		}
		return Reply{Action: "accept", Content: gjson.Parse(`{"` + approveMember + `":true}`)}, nil
	})
}

// Ask asks the person and gives the replies in the order of the questions. A
// tool returns its error as it is, wrapped at most.
//
// In this process it waits for the replies. A tool served over MCP is ended by
// the error, the questions go to the client, and when all are answered the tool
// runs again from its start, with the same arguments; Ask then returns the
// replies. So what a tool does before Ask must have no effects, and must lead
// to the same questions again.
func Ask(ctx context.Context, questions ...Question) ([]Reply, error) {
	ask := callOf(ctx).ask
	if ask == nil {
		return nil, fmt.Errorf("%w: the program that runs the tool has no means to", ErrNobodyToAsk)
	}
	replies := make([]Reply, 0, len(questions))
	var open []Question
	for _, question := range questions {
		if question.Message == "" {
			return nil, errors.New("a question to the person has no message")
		}
		reply, err := ask(ctx, question)
		var unanswered *unansweredError
		switch {
		case errors.As(err, &unanswered):
			open = append(open, unanswered.questions...)
		case err != nil:
			return nil, err
		}
		replies = append(replies, reply)
	}
	if len(open) > 0 {
		return nil, &unansweredError{open}
	}
	return replies, nil
}

// RefusedError says that the person did not allow something.
type RefusedError struct {
	// Subject is that of Approve.
	Subject string
}

// Error names the subject.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the person did not allow it: %s", e.Subject)
}

// Approve asks the person whether the tool may do something, as Ask does. It
// gives nil for a yes, a *RefusedError for a no, an error that wraps
// ErrNobodyToAsk where nobody can be asked, and whatever Ask gives otherwise.
func Approve(ctx context.Context, subject, message string) error {
	replies, err := Ask(ctx, Question{Subject: subject, Message: message})
	switch {
	case err != nil:
		return err
	case !replies[0].Approved():
		return &RefusedError{Subject: subject}
	}
	return nil
}

// unansweredError ends a run of a tool whose questions the client has to answer
// first.
type unansweredError struct {
	questions []Question
}

// Error gives the questions, for who runs the tool without being able to ask.
func (e *unansweredError) Error() string {
	messages := make([]string, len(e.questions))
	for i, question := range e.questions {
		messages[i] = question.Message
	}
	return "the person has to be asked first: " + strings.Join(messages, " ")
}
