package main

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	validName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,63}$`)
	makeTarget = regexp.MustCompile(`(?m)^([A-Za-z-]+):`)
)

// reserved are names that Go, its tools or this module give a meaning of their
// own to, as the name of a package or of a folder.
var reserved = []string{"init", "internal", "main", "server", "testdata", "vendor"}

// checkName tells why no aspect of that name can be made in the module at root.
func checkName(root, name string) error {
	lower := strings.ToLower(name)
	switch {
	case !validName.MatchString(name):
		return fmt.Errorf("the name %q is not a letter (a to z, A to Z) and then letters and digits, 64 at most", name)
	case token.IsKeyword(lower):
		return fmt.Errorf("the name %q is a keyword of Go", name)
	case slices.Contains(reserved, lower):
		return fmt.Errorf("the name %q has a meaning of its own in Go or in this module", name)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return err
	}
	for _, target := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		if target[1] == name {
			return fmt.Errorf("the name %q is a target of make", name)
		}
	}
	return errors.Join(
		checkFree(filepath.Join(root, "aspects"), name),
		checkFree(filepath.Join(root, "cmd"), "MCPServer_"+name),
	)
}

// checkFree tells that a folder has an entry of that name already. Some file
// systems do not tell upper from lower case, so neither does it.
func checkFree(folder, name string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.EqualFold(entry.Name(), name) {
			return fmt.Errorf("%s is there already", filepath.Join(folder, entry.Name()))
		}
	}
	return nil
}
