// Command exchange shows a conversation with an MCP server. It sends the
// messages on its stdin to the server, one a line, waits for the answer to each
// request, and prints both sides. A line that begins with # is printed alone.
//
//	go run ./scripts/exchange SERVER [ARGUMENT ...] < conversation
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long the whole conversation may take.
const patience = 30 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: exchange SERVER [ARGUMENT ...] < conversation")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := converse(exec.CommandContext(ctx, os.Args[1], os.Args[2:]...), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "exchange:", err)
		os.Exit(1)
	}
}

// converse starts the server and prints what it and the client's lines say.
// What the server writes to its stderr is part of the error, if there is one.
func converse(server *exec.Cmd, lines io.Reader, out io.Writer) error {
	var notices bytes.Buffer
	server.Stderr = &notices
	toServer, err := server.StdinPipe()
	if err != nil {
		return err
	}
	fromServer, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	messages := bufio.NewReader(fromServer)
	err = errors.Join(exchange(lines, toServer, messages, out), toServer.Close(), printRest(messages, out))
	if err := errors.Join(err, server.Wait()); err != nil {
		return fmt.Errorf("%w\n%s", err, notices.Bytes())
	}
	return nil
}

// exchange sends the client's lines and prints both sides.
func exchange(lines io.Reader, toServer io.Writer, fromServer *bufio.Reader, out io.Writer) error {
	input := bufio.NewScanner(lines)
	for input.Scan() {
		line := input.Text()
		if strings.HasPrefix(line, "#") {
			fmt.Fprintf(out, "\n%s\n", line)
			continue
		}
		fmt.Fprintf(out, "client: %s\n", line)
		if _, err := fmt.Fprintln(toServer, line); err != nil {
			return fmt.Errorf("sending %s: %w", line, err)
		}
		if err := awaitAnswer(line, fromServer, out); err != nil {
			return err
		}
	}
	return input.Err()
}

// printRest prints what the server says until it ends.
func printRest(fromServer *bufio.Reader, out io.Writer) error {
	for {
		if _, err := nextMessage(fromServer, out); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// awaitAnswer prints what the server says up to its answer, if the line is a
// request, for which there is one.
func awaitAnswer(line string, fromServer *bufio.Reader, out io.Writer) error {
	request, err := readHead([]byte(line))
	if err != nil || request.ID == nil {
		return err
	}
	for {
		text, err := nextMessage(fromServer, out)
		if err != nil {
			return fmt.Errorf("waiting for the answer to %s: %w", line, err)
		}
		message, err := readHead(text)
		if err != nil {
			return err
		}
		if message.Method == "" && bytes.Equal(message.ID, request.ID) {
			return nil
		}
	}
}

// nextMessage reads one message of the server and prints it.
func nextMessage(fromServer *bufio.Reader, out io.Writer) ([]byte, error) {
	text, err := fromServer.ReadBytes('\n')
	if err == nil {
		_, err = fmt.Fprintf(out, "server: %s", text)
	}
	return text, err
}

// head is what tells the kinds of messages apart.
type head struct {
	ID     json.RawMessage
	Method string
}

func readHead(line []byte) (head, error) {
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		return head{}, fmt.Errorf("reading %s: %w", line, err)
	}
	return h, nil
}
