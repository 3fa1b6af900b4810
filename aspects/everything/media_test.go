package everything

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"strings"
	"testing"
)

func TestPictureIsOfTheSizeThatIconsSay(t *testing.T) {
	decoded, err := png.Decode(strings.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	size := decoded.Bounds().Size()
	if got, want := fmt.Sprintf("%dx%d", size.X, size.Y), icons()[0].Sizes[0]; got != want {
		t.Errorf("the picture has %s pixels, want %s", got, want)
	}
}

func TestSoundIsWAV(t *testing.T) {
	const headerSize = 44
	if len(sound) <= headerSize || sound[:4] != "RIFF" || sound[8:12] != "WAVE" || sound[36:40] != "data" {
		t.Fatalf("the sound begins with %q", sound[:min(len(sound), headerSize)])
	}
	var sizes struct{ Whole, Data uint32 }
	sizes.Whole = binary.LittleEndian.Uint32([]byte(sound[4:8]))
	sizes.Data = binary.LittleEndian.Uint32([]byte(sound[40:44]))
	if int(sizes.Whole) != len(sound)-8 || int(sizes.Data) != len(sound)-headerSize {
		t.Errorf("the sound says %+v and has %d bytes", sizes, len(sound))
	}
	if bytes.Count([]byte(sound[headerSize:]), []byte{128}) == len(sound)-headerSize {
		t.Error("the sound is silence")
	}
}
