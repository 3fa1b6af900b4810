//go:build npmserver && unix && !aix

package filesystem

// The differences: what they are about, as docs/FILESYSTEM.md has it.
const (
	binaryFiles       = "binary files"
	partsOfFiles      = "`head` and `tail`"
	lineCounts        = "line counts"
	namesOfLinks      = "paths through links"
	errorTexts        = "error texts"
	danglingLinks     = "links that lead to nothing"
	editedIndentation = "indentation of an edit that differs by white space alone"
	editedBytes       = "what edits leave alone"
	severalMatches    = "several matches of an edit"
	emptyOldText      = "an empty `oldText`"
	diffLines         = "lines of a diff"
	sizesOfLinks      = "sizes of links"
	orderOfNames      = "order of names"
	lineBreaksInNames = "line breaks in names"
	emptyPatterns     = "empty patterns"
	patternSyntax     = "pattern syntax"
	malformedPatterns = "malformed patterns"
	movedLinks        = "moving links"
	foundLinks        = "links in searches"
	times             = "times"
)

// untold are differences that no two calls of these show: the npm server does
// not come back from them, or they are about many calls, rights or directories.
// Other tests show what happens here.
var untold = []string{
	"pipes and devices", "large messages", "deep trees", "slow patterns", "many edits", "unreadable directories",
	"parallel edits", "parallel moves", "interrupted writes", "modes of new files", "limits", "roots",
	"`replaceAll`", "`--outside`", "order of calls",
}

// comparison is a call of both servers.
type comparison struct {
	tool  string
	given arguments
	// differs is the difference that it shows, one of those in
	// docs/FILESYSTEM.md; "" if both servers do the same.
	differs string
}

func edits(texts ...string) []arguments {
	var made []arguments
	for i := 0; i < len(texts); i += 2 {
		made = append(made, arguments{"oldText": texts[i], "newText": texts[i+1]})
	}
	return made
}

var comparisons = []comparison{
	{"read_text_file", arguments{"path": "a.txt"}, ""},
	{"read_text_file", arguments{"path": "<root>/a.txt"}, ""},
	{"read_text_file", arguments{"path": "sub/../a.txt"}, ""},
	{"read_text_file", arguments{"path": "./sub//b.txt"}, ""},
	{"read_text_file", arguments{"path": "windows.txt"}, ""},
	{"read_text_file", arguments{"path": "mark.txt"}, ""},
	{"read_text_file", arguments{"path": "latin1.txt"}, ""},
	{"read_text_file", arguments{"path": "open.txt"}, ""},
	{"read_text_file", arguments{"path": "empty.txt"}, ""},
	{"read_text_file", arguments{"path": ".hidden"}, ""},
	{"read_text_file", arguments{"path": "größe.txt"}, ""},
	{"read_text_file", arguments{"path": "gro\u0308ße.txt"}, ""},
	{"read_text_file", arguments{"path": "link"}, ""},
	{"read_text_file", arguments{"path": "linkdir/b.txt"}, ""},
	{"read_text_file", arguments{"path": "absolute"}, ""},
	{"read_text_file", arguments{"path": "outside"}, ""},
	{"read_text_file", arguments{"path": "dangling"}, ""},
	{"read_text_file", arguments{"path": "/etc/hostname"}, ""},
	{"read_text_file", arguments{"path": "../x"}, ""},
	{"read_text_file", arguments{"path": "<root>x/a"}, ""},
	{"read_text_file", arguments{"path": "none"}, ""},
	{"read_text_file", arguments{"path": "sub"}, ""},
	{"read_text_file", arguments{"path": "a.txt/x"}, ""},
	{"read_text_file", arguments{"path": ""}, ""},
	{"read_text_file", arguments{"path": "a\x00"}, ""},
	{"read_text_file", arguments{"path": "C:\\a.txt"}, ""},
	{"read_text_file", arguments{"path": " a.txt"}, ""},
	{"read_text_file", arguments{}, ""},
	{"read_text_file", arguments{"path": 5}, ""},
	{"read_text_file", arguments{"path": "binary"}, binaryFiles},
	{"read_text_file", arguments{"path": "a.txt", "head": 1}, ""},
	{"read_text_file", arguments{"path": "a.txt", "head": 2}, ""},
	{"read_text_file", arguments{"path": "a.txt", "head": 3}, ""},
	{"read_text_file", arguments{"path": "a.txt", "head": 9}, ""},
	{"read_text_file", arguments{"path": "a.txt", "head": 0}, ""},
	{"read_text_file", arguments{"path": "open.txt", "head": 9}, ""},
	{"read_text_file", arguments{"path": "windows.txt", "head": 2}, partsOfFiles},
	{"read_text_file", arguments{"path": "long.txt", "head": 300}, ""},
	{"read_text_file", arguments{"path": "a.txt", "head": -1}, lineCounts},
	{"read_text_file", arguments{"path": "a.txt", "head": 1.5}, lineCounts},
	{"read_text_file", arguments{"path": "a.txt", "tail": 1}, partsOfFiles},
	{"read_text_file", arguments{"path": "a.txt", "tail": 2}, partsOfFiles},
	{"read_text_file", arguments{"path": "a.txt", "tail": 9}, partsOfFiles},
	{"read_text_file", arguments{"path": "open.txt", "tail": 1}, ""},
	{"read_text_file", arguments{"path": "open.txt", "tail": 2}, ""},
	{"read_text_file", arguments{"path": "open.txt", "tail": 9}, ""},
	{"read_text_file", arguments{"path": "windows.txt", "tail": 9}, partsOfFiles},
	{"read_text_file", arguments{"path": "a.txt", "head": 1, "tail": 1}, ""},
	{"read_file", arguments{"path": "a.txt"}, ""},
	{"read_file", arguments{"path": "open.txt", "tail": 1}, ""},

	{"read_media_file", arguments{"path": "picture.png"}, ""},
	{"read_media_file", arguments{"path": "sound.mp3"}, ""},
	{"read_media_file", arguments{"path": "data.bin"}, ""},
	{"read_media_file", arguments{"path": "other/same [x].txt"}, ""},
	{"read_media_file", arguments{"path": "größe.txt"}, ""},
	{"read_media_file", arguments{"path": "link"}, namesOfLinks},
	{"read_media_file", arguments{"path": "none.png"}, ""},
	{"read_media_file", arguments{"path": "sub"}, ""},

	{"read_multiple_files", arguments{"paths": []string{"a.txt", "sub/b.txt", "größe.txt"}}, ""},
	{"read_multiple_files", arguments{"paths": []string{"a.txt"}}, ""},
	{"read_multiple_files", arguments{"paths": []string{"a.txt", "none"}}, errorTexts},
	{"read_multiple_files", arguments{"paths": []string{}}, ""},

	{"write_file", arguments{"path": "a.txt", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "new.txt", "content": "für\r\nalle"}, ""},
	{"write_file", arguments{"path": "script", "content": "#!/bin/sh\n"}, ""},
	{"write_file", arguments{"path": "link", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "absolute", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "linkdir/new", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "dangling", "content": "new\n"}, danglingLinks},
	{"write_file", arguments{"path": "none/x", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "sub", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "outside", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "../x", "content": "new\n"}, ""},
	{"write_file", arguments{"path": "empty.txt", "content": ""}, ""},
	{"write_file", arguments{"path": "x"}, ""},

	{"edit_file", arguments{"path": "a.txt", "edits": edits("two", "2")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two", "2"), "dryRun": true}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two\nthree", "2\n3\n4")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("one", "1", "1\ntwo", "x")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two\n", "")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("nothing", "x")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("one", "1", "nothing", "x")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two", "$& $1 $$")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two", "```")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("one\r\ntwo", "1\r\n2")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("two", "two")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": edits()}, ""},
	{"edit_file", arguments{"path": "open.txt", "edits": edits("three", "3")}, ""},
	{"edit_file", arguments{"path": "open.txt", "edits": edits("one", "1")}, ""},
	{"edit_file", arguments{"path": "script", "edits": edits("one", "1")}, ""},
	{"edit_file", arguments{"path": "link", "edits": edits("one", "1")}, namesOfLinks},
	{"edit_file", arguments{"path": "mark.txt", "edits": edits("two", "2")}, ""},
	{"edit_file", arguments{"path": "mark.txt", "edits": edits("one", "1")}, ""},
	{"edit_file", arguments{"path": "windows.txt", "edits": edits("two", "2")}, editedBytes},
	{"edit_file", arguments{"path": "latin1.txt", "edits": edits("one", "1")}, editedBytes},
	{"edit_file", arguments{"path": "twice.txt", "edits": edits("same", "x")}, severalMatches},
	{"edit_file", arguments{"path": "twice.txt", "edits": edits("same\nother", "x")}, diffLines},
	{"edit_file", arguments{"path": "a.txt", "edits": edits("", "x")}, emptyOldText},
	{"edit_file", arguments{"path": "long.txt", "edits": edits("line of text\nline of text\n", "x")}, severalMatches},
	{"edit_file", arguments{"path": "indented.go", "edits": edits("if x {\n\tone()\n\ttwo()\n}", "if y {\n\tthree()\n\t\tfour()\n}")}, diffLines},
	{"edit_file", arguments{"path": "indented.go", "edits": edits("    one()\n    two()", "    three()\n      four()\n    five()")}, editedIndentation},
	{"edit_file", arguments{"path": "indented.go", "edits": edits("one()\ntwo()", "three()\nfour()")}, editedIndentation},
	{"edit_file", arguments{"path": "indented.go", "edits": edits("\t\tone()", "\t\tthree()")}, ""},
	{"edit_file", arguments{"path": "binary", "edits": edits("a", "x")}, binaryFiles},
	{"edit_file", arguments{"path": "none", "edits": edits("a", "x")}, ""},
	{"edit_file", arguments{"path": "sub", "edits": edits("a", "x")}, ""},
	{"edit_file", arguments{"path": "a.txt", "edits": []arguments{{"oldText": "a"}}}, ""},

	{"create_directory", arguments{"path": "new"}, ""},
	{"create_directory", arguments{"path": "new/deep/er"}, ""},
	{"create_directory", arguments{"path": "sub"}, ""},
	{"create_directory", arguments{"path": "linkdir/new"}, ""},
	{"create_directory", arguments{"path": "a.txt"}, ""},
	{"create_directory", arguments{"path": "a.txt/x"}, ""},
	{"create_directory", arguments{"path": "../x"}, ""},
	{"create_directory", arguments{"path": "~root/x"}, ""},

	{"list_directory", arguments{"path": "."}, ""},
	{"list_directory", arguments{"path": "sub"}, ""},
	{"list_directory", arguments{"path": "sub/deep"}, ""},
	{"list_directory", arguments{"path": "linkdir"}, ""},
	{"list_directory", arguments{"path": "order"}, ""},
	{"list_directory", arguments{"path": "break"}, lineBreaksInNames},
	{"search_files", arguments{"path": "break", "pattern": "**"}, lineBreaksInNames},
	{"directory_tree", arguments{"path": "<root>/break"}, ""},
	{"list_directory", arguments{"path": "empty"}, ""},
	{"list_directory", arguments{"path": "a.txt"}, ""},
	{"list_directory", arguments{"path": "none"}, ""},
	{"list_directory", arguments{"path": ".."}, ""},

	{"list_directory_with_sizes", arguments{"path": "sub"}, ""},
	{"list_directory_with_sizes", arguments{"path": "sub/deep", "sortBy": "size"}, ""},
	{"list_directory_with_sizes", arguments{"path": "."}, sizesOfLinks},
	{"list_directory_with_sizes", arguments{"path": "order"}, orderOfNames},
	{"list_directory_with_sizes", arguments{"path": "empty"}, ""},
	{"list_directory_with_sizes", arguments{"path": "sub", "sortBy": "date"}, ""},
	{"list_directory_with_sizes", arguments{"path": "a.txt"}, ""},

	{"directory_tree", arguments{"path": "<root>/sub"}, ""},
	{"directory_tree", arguments{"path": "<root>/other"}, ""},
	{"directory_tree", arguments{"path": "<root>/empty"}, ""},
	{"directory_tree", arguments{"path": "<root>"}, ""},
	{"directory_tree", arguments{"path": "sub"}, ""},
	{"directory_tree", arguments{"path": "<root>/a.txt"}, ""},
	{"directory_tree", arguments{"path": "<root>/none"}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"deep"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"*.txt"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"**/*.go"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"deep/**"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"d.go", "b.txt"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{"deep/c.txt"}}, ""},
	{"directory_tree", arguments{"path": "<root>/sub", "excludePatterns": []string{""}}, emptyPatterns},
	{"directory_tree", arguments{"path": "sub", "excludePatterns": []string{"deep/*"}}, ""},

	{"move_file", arguments{"source": "a.txt", "destination": "moved.txt"}, ""},
	{"move_file", arguments{"source": "sub", "destination": "moved"}, ""},
	{"move_file", arguments{"source": "sub/b.txt", "destination": "b.txt"}, ""},
	{"move_file", arguments{"source": "a.txt", "destination": "sub/b.txt"}, ""},
	{"move_file", arguments{"source": "a.txt", "destination": "sub"}, ""},
	{"move_file", arguments{"source": "none", "destination": "x"}, ""},
	{"move_file", arguments{"source": "a.txt", "destination": "none/x"}, ""},
	{"move_file", arguments{"source": "sub", "destination": "sub/x"}, ""},
	{"move_file", arguments{"source": "a.txt", "destination": "../x"}, ""},
	{"move_file", arguments{"source": "link", "destination": "moved"}, movedLinks},
	{"move_file", arguments{"source": "dangling", "destination": "moved"}, movedLinks},
	{"move_file", arguments{"source": "outside", "destination": "moved"}, movedLinks},
	{"move_file", arguments{"source": "a.txt", "destination": "dangling"}, ""},

	{"search_files", arguments{"path": ".", "pattern": "*.txt"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/*.go"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "deep/**"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/*.{go,txt}"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "{b.txt,deep/**}"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/[bc].txt"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/[!b].*"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "?.txt"}, ""},
	{"search_files", arguments{"path": ".", "pattern": ".*"}, ""},
	{"search_files", arguments{"path": ".", "pattern": "größe*"}, ""},
	{"search_files", arguments{"path": "other", "pattern": `same \[x\].txt`}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "nothing"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": ""}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/*", "excludePatterns": []string{"deep"}}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/*", "excludePatterns": []string{"**/*.go"}}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "**/*", "excludePatterns": []string{"deep/**"}}, ""},
	{"search_files", arguments{"path": ".", "pattern": "link"}, ""},
	{"search_files", arguments{"path": ".", "pattern": "outside"}, foundLinks},
	{"search_files", arguments{"path": ".", "pattern": "dangling"}, foundLinks},
	{"search_files", arguments{"path": "linkdir", "pattern": "*.txt"}, namesOfLinks},
	{"search_files", arguments{"path": "sub", "pattern": "!(b.txt)"}, patternSyntax},
	{"search_files", arguments{"path": "sub", "pattern": "+(b).txt"}, patternSyntax},
	{"search_files", arguments{"path": "sub", "pattern": "!b.txt"}, patternSyntax},
	{"search_files", arguments{"path": "sub", "pattern": "{1..3}"}, ""},
	{"search_files", arguments{"path": "sub", "pattern": "[b"}, malformedPatterns},
	{"search_files", arguments{"path": "sub", "pattern": "[[:alpha:]].txt"}, patternSyntax},
	{"search_files", arguments{"path": "sub", "pattern": "./b.txt"}, patternSyntax},
	{"search_files", arguments{"path": "none", "pattern": "*"}, ""},
	{"search_files", arguments{"path": "a.txt", "pattern": "*"}, ""},

	{"get_file_info", arguments{"path": "a.txt"}, times},
	{"get_file_info", arguments{"path": "none"}, ""},
	{"get_file_info", arguments{"path": "outside"}, ""},

	{"list_allowed_directories", nil, ""},
}
