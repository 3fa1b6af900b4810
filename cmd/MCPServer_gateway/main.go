// Command MCPServer_gateway is the gateway aspect as an MCP server.
package main

import (
	"mcpserver/aspects/gateway"
	"mcpserver/core/server"
)

func main() { server.Main(gateway.Aspect()) }
