package docs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
	"mcpserver/core/server"
	"mcpserver/core/uritemplate"
)

// What follows stands in docs/ASPECTS.md, so it is written to be read there.

// visits is the state of an aspect. With Asynchronous false it needs no lock.
type visits struct {
	host  core.Host
	count int
}

// Aspect makes the visits server.
func Aspect() *core.Aspect {
	v := &visits{}
	return &core.Aspect{
		Name:      "MCPServer_visits",
		Version:   "0.1.0",
		OnStartup: v.start,
		Tools:     []core.Tool{{Name: "visit", Description: "Counts a visit.", Handler: v.visit}},
	}
}

func (v *visits) start(_ context.Context, host core.Host) error {
	v.host = host
	return nil
}

func (v *visits) visit(context.Context, *core.Call) (core.Result, error) {
	v.count++
	v.host.Tracef(core.TraceInfo, "visit %d", v.count)
	return core.Text("visits so far: " + strconv.Itoa(v.count)), nil
}

func readPage(_ context.Context, call *core.Call) (core.Result, error) {
	number, err := call.RequireInt("number")
	if err != nil {
		return nil, err // missing: a JSON-RPC error; no whole number: for the model to read
	}
	if number > 300 {
		return nil, fmt.Errorf("there are 300 pages, so there is no page %d", number)
	}
	return core.Text(fmt.Sprintf("page %d is empty", number)), nil
}

func remove(_ context.Context, call *core.Call) (core.Result, error) {
	answer, asked := call.Input("sure")
	if !asked {
		return call.RequireInput(core.Inputs{"sure": core.Elicitation{
			Message: "Really remove everything?",
			Schema:  core.Object(core.Boolean("sure", "Remove everything").Required()),
		}}, nil)
	}
	if answer.Content().Get("sure").Type != gjson.True { // the form allows true and false
		return core.Text("nothing was removed"), nil
	}
	return core.Text("everything was removed"), nil
}

// subscribe asks for an address to write to.
func subscribe(_ context.Context, call *core.Call) (core.Result, error) {
	form := json.RawMessage(`{"type":"object","properties":{
		"mail":{"type":"string","format":"email"},
		"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"s"},
		"days":{"type":"array","items":{"type":"string","enum":["Saturday","Sunday"]},"minItems":1}},"required":["mail"]}`)
	answer, asked := call.Input("where")
	if !asked {
		return call.RequireInput(core.Inputs{"where": core.Elicitation{Message: "Where to?", RawSchema: form}}, nil)
	}
	return core.Text(answer.Content().Raw), nil
}

type trip struct {
	From  string   `json:"from" jsonschema:"Where it begins"`
	Via   []string `json:"via,omitempty" jsonschema:"Places on the way"`
	Seats *int8    `json:"seats" jsonschema:"For how many; without it, for one"`
}

type offer struct {
	Route []string `json:"route"`
	Price float64  `json:"price"`
}

func plan() core.Tool {
	tool := core.Tool{Name: "plan", Description: "Plans a trip."}
	return jsonschema.Tool(tool, func(_ context.Context, _ *core.Call, in trip) (offer, error) {
		seats := 1
		if in.Seats != nil {
			seats = int(*in.Seats)
		}
		if seats < 1 {
			return offer{}, fmt.Errorf("%d seats cannot be sold", seats)
		}
		route := append([]string{in.From}, in.Via...)
		return offer{Route: route, Price: float64(10 * seats * len(route))}, nil
	})
}

// book is a tool with a JSON schema.
func book() core.Tool {
	return core.Tool{
		Name:        "book",
		Description: "Books a trip.",
		Input: jsonschema.Raw(`{
			"type": "object",
			"properties": {
				"to": {"type": "string", "pattern": "^[A-Z]{3}$"},
				"day": {"type": "string"},
				"night": {"type": "string"}
			},
			"required": ["to"],
			"oneOf": [{"required": ["day"]}, {"required": ["night"]}]
		}`),
		Handler: func(context.Context, *core.Call) (core.Result, error) { return core.Text("booked"), nil },
	}
}

// removeTests are the self-tests of an aspect with the tool remove.
func removeTests() []core.SelfTest {
	return []core.SelfTest{
		{
			Name: "remove asks first",
			Tool: "remove",
			Answers: map[string]json.RawMessage{
				"elicitation/create": json.RawMessage(`{"action":"accept","content":{"sure":true}}`),
			},
			Expect: core.Expect{Values: map[string]any{"content.0.text": "everything was removed"}},
		},
	}
}

func count(ctx context.Context, call *core.Call) (core.Result, error) {
	to, err := call.RequireInt("to")
	if err != nil {
		return nil, err
	}
	later := call.Defer()
	go func() { // ends with the work, or when the call is cancelled
		total, err := add(ctx, call, to)
		if err := later.Complete(core.Text(total), err); err != nil {
			call.Host().Tracef(core.TraceDebug, "nobody waits for the count: %v", err)
		}
	}()
	return core.Pending, nil
}

func add(ctx context.Context, call *core.Call, to int64) (string, error) {
	total := int64(0)
	for i := range to {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		total += i + 1
		call.Progress(float64(i+1), float64(to), "counting")
	}
	return strconv.FormatInt(total, 10), nil
}

// menu is a resource: a text under a URI, which may change.
func menu(dish *string) core.Resource {
	return core.Resource{
		URI:      "kitchen:///menu",
		Name:     "menu",
		MIMEType: "text/plain",
		Read: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.ResourceResult{{URI: call.URI(), MIMEType: "text/plain", Text: *dish}}, nil
		},
	}
}

// order is a prompt: what a user can have sent to the model.
func order() core.Prompt {
	return core.Prompt{
		Name:        "order",
		Description: "Orders a dish.",
		Arguments:   []core.PromptArgument{{Name: "dish", Required: true}},
		Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return &core.PromptResult{Messages: []core.Message{
				core.UserText("Order one " + call.Arguments().Get("dish").Str + " for me."),
			}}, nil
		},
	}
}

// price is a resource for each dish.
func price(prices map[string]string) core.Template {
	return core.Template{
		Name:    "price",
		Pattern: uritemplate.New("kitchen:///prices/{dish}"),
		Read: func(_ context.Context, call *core.Call) (core.Result, error) {
			price, known := prices[call.Variable("dish")]
			if !known {
				return nil, core.ResourceNotFound(call.URI())
			}
			return core.ResourceResult{{URI: call.URI(), MIMEType: "text/plain", Text: price}}, nil
		},
		Complete: map[string]core.Handler{"dish": suggestDish},
	}
}

func suggestDish(_ context.Context, call *core.Call) (core.Result, error) {
	return core.Suggest(call.Completion().Value, "goulash", "pasta", "pizza"), nil
}

// shop is an aspect whose tools come and go.
type shop struct{ host core.Host }

func (s *shop) open(context.Context, *core.Call) (core.Result, error) {
	err := s.host.AddTools(core.Tool{Name: "close", Description: "Closes the shop.", Handler: s.close})
	if err != nil {
		return nil, err
	}
	s.host.RemoveTools("open")
	return core.Text("the shop is open"), nil
}

func (s *shop) close(context.Context, *core.Call) (core.Result, error) {
	return core.Text("the shop is closed"), nil
}

// And here is what they do.

// serve gives what an aspect answers to lines of input.
func serve(t *testing.T, aspect *core.Aspect, lines ...string) string {
	t.Helper()
	var out strings.Builder
	input := strings.NewReader(strings.Join(lines, "\n"))
	if err := server.Serve(t.Context(), aspect, input, &out, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"progressToken":"p"}}}`
}

// wants checks that texts stand in an answer, in that order.
func wants(t *testing.T, answer string, texts ...string) {
	t.Helper()
	rest := answer
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("want %q, in this order, in:\n%s", texts, answer)
		}
		rest = after
	}
}

func TestVisits(t *testing.T) {
	visit := strings.Replace(call("visit", "{}"), `"id":1`, `"id":2`, 1)
	wants(t, serve(t, Aspect(), call("visit", "{}"), visit), "visits so far: 1", "visits so far: 2")
}

func oneTool(name string, input core.Schema, handler core.Handler) *core.Aspect {
	return &core.Aspect{
		Name: "MCPServer_example", Version: "0.1.0",
		Tools: []core.Tool{{Name: name, Description: "An example.", Input: input, Handler: handler}},
	}
}

func TestReadPage(t *testing.T) {
	aspect := oneTool("readPage", nil, readPage)
	wants(t, serve(t, aspect, call("readPage", `{"number":7}`)), "page 7 is empty")
	wants(t, serve(t, aspect, call("readPage", `{"number":301}`)), "there is no page 301", `"isError":true`)
	wants(t, serve(t, aspect, call("readPage", `{"number":"7"}`)), "number: must be a whole number", `"isError":true`)
	wants(t, serve(t, aspect, call("readPage", `{}`)), `"code":-32602`)
}

func TestCount(t *testing.T) {
	answer := serve(t, oneTool("count", nil, count), call("count", `{"to":3}`))
	wants(t, answer, `"progress":1`, `"progress":3`, `"text":"6"`)
}

func TestMenuAndOrder(t *testing.T) {
	dish := "soup"
	aspect := &core.Aspect{Name: "MCPServer_kitchen", Version: "0.1.0", Resources: []core.Resource{menu(&dish)}, Prompts: []core.Prompt{order()}}
	if err := core.Validate(aspect); err != nil {
		t.Fatal(err)
	}
	answer := serve(t, aspect,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kitchen:///menu"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"order","arguments":{"dish":"soup"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"order"}}`,
	)
	wants(t, answer, `"text":"soup"`, "Order one soup for me.", `"code":-32602`)
}

func TestPlan(t *testing.T) {
	aspect := &core.Aspect{Name: "MCPServer_trips", Version: "0.1.0", Tools: []core.Tool{plan()}}
	wants(t, serve(t, aspect, call("plan", `{"from":"Bonn","via":["Ulm"],"seats":2}`)),
		`{\"route\":[\"Bonn\",\"Ulm\"],\"price\":40}`, `"structuredContent":{"route":["Bonn","Ulm"],"price":40}`)
	wants(t, serve(t, aspect, call("plan", `{"from":"Bonn","seats":null}`)), `"price":10`)
	wants(t, serve(t, aspect, call("plan", `{"from":"Bonn","seats":0}`)), "0 seats cannot be sold", `"isError":true`)
	wants(t, serve(t, aspect, call("plan", `{"from":"Bonn","seats":1000}`)), "seats: must be at most 127", `"isError":true`)
	wants(t, serve(t, aspect, call("plan", `{"from":"Bonn","Via":[]}`)), "Via: is not expected", `"isError":true`)
	wants(t, serve(t, aspect, call("plan", `{}`)), `"code":-32602`)
}

func TestBook(t *testing.T) {
	aspect := &core.Aspect{Name: "MCPServer_trips", Version: "0.1.0", Tools: []core.Tool{book()}}
	wants(t, serve(t, aspect, call("book", `{"to":"BON","day":"Monday"}`)), "booked")
	wants(t, serve(t, aspect, call("book", `{"to":"Bonn","day":"Monday"}`)), "to: must match the pattern ^[A-Z]{3}$", `"isError":true`)
	wants(t, serve(t, aspect, call("book", `{"to":"BON","day":"Monday","night":"Monday"}`)), "exactly one", `"isError":true`)
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), aspect, io.Discard, &verdicts, nil); err != nil {
		t.Error(err)
	}
	wants(t, verdicts.String(), "WARN tool book: its inputSchema has oneOf at the root, which some clients and model services refuse; put it into a property\n")
}

func TestPrice(t *testing.T) {
	aspect := &core.Aspect{Name: "MCPServer_kitchen", Version: "0.1.0", Templates: []core.Template{price(map[string]string{"pizza": "8.50"})}}
	if err := core.Validate(aspect); err != nil {
		t.Fatal(err)
	}
	answer := serve(t, aspect,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kitchen:///prices/pizza"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"kitchen:///prices/x"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"kitchen:///prices/{dish}"},"argument":{"name":"dish","value":"p"}}}`,
	)
	wants(t, answer, `"text":"8.50"`, `"code":-32002`, `"values":["pasta","pizza"],"total":2`)
}

func TestShop(t *testing.T) {
	s := &shop{}
	aspect := oneTool("greet", nil, s.close)
	aspect.DynamicTools = true
	aspect.OnStartup = func(_ context.Context, host core.Host) error {
		s.host = host
		return host.AddTools(core.Tool{Name: "open", Description: "Opens the shop.", Handler: s.open})
	}
	wants(t, serve(t, aspect, call("open", "{}"), strings.Replace(call("close", "{}"), `"id":1`, `"id":2`, 1)), "the shop is open", "the shop is closed")
	wants(t, serve(t, aspect, call("open", "{}"), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), "the shop is open", `"name":"greet"`, `"name":"close"`)
}

func TestRemove(t *testing.T) {
	aspect := oneTool("remove", nil, remove)
	wants(t, answerQuestion(t, aspect, `{"action":"accept","content":{"sure":true}}`), "everything was removed")
	wants(t, answerQuestion(t, aspect, `{"action":"accept","content":{"sure":false}}`), "nothing was removed")
	wants(t, answerQuestion(t, aspect, `{"action":"accept","content":{"sure":"true"}}`), "sure: must be a boolean", `"isError":true`)
	wants(t, answerQuestion(t, aspect, `{"action":"decline"}`), "refused", `"isError":true`)
}

func TestRemoveTestsPass(t *testing.T) {
	aspect := oneTool("remove", nil, remove)
	aspect.SelfTests = removeTests()
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), aspect, io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}

func TestSubscribe(t *testing.T) {
	aspect := oneTool("subscribe", nil, subscribe)
	wants(t, answerQuestion(t, aspect, `{"action":"accept","content":{"mail":"eric@example.com","days":["Sunday"]}}`),
		`{\"mail\":\"eric@example.com\",\"days\":[\"Sunday\"],\"size\":\"s\"}`)
	wants(t, answerQuestion(t, aspect, `{"action":"accept","content":{"mail":"eric","days":["Friday"]}}`),
		"days[0]: must be one of", "mail: must be an email address", `"isError":true`)
}

// answerQuestion calls the aspect's tool, answers the question that it asks the
// user, and gives the answer to the call.
func answerQuestion(t *testing.T, aspect *core.Aspect, answer string) string {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(t.Context(), aspect, in, out, nil)
		out.Close()
	}()
	send := func(lines ...string) { go io.WriteString(toServer, strings.Join(lines, "\n")+"\n") }
	send(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call(aspect.Tools[0].Name, "{}"),
	)
	last := ""
	for messages := bufio.NewScanner(fromServer); messages.Scan(); {
		message := gjson.ParseBytes(messages.Bytes())
		switch {
		case message.Get("method").Str == "elicitation/create":
			send(`{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"result":` + answer + `}`)
		case message.Get("id").Raw == "1":
			last = message.Raw
			toServer.Close()
		}
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	return last
}
