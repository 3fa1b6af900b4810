package wire

import (
	"slices"
	"testing"
)

func TestElements(t *testing.T) {
	for _, test := range []struct {
		array string
		limit int
		want  []string
		ok    bool
	}{
		{`[]`, 10, nil, true},
		{`[ ]`, 0, nil, true},
		{`[1]`, 0, nil, false},
		{`[1]`, 1, []string{"1"}, true},
		{`[1,2]`, 1, []string{"1"}, false},
		{`[1,2]`, 2, []string{"1", "2"}, true},
		{" [ 1 , \"a,]}\" ,\t-2.5e3\r, null ] ", 10, []string{"1", `"a,]}"`, "-2.5e3", "null"}, true},
		{`["\"]","\\"]`, 10, []string{`"\"]"`, `"\\"`}, true},
		{`[[],{}, [1,[2,3]] ,{"a":[{"b":"]"}] , "c":{}}]`, 10, []string{`[]`, `{}`, `[1,[2,3]]`, `{"a":[{"b":"]"}] , "c":{}}`}, true},
		{`[true,false]`, 10, []string{"true", "false"}, true},
		{`{"a":1}`, 10, nil, false},
		{`5`, 10, nil, false},
		{``, 10, nil, false},
	} {
		got, ok := Elements(test.array, test.limit)
		if !slices.Equal(got, test.want) || ok != test.ok {
			t.Errorf("Elements(%q, %d) = %q, %t, want %q, %t", test.array, test.limit, got, ok, test.want, test.ok)
		}
	}
}
