// Command MCPServer_everything is the everything aspect as an MCP server.
package main

import (
	"mcpserver/aspects/everything"
	"mcpserver/core/server"
)

func main() { server.Main(everything.Aspect()) }
