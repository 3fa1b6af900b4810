package setreminder_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	setreminder "mcpserver/aspects/setReminder"
	"mcpserver/core"
	"mcpserver/core/server"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(setreminder.Aspect()); err != nil {
		t.Error(err)
	}
}

func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), setreminder.Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}

// The answer comes first, the reminders when they are due, in the order of
// their times and not of the calls. The time is the test's own.
func TestRemindersComeWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, fromServer := connect(t)
		for id, after := range []string{"86400000", "0.5", "0"} {
			fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"setReminder","arguments":{"Reminder":"r%d","TimeoutMS":%s}}}`+"\n", id, id, after)
			synctest.Wait()
		}
		want := []string{
			`"id":0,`, `"id":1,`, `"id":2,`,
			`"data":"REMINDER: r2"`, `"data":"REMINDER: r1"`, `"data":"REMINDER: r0"`,
		}
		for _, part := range want {
			if line, err := fromServer.ReadString('\n'); !strings.Contains(line, part) {
				t.Fatalf("got %q (%v), want %s in it", line, err, part)
			}
		}
		client.Close()
	})
}

func TestTimesThatAreRefused(t *testing.T) {
	for _, test := range []struct{ after, want string }{
		{"-0.001", `"isError":true`},
		{"2073600001", `"isError":true`},
		{"1e300", `"isError":true`},
		{"2073600000", `Reminder set for 2073600000ms: r`},
		{"0.000001", `Reminder set for 1ms: r`},
		{"-0", `Reminder set for 0ms: r`},
		{`"1"`, `"isError":true`},
	} {
		request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"setReminder","arguments":{"Reminder":"r","TimeoutMS":` + test.after + `}}}`
		var answer strings.Builder
		if err := server.Serve(t.Context(), setreminder.Aspect(), strings.NewReader(request), &answer, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(answer.String(), test.want) {
			t.Errorf("TimeoutMS %s answered %s, want %s in it", test.after, answer.String(), test.want)
		}
	}
}

// connect serves the aspect until the client's end is closed.
func connect(t *testing.T) (client io.WriteCloser, fromServer *bufio.Reader) {
	toServer, client := io.Pipe()
	received, fromAspect := io.Pipe()
	go func() {
		if err := server.Serve(t.Context(), setreminder.Aspect(), toServer, fromAspect, nil); err != nil {
			t.Error(err)
		}
		fromAspect.Close()
	}()
	return client, bufio.NewReader(received)
}
