// Command MCPServer_helloWorld is the helloWorld aspect as an MCP server.
package main

import (
	helloworld "mcpserver/aspects/helloWorld"
	"mcpserver/core/server"
)

func main() { server.Main(helloworld.Aspect()) }
