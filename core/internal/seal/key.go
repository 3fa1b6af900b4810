package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// KeyVariable is the environment variable that gives the secret. It may be any
// text of at least 16 bytes.
const KeyVariable = "MCPSERVER_STATE_KEY"

const shortestSecret = 16

// Secret gives the secret that survives a restart: from the environment, else
// from the key file in the user's configuration folder, which is made at first
// use. When neither can be had, it gives a random one for this process alone,
// and an error that says why.
func Secret(getenv func(string) string, configFolder func() (string, error)) ([]byte, error) {
	if text := getenv(KeyVariable); text != "" {
		if len(text) >= shortestSecret {
			secret := sha256.Sum256([]byte(text))
			return secret[:], nil
		}
		return Random(), fmt.Errorf("%s is shorter than %d bytes and is not used", KeyVariable, shortestSecret)
	}
	folder, err := configFolder()
	if err != nil {
		return Random(), fmt.Errorf("no folder for the key file: %w", err)
	}
	secret, err := fileSecret(filepath.Join(folder, "mcpserver"))
	if err != nil {
		return Random(), err
	}
	return secret, nil
}

// Random gives a secret for this process alone.
func Random() []byte {
	secret := make([]byte, KeySize)
	// crypto/rand.Read never fails.
	_, _ = rand.Read(secret)
	return secret
}

// fileSecret reads the key file in the folder, or makes it.
func fileSecret(folder string) ([]byte, error) {
	path := filepath.Join(folder, "state.key")
	secret, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the key file's folder: %w", err)
	}
	if err := writeKey(folder, path); err != nil {
		return nil, err
	}
	return readKey(path)
}

// readKey refuses a file that others could have read or planted.
func readKey(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("the key file: %w", err)
	}
	if err := checkPrivate(info); err != nil {
		return nil, fmt.Errorf("the key file %s %w", path, err)
	}
	if info.Size() != KeySize {
		return nil, fmt.Errorf("the key file %s has %d bytes instead of %d; remove it to have a new one made", path, info.Size(), KeySize)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the key file: %w", err)
	}
	defer file.Close()
	secret := make([]byte, KeySize)
	if _, err := io.ReadFull(file, secret); err != nil {
		return nil, fmt.Errorf("the key file %s: %w", path, err)
	}
	return secret, nil
}

// writeKey puts a whole key file in place. When another process was faster,
// its file stays.
func writeKey(folder, path string) error {
	file, err := os.CreateTemp(folder, "state.key.*")
	if err != nil {
		return fmt.Errorf("making the key file: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(Random())
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("making the key file: %w", err)
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the key file: %w", err)
	}
	return nil
}
