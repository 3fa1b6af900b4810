package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const (
	// clientTests has the suite among its packages, for the schemas in it.
	clientTests = "tests/clients/node"
	// nodeFolder has a Node.js as a package, for systems whose own is too old.
	nodeFolder = "tests/conformance"

	leastNode = 22 // the suite does not start with less
)

// fetchSuite gives the suite. Of it and of Node.js it fetches what is missing.
func fetchSuite(ctx context.Context) (suite, error) {
	if err := install(ctx, clientTests); err != nil {
		return suite{}, err
	}
	node, err := fetchNode(ctx)
	if err != nil {
		return suite{}, err
	}
	program := filepath.Join(clientTests, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(program); err != nil {
		return suite{}, fmt.Errorf("the conformance suite: %w", err)
	}
	return suite{node: node, program: program}, nil
}

func fetchNode(ctx context.Context) (string, error) {
	if isNewEnough(ctx, "node") {
		return "node", nil
	}
	if err := install(ctx, nodeFolder); err != nil {
		return "", err
	}
	cpu := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	node := filepath.Join(nodeFolder, "node_modules", "node-"+runtime.GOOS+"-"+cpu, "bin", "node")
	if !isNewEnough(ctx, node) {
		return "", fmt.Errorf("the conformance suite needs Node.js %d or newer; the lockfile has none for %s on %s, so install it from nodejs.org", leastNode, runtime.GOOS, cpu)
	}
	return node, nil
}

// isNewEnough reports whether a program is there and is a Node.js that the suite
// starts with.
func isNewEnough(ctx context.Context, node string) bool {
	output, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return false
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(output)), "v"), ".")
	number, err := strconv.Atoi(major)
	return err == nil && number >= leastNode
}

// install fetches the packages that a folder's lockfile names, unless they are
// there.
func install(ctx context.Context, folder string) error {
	lock, err := os.Stat(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	installed, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err == nil && !installed.ModTime().Before(lock.ModTime()) {
		return nil
	}
	npm := exec.CommandContext(ctx, "npm", "ci")
	npm.Dir = folder
	npm.Stdout, npm.Stderr = os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return fmt.Errorf("npm ci in %s: %w", folder, err)
	}
	return nil
}
