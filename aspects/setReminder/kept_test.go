package setreminder

import (
	"strings"
	"testing"
)

// Of what was set, the newest can be read: so many, and so many bytes.
func TestReadableRemindersAreBounded(t *testing.T) {
	for _, test := range []struct{ count, size, want int }{
		{kept + 5, 1, kept},
		{5, keptBytes / 2, 2},
		{3, keptBytes + 1, 1},
	} {
		r := &reminders{byURI: make(map[string]*reminder), pending: make(map[*reminder]struct{})}
		text := strings.Repeat("x", test.size)
		for range test.count {
			r.add(&reminder{text: text})
		}
		if len(r.byURI) != test.want || len(r.newest) != test.want {
			t.Errorf("of %d reminders of %d bytes %d can be read, want %d", test.count, test.size, len(r.byURI), test.want)
		}
		if r.byURI[r.newest[len(r.newest)-1].uri] == nil {
			t.Error("the newest one cannot be read")
		}
	}
}
