package stdio

import "os"

// Source reads a file.
type Source struct{ *os.File }

// NewSource makes a source of a file, which it takes over.
func NewSource(file *os.File) (*Source, error) { return &Source{file}, nil }
