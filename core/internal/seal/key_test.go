package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func noVariable(string) string { return "" }

func folderOf(path string) func() (string, error) {
	return func() (string, error) { return path, nil }
}

func variable(text string) func(string) string {
	return func(name string) string {
		if name == KeyVariable {
			return text
		}
		return ""
	}
}

func noFolder() (string, error) { return "", errors.New("no home") }

func TestSecretFromTheEnvironment(t *testing.T) {
	// A folder that cannot be had shows that it is not looked at.
	first, err := Secret(variable("sixteen bytes it"), noFolder)
	if err != nil || len(first) != KeySize {
		t.Fatalf("Secret = %d bytes, %v; want %d bytes", len(first), err, KeySize)
	}
	again, err := Secret(variable("sixteen bytes it"), noFolder)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the same text gave %x and %x, %v; want one secret", first, again, err)
	}
	other, err := Secret(variable("sixteen bytes is"), noFolder)
	if err != nil || bytes.Equal(first, other) {
		t.Errorf("another text gave %x as well, %v", other, err)
	}
}

func TestSecretFromTheEnvironmentIsTooShort(t *testing.T) {
	folder := t.TempDir()
	for _, text := range []string{"x", "fifteen bytes o"} {
		first, err := Secret(variable(text), folderOf(folder))
		if err == nil || !strings.Contains(err.Error(), KeyVariable) {
			t.Errorf("Secret with %q: %v, want an error that names %s", text, err, KeyVariable)
		}
		again, _ := Secret(variable(text), folderOf(folder))
		if len(first) != KeySize || bytes.Equal(first, again) {
			t.Errorf("Secret with %q gave %x and %x, want a random one each time", text, first, again)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("the folder has %v, %v; want it untouched", entries, err)
	}
}

func TestKeyFileIsMadeAtFirstUse(t *testing.T) {
	config := filepath.Join(t.TempDir(), "not", "there", "yet")
	first, err := Secret(noVariable, folderOf(config))
	if err != nil || len(first) != KeySize {
		t.Fatalf("Secret = %d bytes, %v; want %d bytes", len(first), err, KeySize)
	}
	if bytes.Equal(first, make([]byte, KeySize)) {
		t.Error("the secret is all zeros")
	}
	again, err := Secret(noVariable, folderOf(config))
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second use gave %x, %v; want %x", again, err, first)
	}
	entries, err := os.ReadDir(filepath.Join(config, "mcpserver"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "state.key" {
		t.Errorf("the folder has %v, %v; want state.key alone", entries, err)
	}
}

func TestConcurrentFirstUsesGiveOneKey(t *testing.T) {
	config := t.TempDir()
	const users = 20
	var secrets [users][]byte
	var problems [users]error
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() {
			<-start
			secrets[i], problems[i] = Secret(noVariable, folderOf(config))
		})
	}
	close(start)
	all.Wait()
	for i := range users {
		if problems[i] != nil || !bytes.Equal(secrets[i], secrets[0]) {
			t.Errorf("user %d has %x, %v; want %x as user 0", i, secrets[i], problems[i], secrets[0])
		}
	}
	entries, err := os.ReadDir(filepath.Join(config, "mcpserver"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want the key file alone", entries, err)
	}
}

// wantRandom wants two different secrets and an error with those words.
func wantRandom(t *testing.T, config func() (string, error), words ...string) {
	t.Helper()
	first, err := Secret(noVariable, config)
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Secret: %v, want an error with %q", err, word)
		}
	}
	again, _ := Secret(noVariable, config)
	if len(first) != KeySize || len(again) != KeySize || bytes.Equal(first, again) {
		t.Errorf("Secret gave %x and %x, want a random one each time", first, again)
	}
}

func TestNoFolder(t *testing.T) { wantRandom(t, noFolder, "no home") }

func TestFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRandom(t, folderOf(file), file)
}

func TestKeyFileOfTheWrongSize(t *testing.T) {
	for _, size := range []int{0, 1, KeySize - 1, KeySize + 1, 1 << 20} {
		path := keyFile(t, make([]byte, size))
		wantRandom(t, folderOf(filepath.Dir(filepath.Dir(path))), path, "bytes")
		if info, err := os.Stat(path); err != nil || info.Size() != int64(size) {
			t.Errorf("the key file of %d bytes was touched: %v, %v", size, info, err)
		}
	}
}

func TestKeyFileThatIsAFolder(t *testing.T) {
	config := t.TempDir()
	path := filepath.Join(config, "mcpserver", "state.key")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	wantRandom(t, folderOf(config), path, "regular")
}

// keyFile makes a key file of that content, and gives its path.
func keyFile(t *testing.T, content []byte) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "mcpserver")
	path := filepath.Join(folder, "state.key")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
