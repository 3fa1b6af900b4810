package form

import (
	"encoding/json"
	"testing"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// FuzzParse looks for forms that make Parse panic, or that are sent in a way
// that is no form.
func FuzzParse(f *testing.F) {
	f.Add(suiteDefaults)
	f.Add(suiteEnums)
	for _, row := range known {
		f.Add(object(`"p":`+row.property, `"required":["p"]`, `"$schema":"x"`, `"additionalProperties":false`))
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := Parse(text)
		if err != nil {
			return
		}
		for revision := protocol.V20250618; revision <= protocol.V20260728; revision++ {
			if form.Supports(revision) != nil {
				continue
			}
			sent := form.AppendJSON(nil, revision)
			if !json.Valid(sent) {
				t.Errorf("%q is sent as %q, which is no JSON", text, sent)
			}
			again, err := Parse(string(sent))
			if err != nil {
				t.Errorf("%q is sent as %q, which is no form: %v", text, sent, err)
				continue
			}
			if got := again.AppendJSON(nil, revision); string(got) != string(sent) {
				t.Errorf("%q is sent as %q, and that as %q", text, sent, got)
			}
		}
	})
}

// FuzzComplete looks for contents that make Complete panic, or that are not
// complete after it.
func FuzzComplete(f *testing.F) {
	for _, text := range []string{suiteDefaults, suiteEnums} {
		f.Add(text, `{}`)
		f.Add(text, `{"name":"\ud83d","age":null,"untitledMulti":["option1",[","]],"x":{"name":[]}}`)
	}
	for _, row := range known {
		f.Add(object(`"p":`+row.property), `{"p":"a@b.example","q":-1.5e+3}`)
		f.Add(object(`"p":`+row.property), `{"p":["a"]}`)
	}
	f.Fuzz(func(t *testing.T, text, content string) {
		form, err := Parse(text)
		if err != nil {
			return
		}
		compact, err := wire.AppendCompact(nil, content)
		if err != nil || compact[0] != '{' {
			return
		}
		completed, err := form.Complete(string(compact))
		if err != nil {
			if len(err.Error()) > maxFaults*maxSize {
				t.Errorf("%q: Complete(%q) gives an error of %d bytes", text, content, len(err.Error()))
			}
			return
		}
		if !json.Valid([]byte(completed)) {
			t.Errorf("%q: Complete(%q) = %q, which is no JSON", text, content, completed)
		}
		if again, err := form.Complete(completed); err != nil || again != completed {
			t.Errorf("%q: Complete(%q) = %q, and of that %q, %v", text, content, completed, again, err)
		}
	})
}
