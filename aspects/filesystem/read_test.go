//go:build unix && !aix

package filesystem

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadText(t *testing.T) {
	folder := makeFolder(t,
		"plain=one\ntwo\nthree\n", "open=one\ntwo\nthree", "windows=one\r\ntwo\r\nthree\r\n", "empty=", "break=\n",
		"mark=\ufeffone\ntwo\n", "invalid=a\xffb\n", "blank=one\n\n\n", "binary=a\x00b", "long="+strings.Repeat("x", 300_000)+"\nlast\n")
	s := serve(t, nil, folder)
	for _, test := range []struct {
		path       string
		head, tail int
		want       string
	}{
		{"plain", 0, 0, "one\ntwo\nthree\n"},
		{"windows", 0, 0, "one\r\ntwo\r\nthree\r\n"},
		{"mark", 0, 0, "\ufeffone\ntwo\n"},
		{"invalid", 0, 0, "a\ufffdb\n"},
		{"empty", 0, 0, ""},
		{"plain", 1, 0, "one"},
		{"plain", 2, 0, "one\ntwo"},
		{"plain", 3, 0, "one\ntwo\nthree"},
		{"plain", 9, 0, "one\ntwo\nthree"},
		{"windows", 2, 0, "one\r\ntwo"},
		{"empty", 2, 0, ""},
		{"break", 1, 0, ""},
		{"plain", 0, 1, "three"},
		{"plain", 0, 2, "two\nthree"},
		{"plain", 0, 9, "one\ntwo\nthree"},
		{"open", 0, 1, "three"},
		{"open", 0, 2, "two\nthree"},
		{"open", 0, 3, "one\ntwo\nthree"},
		{"windows", 0, 2, "two\r\nthree"},
		{"blank", 0, 2, "\n"},
		{"empty", 0, 1, ""},
		{"break", 0, 1, ""},
		{"long", 0, 1, "last"},
		{"long", 0, 2, strings.Repeat("x", 300_000) + "\nlast"},
		{"long", 1, 0, strings.Repeat("x", 300_000)},
	} {
		given := arguments{"path": test.path}
		if test.head > 0 {
			given["head"] = test.head
		}
		if test.tail > 0 {
			given["tail"] = test.tail
		}
		for _, tool := range []string{"read_text_file", "read_file"} {
			if got := s.get(t, tool, given); got != test.want {
				t.Errorf("%s %v gave %.60q, want %.60q", tool, given, got, test.want)
			}
		}
	}
	for _, test := range []struct {
		given arguments
		want  string
	}{
		{arguments{"path": "binary"}, `"binary" is a binary file and no text; read_media_file reads it`},
		{arguments{"path": "binary", "head": 1}, `"binary" is a binary file and no text; read_media_file reads it`},
		{arguments{"path": "binary", "tail": 1}, `"binary" is a binary file and no text; read_media_file reads it`},
		{arguments{"path": "none"}, `"none" does not exist`},
		{arguments{"path": "plain/x"}, `"plain/x" is not a directory`},
		{arguments{"path": "."}, `"." is a directory`},
		{arguments{"path": ""}, `"" is an empty path`},
		{arguments{"path": "plain", "head": 1, "tail": 1}, "head and tail cannot be given together"},
		{arguments{"path": "plain", "head": -1}, "head: must not be negative"},
		{arguments{}, "path: the argument is missing"},
	} {
		if got := s.refuse(t, "read_text_file", test.given); !strings.Contains(got, test.want) {
			t.Errorf("%v is refused with %q, want %q", test.given, got, test.want)
		}
	}
}

// All pairs of a length of lines and a number of them, around where pieces end.
func TestTailAcrossPieces(t *testing.T) {
	folder := makeFolder(t)
	s := serve(t, nil, folder)
	for _, length := range []int{1, chunk / 2, chunk - 1, chunk, chunk + 1} {
		lines := []string{}
		for range 4 {
			lines = append(lines, strings.Repeat("y", length-1))
		}
		fill(t, folder, "file="+strings.Join(lines, "\n")+"\n")
		for count := 1; count <= 5; count++ {
			want := strings.Join(lines[max(0, 4-count):], "\n")
			if got := s.get(t, "read_text_file", arguments{"path": "file", "tail": count}); got != want {
				t.Errorf("the last %d lines of %d bytes each have %d bytes, want %d", count, length, len(got), len(want))
			}
		}
	}
}

// What a system shows as a regular file may keep a reader waiting. It waits as
// long as its call.
func TestReadingEndsWithItsCall(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	ctx, cancel := context.WithCancel(t.Context())
	file := newReading(ctx, read, 0)
	defer file.Close()
	done := make(chan error)
	go func() {
		_, err := file.Read(make([]byte, 1))
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

// Systems do not say how long the files are that they make up.
func TestFilesThatTheSystemMakesUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are such files in Linux")
	}
	s := serve(t, nil, "/proc/sys/kernel")
	for _, given := range []arguments{{"path": "ostype"}, {"path": "ostype", "head": 1}, {"path": "ostype", "tail": 1}} {
		if got := strings.TrimSuffix(s.get(t, "read_text_file", given), "\n"); got != "Linux" {
			t.Errorf("%v reads %q, want Linux", given, got)
		}
	}
}

// A file that becomes shorter while its end is read has the end that it has by
// then.
func TestTailOfAFileThatIsCut(t *testing.T) {
	text := strings.Repeat("line\n", chunk)
	for _, cut := range []int{0, 1, 7, chunk, 3*chunk - 1, 3 * chunk, 3*chunk + 1, len(text) - 1, len(text)} {
		left := text[:cut]
		for _, lines := range []int64{1, 2, chunk / 10, 2 * chunk} {
			want, err := lastOf(t.Context(), strings.NewReader(left), int64(cut), lines, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := lastOf(t.Context(), strings.NewReader(left), int64(len(text)), lines, 1<<30); err != nil || string(got) != string(want) {
				t.Errorf("the last %d lines of what was cut to %d bytes have %d bytes (%v), want %d", lines, cut, len(got), err, len(want))
			}
		}
	}
}

func TestReadLimit(t *testing.T) {
	folder := makeFolder(t, "small=12345678", "large=123456789", "lines=1234\n5678\n9\n", "endless="+strings.Repeat("x", 1<<20))
	s := serve(t, func(settings *Settings) { settings.MaxRead = 8 }, folder)
	s.get(t, "read_text_file", arguments{"path": "small"})
	want := `"large" has 9 bytes, and --max-read lets 8 be read as a whole; of a text, head and tail of read_text_file read a part`
	for _, tool := range []string{"read_text_file", "read_media_file"} {
		if got := s.refuse(t, tool, arguments{"path": "large"}); got != want {
			t.Errorf("%s says %q, want %q", tool, got, want)
		}
	}
	if got := s.refuse(t, "edit_file", arguments{"path": "large", "edits": []arguments{{"oldText": "1", "newText": "2"}}}); !strings.Contains(got, "--max-read") {
		t.Errorf("edit_file says %q", got)
	}
	// A part of a file of any size can be read, as long as the part is small.
	if got := s.get(t, "read_text_file", arguments{"path": "lines", "head": 1}); got != "1234" {
		t.Errorf("head gave %q", got)
	}
	for _, part := range []string{"head", "tail"} {
		if got := s.refuse(t, "read_text_file", arguments{"path": "endless", part: 1}); !strings.Contains(got, "--max-read") {
			t.Errorf("%s of a line without an end says %q", part, got)
		}
	}
	// What an answer has of all files together is bounded as well.
	got := s.get(t, "read_multiple_files", arguments{"paths": []string{"small", "small"}})
	if strings.Count(got, "12345678") != 1 || !strings.Contains(got, "--max-read lets 0") {
		t.Errorf("two files gave %q", got)
	}
}

// head and tail read a file that is far larger than what may be read at once.
func TestPartsOfHugeFiles(t *testing.T) {
	folder := makeFolder(t, "huge=first\n")
	path := filepath.Join(folder, "huge")
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte("\nlast\n"), 1<<34); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(strings.Repeat("x", sniffed)), 6); err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(settings *Settings) { settings.MaxRead = 1 << 20 }, folder)
	if got := s.get(t, "read_text_file", arguments{"path": "huge", "head": 1}); got != "first" {
		t.Errorf("head gave %q", got)
	}
	if got := s.get(t, "read_text_file", arguments{"path": "huge", "tail": 1}); got != "last" {
		t.Errorf("tail gave %q", got)
	}
	s.refuse(t, "read_text_file", arguments{"path": "huge", "head": 2})
	s.refuse(t, "read_text_file", arguments{"path": "huge", "tail": 2})
}

func TestReadMultiple(t *testing.T) {
	folder := makeFolder(t, "a=one\n", "b=two", "binary=\x00")
	s := serve(t, nil, folder)
	got := s.get(t, "read_multiple_files", arguments{"paths": []string{"a", "none", "b", "binary"}})
	want := "a:\none\n\n\n---\n" + `none: Error - "none" does not exist` + "\n---\nb:\ntwo\n\n---\n" +
		`binary: Error - "binary" is a binary file and no text; read_media_file reads it`
	if got != want {
		t.Errorf("it gave\n%q, want\n%q", got, want)
	}
	s.refuse(t, "read_multiple_files", arguments{"paths": []string{}})
	wants(t, "too many paths", s.refuse(t, "read_multiple_files", arguments{"paths": make([]string, mostPaths+1)}), "1001, more than the 1000")
	s.get(t, "read_multiple_files", arguments{"paths": make([]string, mostPaths)})
	s.refuse(t, "read_multiple_files", arguments{"paths": "a"})
}

func TestReadMedia(t *testing.T) {
	folder := makeFolder(t, "a.PNG=\x89PNG", "b.mp3=ID3", "c d.bin=\x00\xff", "empty.gif=")
	s := serve(t, nil, folder)
	for path, want := range map[string]string{
		"a.PNG": "image/png", "b.mp3": "audio/mpeg", "c d.bin": "application/octet-stream", "empty.gif": "image/gif",
	} {
		content, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.get(t, "read_media_file", arguments{"path": path}); got != want+", base64:\n"+base64.StdEncoding.EncodeToString(content) {
			t.Errorf("%s reads %q", path, got)
		}
	}
}
