// Command MCPServer_wordArt is the wordArt aspect as an MCP server.
package main

import (
	wordart "mcpserver/aspects/wordArt"
	"mcpserver/core/server"
)

func main() { server.Main(wordart.Aspect()) }
