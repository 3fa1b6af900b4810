//go:build unix && !aix

package process

import (
	"os"
	"testing"
)

// A stripped server is a small file.
func TestSizeOfTheBinaries(t *testing.T) {
	for _, binary := range allBinaries[1:] {
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() >= 6<<20 {
			t.Errorf("%s has %d bytes, want less than 6 MiB", binary, info.Size())
		}
	}
}
