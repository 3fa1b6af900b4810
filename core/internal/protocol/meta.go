package protocol

// Keys of _meta that the protocol reserves (specification 2026-07-28,
// basic/index).
const (
	MetaPrefix             = "io.modelcontextprotocol/"
	MetaProtocolVersion    = MetaPrefix + "protocolVersion"
	MetaClientCapabilities = MetaPrefix + "clientCapabilities"
	MetaClientInfo         = MetaPrefix + "clientInfo"
	MetaLogLevel           = MetaPrefix + "logLevel"
	MetaServerInfo         = MetaPrefix + "serverInfo"
	MetaSubscriptionID     = MetaPrefix + "subscriptionId"
	MetaProgressToken      = "progressToken"
)
