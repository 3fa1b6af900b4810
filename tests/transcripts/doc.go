// Package transcripts tests the servers as processes, by conversations that
// stand in testdata and can be read as documentation of the protocol.
//
// A transcript is a text file. A line that begins with # is a comment, blank
// lines mean nothing, and an indented line goes on with the line before it,
// without its indentation. Every other line begins with a word:
//
//	let NAME TEXT           «$NAME» stands for that text from here on
//	env NAME=VALUE          sets an environment variable of the programs that
//	                        are started from here on
//	serve PROGRAM [FLAGS]   starts a server, to talk to
//	run PROGRAM [FLAGS]     starts a program without any input
//	> LINE                  the client sends that line
//	>bytes "TEXT"           the client sends bytes, written as a Go string,
//	                        with no line end after them
//	< LINE                  the server's next line is exactly that one
//	<any LINE               several of these in a row: the server's next lines
//	                        are those, in any order
//	init REVISION [CAPABILITIES]
//	                        does the handshake as a client with these
//	                        capabilities
//	silence                 the server has written nothing more: the answer to
//	                        a ping comes next
//	eof                     closes the server's input
//	exits STATUS            the process ends with that status, and has written
//	                        nothing more to stdout
//	stderr REGEXP           the process writes to stderr what the regular
//	                        expression matches
//
// In the lines of < and <any, «REGEXP» stands for any text that the regular
// expression matches; «NAME=REGEXP» does, too, and gives what it was a name,
// for «$NAME» in later lines. In those of >, < and <any, «"TEXT"*COUNT» stands
// for the text, written as a Go string, that many times. A name is of small
// letters.
//
// # The two builds
//
// The same transcripts are played in both builds of the servers, the clamped
// one, which speaks the legacy revisions alone, and the unclamped one, which
// the build tag mcp20260728 makes. A line with [clamped] or [unclamped] before
// its word is for that build, along with the indented lines behind it; a file
// named clamped-*.txt or modern-*.txt is for the clamped or the unclamped build
// as a whole.
//
// Each transcript has a configuration folder of its own, where its servers keep
// the key by which a modern requestState survives a restart.
//
// Nothing in a transcript waits for time to pass. A step that takes longer than
// half a minute fails.
//
// To write a new transcript, put "< ?" where a line is to be expected, and let
// go test -update fill it in. What it wrote has to be read before it is believed.
//
// With the environment variable MCP_RECORDINGS, which names a folder, each
// conversation is recorded there in a file of its own, a JSON object a line:
// {"from":"client"|"server","line":"…"}. The names of those with the unclamped
// build begin with "unclamped-".
package transcripts
