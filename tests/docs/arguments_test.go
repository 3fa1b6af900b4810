package docs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpserver/core"
)

// What follows stands in docs/ASPECTS.md, so it is written to be read there.

// printer is the state of an aspect whose tool takes arguments of every kind.
type printer struct {
	latest string
}

func (p *printer) tool() core.Tool {
	return core.Tool{
		Name:        "print",
		Description: "Prints a document.",
		Input: core.ClosedObject(
			core.String("title", "What to print").Required().Length(1, 100),
			core.String("paper", "On what").OneOf("A4", "A3").Default(`"A4"`),
			core.Integer("copies", "How many").Minimum(1).Maximum(20).Default("1"),
			core.Number("scale", "How large").Minimum(0.1).Default("1"),
			core.Boolean("color", "Not in grey alone").Default("false"),
			core.Array("pages", "Which ones; without it, all", core.Integer("", "").Minimum(1)).Items(1, 50),
		),
		Handler: p.print,
	}
}

func (p *printer) print(_ context.Context, call *core.Call) (core.Result, error) {
	title, err := call.RequireString("title")
	if err != nil {
		return nil, err
	}
	copies, err := call.Int("copies", 1) // the default again: nobody else applies it
	if err != nil {
		return nil, err
	}
	var pages []int64
	for _, page := range call.Arguments().Get("pages").Array() {
		pages = append(pages, page.Int())
	}
	p.latest = strings.Clone(title) // it outlives the call
	return core.Text(fmt.Sprintf("%d of %s, pages %v", copies, title, pages)), nil
}

// And here is what it does.

func TestPrint(t *testing.T) {
	p := &printer{}
	aspect := &core.Aspect{Name: "MCPServer_printer", Version: "0.1.0", Tools: []core.Tool{p.tool()}}
	for _, test := range []struct{ arguments, want string }{
		{`{"title":"a"}`, `"text":"1 of a, pages []"`},
		{`{"title":"a","copies":null,"pages":null}`, `"text":"1 of a, pages []"`},
		{`{"title":"a","copies":2e0,"pages":[3,4]}`, `"text":"2 of a, pages [3 4]"`},
		{`{"title":""}`, `"isError":true`},
		{`{"title":null}`, `"isError":true`},
		{`{"title":"a","paper":"A5"}`, `"isError":true`},
		{`{"title":"a","copies":21}`, `"isError":true`},
		{`{"title":"a","scale":0}`, `"isError":true`},
		{`{"title":"a","color":"no"}`, `"isError":true`},
		{`{"title":"a","pages":[]}`, `"isError":true`},
		{`{"title":"a","pages":[0]}`, `"isError":true`},
		{`{"title":"a","ink":"red"}`, `"isError":true`},
		{`{}`, `Missing parameter: title`},
		{`null`, `Missing parameter: title`},
	} {
		wants(t, serve(t, aspect, call("print", test.arguments)), test.want)
	}
	if p.latest != "a" {
		t.Errorf("the latest title is %q, want %q", p.latest, "a")
	}
}
