package seal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe would be waited for without end if it were opened.
func TestKeyFileThatIsAPipe(t *testing.T) {
	config := t.TempDir()
	path := filepath.Join(config, "mcpserver", "state.key")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRandom(t, folderOf(config), path, "regular")
}
