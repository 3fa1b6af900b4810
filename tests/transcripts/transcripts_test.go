package transcripts

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpserver/aspects/everything"
	helloworld "mcpserver/aspects/helloWorld"
	setreminder "mcpserver/aspects/setReminder"
	wordart "mcpserver/aspects/wordArt"
	"mcpserver/core"
	"mcpserver/core/server"
	"mcpserver/tests/probe"
)

var update = flag.Bool("update", false, "fill in the lines of the transcripts that say ?")

// TestMain lets copies of the test binary stand in for the servers.
func TestMain(m *testing.M) {
	program := func(aspect func() *core.Aspect) func() {
		return func() { server.Main(aspect()) }
	}
	testscript.Main(m, map[string]func(){
		"MCPServer_helloWorld":     program(helloworld.Aspect),
		"MCPServer_everything":     program(everything.Aspect),
		"MCPServer_setReminder":    program(setreminder.Aspect),
		"MCPServer_wordArt":        program(wordart.Aspect),
		"MCPServer_probe":          program(probe.Aspect),
		"MCPServer_probeAsync":     program(probe.AsyncAspect),
		"MCPServer_probeHooks":     program(probe.Hooks),
		"MCPServer_probeDynamic":   program(probe.Dynamic),
		"MCPServer_probeLibrary":   program(probe.Library),
		"MCPServer_probePreparing": program(probe.Preparing),
		"MCPServer_probeBroken":    program(probe.Broken),
	})
}

func TestTranscripts(t *testing.T) {
	for _, path := range transcriptFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			played, err := play(t, name, string(text))
			if err != nil {
				t.Errorf("%s:%v", path, err)
			}
			if *update && played != string(text) {
				if err := os.WriteFile(path, []byte(played), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// transcriptFiles gives the transcripts that this build plays.
func transcriptFiles(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no transcripts in testdata (%v)", err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !thisBuild.isPlayed(path) })
}
