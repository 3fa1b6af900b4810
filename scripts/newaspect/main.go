// Command newaspect writes a new aspect: its package with a test, both copies of
// the one in the folder myAspect, and the command that makes a server of it. It
// is what "make aspect" runs, in the root of the module.
//
//	go run ./scripts/newaspect NAME
package main

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed myAspect
var model embed.FS

// The model's names, in whose place the new ones come.
const (
	modelName    = "myAspect"
	modelPackage = "myaspect"
)

// command is the main.go of a new aspect.
const command = `// Command MCPServer_myAspect is the myAspect aspect as an MCP server.
package main

import (
	myaspect "mcpserver/aspects/myAspect"
	"mcpserver/core/server"
)

func main() { server.Main(myaspect.Aspect()) }
`

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" {
		fmt.Fprintln(os.Stderr, "usage: make aspect NAME=myAspect")
		os.Exit(2)
	}
	name := os.Args[1]
	files, err := create(".", name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "no aspect was made: %v\n", err)
		os.Exit(1)
	}
	for _, file := range files {
		fmt.Println("wrote", filepath.ToSlash(file))
	}
	fmt.Printf("make %s builds the server, and build/Release/MCPServer_%s Test runs its self-tests.\n", name, name)
}

// create writes the files of an aspect of that name into the module at root,
// and gives their paths. It overwrites nothing.
func create(root, name string) (files []string, err error) {
	if err := checkName(root, name); err != nil {
		return nil, err
	}
	contents := map[string]string{path.Join("cmd", "MCPServer_"+modelName, "main.go"): command}
	for _, file := range []string{"myAspect/myAspect.go", "myAspect/myAspect_test.go"} {
		content, err := model.ReadFile(file)
		if err != nil {
			return nil, err
		}
		contents[path.Join("aspects", file)] = string(content)
	}
	renamed := strings.NewReplacer(modelName, name, modelPackage, strings.ToLower(name))
	for _, file := range slices.Sorted(maps.Keys(contents)) {
		created := filepath.FromSlash(renamed.Replace(file))
		if err := write(filepath.Join(root, created), renamed.Replace(contents[file])); err != nil {
			return nil, err
		}
		files = append(files, created)
	}
	return files, nil
}

// write makes a new file.
func write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}
