//go:build filesystem

package filesystem

import (
	"os"
	"path/filepath"
	"testing"
)

// comparison is some calls, and the difference that is meant to be in what they
// give.
type comparison struct {
	name       string
	prepare    func(t *testing.T, directory string)
	calls      []call
	difference string
}

type arguments = map[string]any

func edit(oldText, newText string) arguments {
	return arguments{"oldText": oldText, "newText": newText}
}

func read(path string) call { return call{"read_text_file", arguments{"path": path}} }

func comparisons() []comparison {
	return []comparison{
		{name: "allowed directories", calls: one("list_allowed_directories", arguments{})},
		{name: "read", calls: one("read_text_file", arguments{"path": "ROOT/README.md"})},
		{name: "read by the older name", calls: one("read_file", arguments{"path": "ROOT/README.md"})},
		{name: "read nothing", calls: one("read_text_file", arguments{"path": "ROOT/empty.txt"})},
		{name: "read line breaks of Windows", calls: one("read_text_file", arguments{"path": "ROOT/windows.txt"})},
		{name: "read a byte order mark", calls: one("read_text_file", arguments{"path": "ROOT/mark.txt"})},
		{name: "read what is not UTF-8", calls: one("read_text_file", arguments{"path": "ROOT/latin1.txt"})},
		{name: "read bytes as a text", calls: one("read_text_file", arguments{"path": "ROOT/data.bin"}), difference: "a file of bytes read as a text"},
		{name: "read a name with spaces", calls: one("read_text_file", arguments{"path": "ROOT/docs/a b.md"})},
		{name: "read a name beyond ASCII", calls: one("read_text_file", arguments{"path": "ROOT/docs/ü.md"})},
		{name: "read a directory", calls: one("read_text_file", arguments{"path": "ROOT/src"})},
		{name: "read what is not there", calls: one("read_text_file", arguments{"path": "ROOT/nope"})},
		{name: "read outside", calls: one("read_text_file", arguments{"path": "/etc/hostname"})},
		{name: "read up and out", calls: one("read_text_file", arguments{"path": "ROOT/../../etc/hostname"})},
		{name: "read up and down", calls: one("read_text_file", arguments{"path": "ROOT/src/../README.md"})},
		{name: "head", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": 2})},
		{name: "head of more than there is", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": 99})},
		{name: "head without a newline at the end", calls: one("read_text_file", arguments{"path": "ROOT/no-newline.txt", "head": 3})},
		{name: "tail", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "tail": 2}), difference: "`tail` of a file that ends with a line break"},
		{name: "tail without a newline at the end", calls: one("read_text_file", arguments{"path": "ROOT/no-newline.txt", "tail": 2})},
		{name: "tail of more than there is", calls: one("read_text_file", arguments{"path": "ROOT/no-newline.txt", "tail": 99})},
		{name: "head and tail", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": 1, "tail": 1})},
		{name: "image", calls: one("read_media_file", arguments{"path": "ROOT/picture.png"})},
		{name: "sound", calls: one("read_media_file", arguments{"path": "ROOT/sound.mp3"})},
		{name: "other media", calls: one("read_media_file", arguments{"path": "ROOT/data.bin"})},
		{name: "several files", calls: one("read_multiple_files", arguments{"paths": []string{"ROOT/README.md", "ROOT/empty.txt", "ROOT/src/util/util.go"}})},
		{name: "several files, one missing", calls: one("read_multiple_files", arguments{"paths": []string{"ROOT/README.md", "ROOT/nope"}}), difference: "the words of errors"},
		{name: "several files, none", calls: one("read_multiple_files", arguments{"paths": []string{}})},
		{name: "write a new file", calls: []call{{"write_file", arguments{"path": "ROOT/new.txt", "content": "ä\n"}}, read("ROOT/new.txt")}},
		{name: "write over a file", calls: one("write_file", arguments{"path": "ROOT/README.md", "content": "x"})},
		{name: "write where no directory is", calls: one("write_file", arguments{"path": "ROOT/no/new.txt", "content": "x"})},
		{name: "write to a directory", calls: one("write_file", arguments{"path": "ROOT/src", "content": "x"})},
		{name: "edit", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("second", "2nd")}})},
		{name: "edit twice", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("first", "1st"), edit("third\n", "3rd\n4th\n")}})},
		{name: "edit with other indentation", calls: one("edit_file", arguments{"path": "ROOT/src/main.go", "edits": []arguments{edit("if true {\n\tprintln(\"hi\")\n}", "if false {\n\tprintln(\"ho\")\n}")}}), difference: "which of several equal lines a diff keeps"},
		{name: "edit what is not there", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("nope", "x")}})},
		{name: "edit what is there twice", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("i", "x")}}), difference: "an edit whose text is there more than once"},
		{name: "edit line breaks of Windows", calls: one("edit_file", arguments{"path": "ROOT/windows.txt", "edits": []arguments{edit("two", "2")}}), difference: "an edit in a file with CRLF"},
		{name: "edit what is not UTF-8", calls: one("edit_file", arguments{"path": "ROOT/latin1.txt", "edits": []arguments{edit("bar", "baz")}}), difference: "an edit in a file that is not UTF-8"},
		{name: "look at an edit", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("second", "2nd")}, "dryRun": true})},
		{name: "edit with backquotes", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("second", "```")}})},
		{name: "make a directory", calls: one("create_directory", arguments{"path": "ROOT/a"})},
		{name: "make directories", calls: one("create_directory", arguments{"path": "ROOT/a/b/c"})},
		{name: "make a directory that is there", calls: one("create_directory", arguments{"path": "ROOT/src"})},
		{name: "make a directory in place of a file", calls: one("create_directory", arguments{"path": "ROOT/README.md"})},
		{name: "list", calls: one("list_directory", arguments{"path": "ROOT"})},
		{name: "list nothing", calls: one("list_directory", arguments{"path": "ROOT/nothing"})},
		{name: "list a file", calls: one("list_directory", arguments{"path": "ROOT/README.md"})},
		{name: "list with sizes", calls: one("list_directory_with_sizes", arguments{"path": "ROOT"}), difference: "the order of names in `list_directory_with_sizes`"},
		{name: "list by size", calls: one("list_directory_with_sizes", arguments{"path": "ROOT", "sortBy": "size"}), difference: "directories in a list that is sorted by size"},
		{name: "list nothing with sizes", calls: one("list_directory_with_sizes", arguments{"path": "ROOT/nothing"})},
		{name: "tree", calls: one("directory_tree", arguments{"path": "ROOT"})},
		{name: "tree without some", calls: one("directory_tree", arguments{"path": "ROOT", "excludePatterns": []string{"util", "*.md"}})},
		{name: "tree of nothing", calls: one("directory_tree", arguments{"path": "ROOT/nothing"})},
		{name: "search", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/*.go"})},
		{name: "search at the top", calls: one("search_files", arguments{"path": "ROOT", "pattern": "*.md"})},
		{name: "search for hidden ones", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/.hidden"})},
		{name: "search with braces", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/*.{go,json}"})},
		{name: "search without some", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/*", "excludePatterns": []string{"**/util/**", "docs"}})},
		{name: "search for nothing", calls: one("search_files", arguments{"path": "ROOT", "pattern": ""})},
		{name: "search below", calls: one("search_files", arguments{"path": "ROOT", "pattern": "src/**"})},
		{name: "search for all", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**"})},
		{name: "search with a class", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/[a-m]*.txt"})},
		{name: "search in upper case", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/*.GO"})},
		{name: "search with a broken pattern", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/[a"}), difference: "a malformed pattern"},
		{name: "search in a file", calls: one("search_files", arguments{"path": "ROOT/README.md", "pattern": "*"})},
		{name: "search without a directory", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/*.go", "excludePatterns": []string{"src/util"}})},
		{name: "tree without a directory", calls: one("directory_tree", arguments{"path": "ROOT", "excludePatterns": []string{"**/util"}})},
		{name: "tree of a file", calls: one("directory_tree", arguments{"path": "ROOT/README.md"})},
		{name: "tree with links", prepare: link("../src", "nothing/link"), calls: one("directory_tree", arguments{"path": "ROOT/nothing"})},
		{name: "edit nothing", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{}})},
		{name: "edit an empty text", calls: one("edit_file", arguments{"path": "ROOT/README.md", "edits": []arguments{edit("", "x")}}), difference: "an edit that replaces the empty text"},
		{name: "edit the last line", calls: one("edit_file", arguments{"path": "ROOT/no-newline.txt", "edits": []arguments{edit("three", "3\n")}})},
		{name: "head of no lines", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": 0})},
		{name: "head of fewer than no lines", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": -1}), difference: "`head` and `tail` that are negative or no whole number"},
		{name: "half a line", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "head": 1.5}), difference: "`head` and `tail` that are negative or no whole number"},
		{name: "write what is no text", calls: one("write_file", arguments{"path": "ROOT/x", "content": 7})},
		{name: "an argument too many", calls: one("read_text_file", arguments{"path": "ROOT/README.md", "x": 1})},
		{name: "a relative path", calls: one("read_text_file", arguments{"path": "README.md"})},
		{name: "a path with NUL", calls: one("read_text_file", arguments{"path": "ROOT/README.md\x00"})},
		{name: "the path of a file's neighbour", calls: one("read_text_file", arguments{"path": "ROOTx/README.md"})},
		{name: "write through a link", prepare: link("README.md", "link.md"), calls: one("write_file", arguments{"path": "ROOT/link.md", "content": "x"})},
		{name: "edit through a link", prepare: link("README.md", "link.md"), calls: one("edit_file", arguments{"path": "ROOT/link.md", "edits": []arguments{edit("second", "2nd")}}), difference: "the path in a diff of a linked file"},
		{name: "search in vain", calls: one("search_files", arguments{"path": "ROOT", "pattern": "**/nope"})},
		{name: "move", calls: one("move_file", arguments{"source": "ROOT/README.md", "destination": "ROOT/docs/R.md"})},
		{name: "move a directory", calls: one("move_file", arguments{"source": "ROOT/src", "destination": "ROOT/source"})},
		{name: "move to what is there", calls: one("move_file", arguments{"source": "ROOT/README.md", "destination": "ROOT/empty.txt"})},
		{name: "move what is not there", calls: one("move_file", arguments{"source": "ROOT/nope", "destination": "ROOT/x"})},
		{name: "move into nowhere", calls: one("move_file", arguments{"source": "ROOT/README.md", "destination": "ROOT/no/x"})},
		{name: "without a path", calls: one("read_text_file", arguments{}), difference: "a required argument that is missing"},
		{name: "with a path that is none", calls: one("read_text_file", arguments{"path": 7})},
		{name: "read through a link", prepare: link("README.md", "link.md"), calls: []call{read("ROOT/link.md")}},
		{name: "read through a link that leads outside", prepare: link("/etc/hostname", "link.md"), calls: []call{read("ROOT/link.md")}},
		{name: "move a link", prepare: link("README.md", "link.md"), calls: one("move_file", arguments{"source": "ROOT/link.md", "destination": "ROOT/moved.md"}), difference: "moving a link"},
		{name: "list links", prepare: link("src", "nothing/link"), calls: one("list_directory", arguments{"path": "ROOT/nothing"})},
		{name: "list a name with a line break", prepare: name("nothing/a\n[DIR] b"), calls: one("list_directory", arguments{"path": "ROOT/nothing"}), difference: "a line break in a name"},
	}
}

func link(target, path string) func(*testing.T, string) {
	return func(t *testing.T, directory string) {
		if err := os.Symlink(target, filepath.Join(directory, path)); err != nil {
			t.Fatal(err)
		}
	}
}

func name(path string) func(*testing.T, string) {
	return func(t *testing.T, directory string) {
		if err := os.WriteFile(filepath.Join(directory, path), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
