package gateway

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpserver/core/server"
)

func BenchmarkCall(b *testing.B) {
	config := filepath.Join(b.TempDir(), "mcp.json")
	if err := os.WriteFile(config, []byte(`{"servers":{"hello":{"command":"`+os.Getenv("HELLO")+`"}}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	aspect := Aspect()
	add := aspect.Flags
	aspect.Flags = func(flags *flag.FlagSet) {
		add(flags)
		flags.Set("config", config)
	}
	inRead, inWrite, _ := os.Pipe()
	outRead, outWrite, _ := os.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), aspect, inRead, outWrite, nil) }()
	lines := bufio.NewReader(outRead)
	fmt.Fprintln(inWrite, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	fmt.Fprintln(inWrite, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	for {
		line, _ := lines.ReadString('\n')
		if strings.Contains(line, `"id":"l"`) {
			break
		}
	}
	b.ResetTimer()
	for i := range b.N {
		fmt.Fprintf(inWrite, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hello.helloWorld","arguments":{"name":"Eric"}}}`+"\n", i+1)
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, "Eric") {
			b.Fatal(line, err)
		}
	}
	b.StopTimer()
	inWrite.Close()
	<-served
}
