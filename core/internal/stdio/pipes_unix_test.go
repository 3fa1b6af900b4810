//go:build unix

package stdio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// blocking gives a pipe whose writing end is in blocking mode, as that of a
// process's stdout usually is.
func blocking(t *testing.T) (read, write *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	read, write = os.NewFile(uintptr(ends[0]), "read"), os.NewFile(uintptr(ends[1]), "write")
	t.Cleanup(func() { read.Close(); write.Close() })
	return read, write
}

func nonblocking(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close(); write.Close() })
	return read, write
}

// TestSinkNeverWaits: a full pipe takes nothing, and what was taken arrives whole
// and in order.
func TestSinkNeverWaits(t *testing.T) {
	for name, pipe := range map[string]func(*testing.T) (read, write *os.File){"blocking": blocking, "nonblocking": nonblocking} {
		t.Run(name, func(t *testing.T) {
			read, write := pipe(t)
			sink := NewSink(write)
			var taken bytes.Buffer
			next := byte(0)
			for {
				piece := bytes.Repeat([]byte{next}, pipeAtomic)
				n, err := sink.TryWrite(piece)
				if err != nil {
					t.Fatal(err)
				}
				if n == 0 {
					break
				}
				taken.Write(piece[:n])
				next++
			}
			if taken.Len() < pipeAtomic {
				t.Errorf("a pipe took %d bytes", taken.Len())
			}
			got := make([]byte, taken.Len())
			if _, err := io.ReadFull(read, got); err != nil || !bytes.Equal(got, taken.Bytes()) {
				t.Errorf("what arrived is not what was taken (%v)", err)
			}
			if n, err := sink.TryWrite([]byte("more")); n != 4 || err != nil {
				t.Errorf("an empty pipe took %d bytes, %v", n, err)
			}
		})
	}
}

// TestSinkLeavesLongWrites that a file in blocking mode might wait in.
func TestSinkLeavesLongWrites(t *testing.T) {
	_, write := blocking(t)
	if n, err := NewSink(write).TryWrite(make([]byte, pipeAtomic+1)); n != 0 || err != nil {
		t.Errorf("it took %d bytes, %v", n, err)
	}
}

// TestSinkWithoutAReader: there is an error sooner or later, and no wait.
func TestSinkWithoutAReader(t *testing.T) {
	defer CatchBrokenPipe()()
	read, write := nonblocking(t)
	read.Close()
	if n, err := NewSink(write).TryWrite([]byte("x")); n != 0 || !IsBrokenPipe(err) {
		t.Errorf("it took %d bytes, %v; want a broken pipe", n, err)
	}
	write.Close()
	if _, err := NewSink(write).Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file gives %v", err)
	}
}

func TestSourceReads(t *testing.T) {
	read, write := nonblocking(t)
	source, err := NewSource(read)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if _, err := write.WriteString("first"); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 3)
	for _, want := range []string{"fir", "st"} {
		if n, err := source.Read(buffer); string(buffer[:n]) != want || err != nil {
			t.Errorf("it read %q, %v; want %q", buffer[:n], err, want)
		}
	}
	if n, err := source.Read(nil); n != 0 || err != nil {
		t.Errorf("nothing was read into as %d, %v", n, err)
	}
	// A read that waits gets what comes, and then the end.
	got := make(chan string)
	go func() {
		rest, err := io.ReadAll(source)
		got <- string(rest)
		if err != nil {
			t.Error(err)
		}
	}()
	if _, err := write.WriteString("second"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if rest := <-got; rest != "second" {
		t.Errorf("the rest is %q", rest)
	}
}

// TestSourceEnds: Close ends a read that waits, and nothing is left open.
func TestSourceEnds(t *testing.T) {
	read, write := nonblocking(t)
	source, err := NewSource(read)
	if err != nil {
		t.Fatal(err)
	}
	reading, ended := make(chan struct{}), make(chan error)
	go func() {
		one := make([]byte, 1)
		_, _ = source.Read(one)
		close(reading)
		_, err := source.Read(one)
		ended <- err
	}()
	if _, err := write.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	<-reading
	if err := source.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("the read ended with %v", err)
	}
	if err := source.Close(); err != nil {
		t.Errorf("a second Close gives %v", err)
	}
	defer CatchBrokenPipe()()
	if _, err := write.WriteString("y"); !IsBrokenPipe(err) {
		t.Errorf("after Close a write gives %v, want a broken pipe: the reading end is open somewhere", err)
	}
}
