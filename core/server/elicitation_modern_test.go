//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"mcpserver/core"
	"mcpserver/core/internal/seal"
)

// order is a form that the modern revision has all of, but for the pattern.
const (
	order = `{"type":"object","properties":{` +
		`"dish":{"type":"string","pattern":"^[a-z]+$","default":"soup"},` +
		`"extras":{"type":"array","items":{"type":"string","enum":["salt","<oil>"]},"maxItems":1,"default":["<oil>"]},` +
		`"count":{"type":"integer","minimum":1}},"required":["count"]}`
	orderAsked = `{"type":"object","properties":{` +
		`"dish":{"type":"string","default":"soup"},` +
		`"extras":{"type":"array","items":{"type":"string","enum":["salt","<oil>"]},"maxItems":1,"default":["<oil>"]},` +
		`"count":{"type":"integer","minimum":1}},"required":["count"]}`
)

// ordering asks for an order, and for roots beside it.
func ordering(schema string) core.Handler {
	return func(_ context.Context, call *core.Call) (core.Result, error) {
		answer, given := call.Input("order")
		if !given {
			question := core.Elicitation{Message: "What?", RawSchema: json.RawMessage(schema)}
			return call.RequireInput(core.Inputs{"order": question, "where": core.Roots{}}, nil)
		}
		return core.Text(answer.Content().Raw), nil
	}
}

// ordered is a client's answer to all that ordering asks.
func ordered(content string) string {
	return `{"order":{"action":"accept","content":` + content + `},"where":{"roots":[]}}`
}

// The form must be known to a process that has not asked it.
func TestFormAcrossARestart(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "order", Handler: ordering(order)})
	var asked gjson.Result
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		request := modernCall("1", "order", "")
		asked = p.ask(request)
		wantAsked(t, request, asked, "order", "where")
		if got := asked.Get("result.inputRequests.order.params.requestedSchema").Raw; got != orderAsked {
			t.Errorf("the form asked is\n%s, want\n%s", got, orderAsked)
		}
		p.end()
	})
	// The aspect may even ask another form by now.
	aspect = testAspect(core.Tool{Name: "order", Handler: ordering(`{"type":"object","properties":{}}`)})
	synctest.Test(t, func(t *testing.T) {
		p := newTalk(t, aspect, nil)
		request := modernCall("2", "order", retry(asked, ordered(`{"count":2.0, "dish":null}`)))
		wantTool(t, request, p.ask(request), `{"count":2.0,"dish":"soup","extras":["<oil>"]}`)
		for _, bad := range []struct{ content, words string }{
			{`{}`, "count: is required"},
			{`{"count":0}`, "count: must be at least 1"},
			{`{"count":1,"dish":"X"}`, "dish: must match the pattern"},
			{`{"count":1,"extras":["salt","<oil>"]}`, "extras: must have at most 1 item"},
			{`{"count":1,"extras":["pepper"]}`, "extras[0]: must be one of"},
		} {
			request := modernCall("3", "order", retry(asked, ordered(bad.content)))
			wantToolFailure(t, request, p.ask(request), "does not fit the form: "+bad.words)
		}
	})
}

// What a form lacked in one round is there in all later ones.
func TestDefaultsInLaterRounds(t *testing.T) {
	tool := core.Tool{Name: "order", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("order"); given {
			if _, given := call.Input("who"); !given {
				return call.RequireInput(core.Inputs{"who": sampling("x")}, nil)
			}
		}
		return ordering(order)(ctx, call)
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "order", ""))
		asked = p.ask(modernCall("2", "order", retry(asked, ordered(`{"count":1,"extras":[]}`))))
		wantAsked(t, "the second round", asked, "who")
		request := modernCall("3", "order", retry(asked, `{"who":`+sampled("Eric")+`}`))
		wantTool(t, request, p.ask(request), `{"count":1,"extras":[],"dish":"soup"}`)
	})
}

// Where the core asks again by itself, it still knows the form.
func TestFormThatIsAskedAgain(t *testing.T) {
	tool := core.Tool{Name: "order", Handler: ordering(order), Resume: ordering(order)}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "order", retry(gjson.Result{}, ordered(`{}`))))
		wantAsked(t, "the first round", asked, "order", "where")
		asked = p.ask(modernCall("2", "order", retry(asked, `{"where":{"roots":[]}}`)))
		wantAsked(t, "the second round", asked, "order")
		bad := modernCall("3", "order", retry(asked, ordered(`{"count":"1"}`)))
		wantToolFailure(t, bad, p.ask(bad), "count: must be an integer")
		good := modernCall("4", "order", retry(asked, ordered(`{"count":1,"extras":[]}`)))
		wantTool(t, good, p.ask(good), `{"count":1,"extras":[],"dish":"soup"}`)
	})
}

func TestFormsThatAreNotAsked(t *testing.T) {
	for words, schema := range map[string]string{
		"over the limit":   `{"type":"object","properties":{},"title":"` + strings.Repeat("x", 16<<10) + `"}`,
		`property "inner"`: `{"type":"object","properties":{"inner":{"type":"object","properties":{}}}}`,
	} {
		inTalk(t, testAspect(core.Tool{Name: "order", Handler: ordering(schema)}), nil, func(t *testing.T, p *talk) {
			request := modernCall("1", "order", "")
			wantToolFailure(t, request, p.ask(request), words)
			p.wantSilence("after the answer")
		})
	}
}

// The largest form can be carried, whatever has to be escaped in it.
func TestLargestForm(t *testing.T) {
	start, end := `{"type":"object","properties":{"a":{"type":"string","title":"`, `","default":"x"}}}`
	schema := start + strings.Repeat("<", 16<<10-len(start)-len(end)) + end
	inTalk(t, testAspect(core.Tool{Name: "order", Handler: ordering(schema)}), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "order", ""))
		request := modernCall("2", "order", retry(asked, ordered(`{}`)))
		wantTool(t, request, p.ask(request), `{"a":"x"}`)
	})
}

// A state that was sealed before forms were kept is still good.
func TestStateWithoutForms(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "order", Handler: ordering(order)})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "order", ""))
		secret, err := seal.Secret(os.Getenv, os.UserConfigDir)
		if err != nil {
			t.Fatal(err)
		}
		sealer, err := seal.New(secret, aspect.Name)
		if err != nil {
			t.Fatal(err)
		}
		binding := []string{aspect.Name, "tools/call", "order"}
		payload, err := sealer.Open(asked.Get("result.requestState").Str, binding...)
		if err != nil || !gjson.GetBytes(payload, "f.order").Exists() {
			t.Fatalf("the state carries %s, %v; want the form within", payload, err)
		}
		if payload, err = sjson.DeleteBytes(payload, "f"); err != nil {
			t.Fatal(err)
		}
		state := sealer.Seal(payload, time.Hour, binding...)
		request := modernCall("2", "order", `"requestState":"`+state+`","inputResponses":`+ordered(`{"count":"any"}`))
		wantTool(t, request, p.ask(request), `{"count":"any"}`)
	})
}
