package toolserver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// approving asks whether it may touch the paths "a" and "b", one by one.
func approving(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
	for _, path := range []string{"a", "b"} {
		if err := toolserver.Approve(ctx, path, "May it touch "+path+"?"); err != nil {
			return toolserver.Outcome{}, fmt.Errorf("touching: %w", err)
		}
	}
	return toolserver.Text("touched", toolserver.StopProcessing()), nil
}

// naming asks for two names at once.
func naming(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
	name := core.Object(core.String("name", "A name").Required())
	replies, err := toolserver.Ask(ctx,
		toolserver.Question{Subject: "first", Message: "Which first name?", Form: name},
		toolserver.Question{Subject: "last", Message: "Which last name?", Form: name},
	)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	text := ""
	for _, reply := range replies {
		text += "[" + reply.Action + " " + reply.Content.Get("name").Str + "]"
	}
	return toolserver.Text(text), nil
}

func TestApproveInProcess(t *testing.T) {
	server := base(t, anchoredOn(func(toolserver.Arguments) string { return "k" }, named("x", approving)))
	var asked []string
	approver := func(answers map[string]bool, err error) context.Context {
		asked = nil
		return toolserver.WithApprover(t.Context(), func(_ context.Context, subject, message string) (bool, error) {
			asked = append(asked, subject+": "+message)
			return answers[subject], err
		})
	}
	for _, test := range []struct {
		name string
		ctx  context.Context
		want string
	}{
		{"nobody", t.Context(), `{"result":"touching: the person cannot be asked: the program that runs the tool has no means to","directives":[],"is_error":true}`},
		{"both", approver(map[string]bool{"a": true, "b": true}, nil), `{"result":"touched","directives":[{"type":"stop_processing"},{"type":"context_anchor","key":"k"}]}`},
		{"one", approver(map[string]bool{"a": true}, nil), `{"result":"touching: the person did not allow it: b","directives":[],"is_error":true}`},
		{"error beats yes", approver(map[string]bool{"a": true, "b": true}, errors.New("no terminal")), `{"result":"touching: no terminal","directives":[],"is_error":true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantResponse(t, server.Execute(test.ctx, "x", "{}"), test.want)
		})
	}
	server.Execute(approver(map[string]bool{"a": true}, nil), "x", "{}")
	if got, want := fmt.Sprint(asked), "[a: May it touch a? b: May it touch b?]"; got != want {
		t.Errorf("the approver was asked %s, want %s", got, want)
	}
}

func TestApproveErrors(t *testing.T) {
	refusing := toolserver.WithApprover(t.Context(), func(context.Context, string, string) (bool, error) { return false, nil })
	var refused *toolserver.RefusedError
	if err := toolserver.Approve(refusing, "a", "May it?"); !errors.As(err, &refused) || refused.Subject != "a" {
		t.Errorf("Approve gave %v, want a RefusedError about a", err)
	}
	if err := toolserver.Approve(t.Context(), "a", "May it?"); !errors.Is(err, toolserver.ErrNobodyToAsk) {
		t.Errorf("Approve gave %v, want ErrNobodyToAsk", err)
	}
	if err := toolserver.Approve(refusing, "a", ""); err == nil || errors.As(err, new(*toolserver.RefusedError)) {
		t.Errorf("Approve without a message gave %v, want an error that says so", err)
	}
}

func TestAskInProcess(t *testing.T) {
	server := base(t, named("x", naming))
	ctx := toolserver.WithAsker(t.Context(), func(_ context.Context, question toolserver.Question) (toolserver.Reply, error) {
		if question.Subject == "last" {
			return toolserver.Reply{Action: "cancel"}, nil
		}
		return toolserver.Reply{Action: "accept", Content: gjson.Parse(`{"name":"Ada"}`)}, nil
	})
	wantResponse(t, server.Execute(ctx, "x", "{}"), `{"result":"[accept Ada][cancel ]","directives":[]}`)

	approver := toolserver.WithApprover(t.Context(), func(context.Context, string, string) (bool, error) { return true, nil })
	wantResponse(t, server.Execute(approver, "x", "{}"), `{"result":"the person cannot be asked: this host takes no forms","directives":[],"is_error":true}`)
}

func TestReplyIsApproved(t *testing.T) {
	for _, test := range []struct {
		action, content string
		want            bool
	}{
		{"accept", `{"approve":true}`, true},
		{"accept", `{"approve":false}`, false},
		{"accept", `{"approve":"true"}`, false},
		{"accept", `{"approve":1}`, false},
		{"accept", `{}`, false},
		{"accept", ``, false},
		{"decline", `{"approve":true}`, false},
		{"", `{"approve":true}`, false},
	} {
		reply := toolserver.Reply{Action: test.action, Content: gjson.Parse(test.content)}
		if got := reply.Approved(); got != test.want {
			t.Errorf("Approved of %s %s is %t, want %t", test.action, test.content, got, test.want)
		}
	}
}
