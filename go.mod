module mcpserver

go 1.26.8

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/spf13/pflag v1.1.0
	github.com/tidwall/gjson v1.20.3
	github.com/tidwall/jsonc v0.3.3
	github.com/tidwall/sjson v1.2.9
	golang.org/x/sys v0.50.0
	golang.org/x/text v0.44.0
)

require (
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
