package wire

import (
	"slices"
	"testing"
)

func TestMembers(t *testing.T) {
	for _, test := range []struct {
		object string
		want   []Member
	}{
		{`{}`, nil},
		{` { } `, nil},
		{`{"a":1}`, []Member{{"a", Value{Kind: Number, Raw: "1"}}}},
		{
			` { "a,}" : "x\"}" ,` + "\t" + `"\u0062":[{"c":"]"}] , "":{"d":{}},"a,}":null,"e":true,"f":false } `,
			[]Member{
				{"a,}", Value{Kind: String, Escaped: true, Raw: `"x\"}"`}},
				{"b", Value{Kind: Array, Raw: `[{"c":"]"}]`}},
				{"", Value{Kind: Object, Raw: `{"d":{}}`}},
				{"a,}", Value{Kind: Null, Raw: "null"}},
				{"e", Value{Kind: True, Raw: "true"}},
				{"f", Value{Kind: False, Raw: "false"}},
			},
		},
		{`[{"a":1}]`, nil},
		{`5`, nil},
		{``, nil},
	} {
		if got := slices.Collect(Members(test.object)); !slices.Equal(got, test.want) {
			t.Errorf("Members(%q) = %+v, want %+v", test.object, got, test.want)
		}
		for first := range Members(test.object) {
			if first != test.want[0] {
				t.Errorf("the first of Members(%q) is %+v, want %+v", test.object, first, test.want[0])
			}
			break
		}
	}
}

// The text of a member has its name as it was written.
func TestMembersAndTexts(t *testing.T) {
	const object = ` { "a" : 1 ,"\u0062\/":{"c": "}"} ,"a":[ ] } `
	var names, texts []string
	for member, text := range MembersAndTexts(object) {
		names, texts = append(names, member.Name), append(texts, text)
	}
	if want := []string{"a", "b/", "a"}; !slices.Equal(names, want) {
		t.Errorf("the names are %q, want %q", names, want)
	}
	if want := []string{`"a" : 1`, `"\u0062\/":{"c": "}"}`, `"a":[ ]`}; !slices.Equal(texts, want) {
		t.Errorf("the texts are %q, want %q", texts, want)
	}
}

func TestValueOf(t *testing.T) {
	for _, test := range []struct {
		raw  string
		want Value
	}{
		{``, Value{}},
		{`null`, Value{Kind: Null, Raw: `null`}},
		{`-1.50e+3`, Value{Kind: Number, Raw: `-1.50e+3`}},
		{`"é"`, Value{Kind: String, Raw: `"é"`}},
		{`"\n"`, Value{Kind: String, Escaped: true, Raw: `"\n"`}},
		{`[]`, Value{Kind: Array, Raw: `[]`}},
		{`{}`, Value{Kind: Object, Raw: `{}`}},
	} {
		if got := ValueOf(test.raw); got != test.want {
			t.Errorf("ValueOf(%q) = %+v, want %+v", test.raw, got, test.want)
		}
	}
}

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

func TestStringLength(t *testing.T) {
	for text, want := range map[string]int{`""`: 2, `"a",1`: 3, `"a\"b":"c"`: 6, `"\\"]`: 4, `"ä\u00e4"`: 10} {
		if got := StringLength(text); got != want {
			t.Errorf("StringLength(%s) = %d, want %d", text, got, want)
		}
	}
}
