// Command MCPServer_setReminder is the setReminder aspect as an MCP server.
package main

import (
	setreminder "mcpserver/aspects/setReminder"
	"mcpserver/core/server"
)

func main() { server.Main(setreminder.Aspect()) }
