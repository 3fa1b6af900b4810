// Command MCPServer_filesystem is the filesystem aspect as an MCP server.
package main

import (
	"mcpserver/aspects/filesystem"
	"mcpserver/core/server"
)

func main() { server.Main(filesystem.Aspect()) }
