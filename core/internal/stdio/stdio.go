// Package stdio sets a server's standard descriptors right: stdout belongs to
// the protocol alone, and neither a stderr that nobody reads nor a pipe that
// was closed can stop the server.
//
// What differs between operating systems is in a file for each of them.
package stdio
