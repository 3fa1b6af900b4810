package toolserver

import "mcpserver/core/internal/envelope"

// Response is what Execute gives, read.
type Response struct {
	// Result is for the model; for a call that failed it says why.
	Result string
	// Directives are for the host to follow, in this order. A call that failed
	// has none.
	Directives []Directive
	// IsError says that the call failed.
	IsError bool
}

// ParseResponse reads the JSON that Execute gave. The error says that it is no
// response; that of a Base always is one.
func ParseResponse(response string) (Response, error) {
	parsed, err := envelope.Parse(response)
	if err != nil {
		return Response{}, err
	}
	read := Response{Result: parsed.Result, IsError: parsed.IsError}
	for _, directive := range parsed.Directives {
		read.Directives = append(read.Directives, Directive{directive})
	}
	return read, nil
}
