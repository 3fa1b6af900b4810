// Package filesystem is a server for files within allowed directories. Its
// tools and their arguments are those of the npm package
// @modelcontextprotocol/server-filesystem, so that it can take that server's
// place in a client's configuration.
//
// The life of a call:
//
//	arrive (order.go)            takes its turn among calls on the same paths
//	Execute (toolserver)
//	  the tool (tools.go)        read.go, write.go, edit.go, tree.go, …
//	    begin (access.go)        what this one call may reach
//	      locate                 paths to places, asking for those outside
//	        walk (walk.go)       a path, component by component, through os.Root
//	    the work, on places
//	    close                    nothing stays open between calls
package filesystem

import (
	"context"
	"sync"
	"time"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// Name is what the server is called among tool servers.
const Name = "filesystem"

// Server serves files within allowed directories to hosts in this process. It
// is safe for concurrent use. New makes one.
type Server struct {
	*toolserver.Base

	locks  locks
	memory budget
	// reportEvery is after how many entries of a traversal progress is told.
	reportEvery int
	// rootsLimit is how long calls wait for the client's roots.
	rootsLimit time.Duration

	mu       sync.RWMutex // guards what follows
	settings Settings
	given    directories // of the command line, SetWorkingDir or Configure
	roots    roots
}

// New makes a server. The error says which setting or directory is wrong; a
// directory that does not exist is one.
func New(settings Settings, paths ...string) (*Server, error) {
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	if err := settings.validate(); err != nil {
		return nil, err
	}
	given, skipped := newDirectories(paths)
	if len(skipped) > 0 {
		return nil, skipped[0]
	}
	s.settings, s.given = settings, given
	return s, nil
}

// newServer makes a server without any directory.
func newServer() (s *Server, err error) {
	s = &Server{settings: DefaultSettings(), reportEvery: reportEvery, rootsLimit: rootsLimit}
	s.Base, err = toolserver.NewBase(Name, s.tools()...)
	return s, err
}

// SetWorkingDir implements toolserver.Server: the folder becomes the one
// allowed directory.
func (s *Server) SetWorkingDir(path string) error {
	given, skipped := newDirectories([]string{path})
	if len(skipped) > 0 {
		return skipped[0]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given = given
	return nil
}

// SkipDuplicateCheck implements toolserver.Server: what is read may have
// changed since.
func (s *Server) SkipDuplicateCheck(tool string) bool {
	registered, found := s.Registry().Tool(tool)
	return found && registered.Access == toolserver.Read
}

// current gives the settings, and the directories that calls may reach now.
func (s *Server) current() (Settings, directories) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.settings, s.roots.apply(s.given, s.settings.Roots)
}

// Aspect makes the filesystem server.
func Aspect() *core.Aspect { return aspectOf(newServer()) }

func aspectOf(s *Server, err error) *core.Aspect {
	started := &startup{server: s, problem: err}
	made := core.Aspect{
		Name:        "MCPServer_filesystem",
		Version:     "0.1.0",
		Title:       "Files",
		Description: "Reads, writes and searches files within the directories that it is given.",
		// Calls begin in order of arrival and go on side by side: see order.
		Asynchronous:   false,
		Flags:          started.flags,
		Positional:     "[directory ...]",
		OnStartup:      started.start,
		OnInitialized:  started.askForRoots,
		OnNotification: started.notice,
		OnShutdown:     started.stop,
		SelfTests:      selfTests(),
	}
	if err != nil {
		return &made // OnStartup tells the error
	}
	// s overrides nothing that an aspect is made of.
	aspect := toolserver.Aspect(s.Base, &toolserver.Options{Aspect: made})
	started.turns = newOrder(func(tool string, arguments toolserver.Arguments) []claim { return s.claims(tool, arguments) })
	for i := range aspect.Tools {
		started.turns.wrap(&aspect.Tools[i])
	}
	return aspect
}

// startup joins the server to the one client that it is served to.
type startup struct {
	server  *Server
	turns   *order
	problem error
	line    commandLine
	working sync.WaitGroup // the goroutines that start and askForRoots begin

	mu   sync.Mutex // guards what follows
	host core.Host
	// serving ends when serving does.
	serving context.Context
	// asked is how often the client's roots were to be asked for, and withdraw,
	// while a question is open, ends it.
	asked    int
	withdraw context.CancelFunc
	// gate holds calls back while a question is open, until patience ends.
	gate     chan struct{}
	patience *time.Timer
	// swept has the real paths of the directories that were swept.
	swept map[string]bool
}
