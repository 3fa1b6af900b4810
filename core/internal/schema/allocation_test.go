package schema

import "testing"

func TestCheckDoesNotAllocate(t *testing.T) {
	typical := &Object{Closed: true, Properties: []Property{
		{Name: "name", Required: true, MinLength: 1, MaxLength: 10},
		{Name: "style", Enum: []string{"big", "small"}},
		{Name: "count", Type: Integer, Minimum: bound(0.5), Maximum: bound(10)},
		{Name: "loud", Type: Boolean},
		{Name: "tags", Type: Array, MaxItems: 5, Items: &Property{MaxLength: 3}},
		{Name: "grid", Type: Array, Items: &Property{Type: Array, Items: &Property{Type: Number, Maximum: bound(9)}}},
		{Name: "object", Type: ObjectType},
	}}
	tests := []struct {
		name      string
		object    *Object
		arguments string
	}{
		{"no arguments", new(Object), `{}`},
		{
			"one of each", typical,
			`{"name":"Zoë","style":"small","count":10,"loud":true,"tags":["a","b"],"grid":[[1,2],[9]],"object":{"a":"\n"}}`,
		},
		{"indexed", wide(scannedProperties + 1), `{"p0":"a","p16":"b","q":1}`},
		{"most that are tracked", wide(trackedProperties), `{"p0":"a","p63":"b\n"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			arguments := members(t, test.arguments)
			wantAllocs(t, 0, func() {
				if missing, violations := test.object.Check(arguments); missing != "" || violations != nil {
					t.Fatalf("Check(%s): missing %q, violations %q", test.arguments, missing, violations)
				}
			})
		})
	}
}

// wantAllocs runs f and, where allocations can be counted, fails when a run
// makes more than want of them.
func wantAllocs(t *testing.T, want float64, f func()) {
	t.Helper()
	got := testing.AllocsPerRun(100, f)
	if got > want && !raceEnabled {
		t.Errorf("%v allocations, want %v", got, want)
	}
}

func BenchmarkCheck(b *testing.B) {
	object := &Object{Properties: []Property{
		{Name: "name", Required: true, MaxLength: 100},
		{Name: "style", Enum: []string{"big", "small"}},
		{Name: "count", Type: Integer, Minimum: bound(1), Maximum: bound(10)},
	}}
	arguments := members(b, `{"name":"World","style":"small","count":10}`)
	b.ReportAllocs()
	for b.Loop() {
		object.Check(arguments)
	}
}
