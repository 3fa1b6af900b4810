package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test binary stand in for a server that takes one message,
// answers with a notification and a response, and ends.
func TestMain(m *testing.M) {
	if os.Getenv("EXCHANGE_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"hello"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
	os.Stderr.WriteString("that was all\n")
}

func TestConverse(t *testing.T) {
	const first = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	const second = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	const shown = "\n# One request.\nclient: " + first + "\nserver: {\"jsonrpc\":\"2.0\",\"method\":\"hello\"}\nserver: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
	for _, test := range []struct {
		name, lines, want string
		wantError         []string
	}{
		{"answered", "# One request.\n" + first + "\n", shown, nil},
		{"not JSON", "hello\n", "", []string{"reading hello"}},
		{
			"the server ends", "# One request.\n" + first + "\n" + second + "\n", shown,
			[]string{`"id":2`, "that was all"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := exec.Command(os.Args[0])
			server.Env = append(os.Environ(), "EXCHANGE_TEST_SERVER=1", "GORACE=atexit_sleep_ms=0")
			var out strings.Builder
			err := converse(server, strings.NewReader(test.lines), &out)
			if !strings.HasPrefix(out.String(), test.want) {
				t.Errorf("converse on %q printed\n%s\nwant\n%s", test.lines, out.String(), test.want)
			}
			if err == nil && len(test.wantError) > 0 || err != nil && len(test.wantError) == 0 {
				t.Fatalf("converse on %q gave the error %v, want one with %q", test.lines, err, test.wantError)
			}
			for _, want := range test.wantError {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("converse on %q gave the error %q, want %q in it", test.lines, err, want)
				}
			}
		})
	}
}
