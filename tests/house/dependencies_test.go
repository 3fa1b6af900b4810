package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDependenciesHaveReasons: docs/ARCHITECTURE.md names each library that
// go.mod requires directly.
func TestDependenciesHaveReasons(t *testing.T) {
	edit := exec.Command("go", "mod", "edit", "-json")
	edit.Dir = root
	output, err := edit.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(output, &file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range file.Require {
		if !required.Indirect && !strings.Contains(string(text), "`"+required.Path+"`") {
			t.Errorf("docs/ARCHITECTURE.md does not say why go.mod requires %s", required.Path)
		}
	}
}
