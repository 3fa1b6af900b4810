package jsonschema

import (
	"context"
	"errors"
	"reflect"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// Tool makes a tool of a handler that takes its arguments as an In and gives its
// result as an Out, both structs or maps: it sets the tool's Input, Output and
// Handler. See Input and Output for how types become schemas. What is wrong with
// the types is an error of the schemas' Validate, so that core.Validate tells it
// with the tool's name.
//
// A handler whose Out is a core.Result, or implements it, answers as any handler
// does: it may ask the client (Call.RequireInput), defer its answer, or return
// content of any kind. The tool then has an output schema only if its Output is
// set, to an Output whose Result makes the structured results.
func Tool[In, Out any](tool core.Tool, handler func(ctx context.Context, call *core.Call, in In) (Out, error)) core.Tool {
	in := NewInput[In]()
	if tool.Input != nil || tool.Handler != nil {
		tool.Input = broken{errors.New("the tool has an Input or a Handler besides the typed one")}
	} else {
		tool.Input = in
	}
	if handler == nil {
		return tool
	}
	if reflect.TypeFor[Out]().Implements(reflect.TypeFor[core.Result]()) {
		tool.Handler = freeHandler(in, handler)
		return tool
	}
	out := NewOutput[Out]()
	if tool.Output != nil {
		tool.Input = broken{errors.New("the tool has an Output besides the one of its handler")}
	}
	tool.Output = out
	tool.Handler = func(ctx context.Context, call *core.Call) (core.Result, error) {
		arguments, err := in.Read(call)
		if err != nil {
			return nil, err
		}
		value, err := handler(ctx, call, arguments)
		if err != nil {
			return nil, err
		}
		return out.Result(value)
	}
	return tool
}

// freeHandler makes a handler of one that gives a result of its own.
func freeHandler[In, Out any](in *Input[In], handler func(context.Context, *core.Call, In) (Out, error)) core.Handler {
	return func(ctx context.Context, call *core.Call) (core.Result, error) {
		arguments, err := in.Read(call)
		if err != nil {
			return nil, err
		}
		result, err := handler(ctx, call, arguments)
		if err != nil {
			return nil, err
		}
		if value := reflect.ValueOf(result); !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
			return nil, errors.New("the tool's handler gave no result")
		}
		free, _ := any(result).(core.Result)
		return free, nil
	}
}

// broken is a schema that only says what is wrong.
type broken struct{ err error }

// AppendJSON implements core.Schema.
func (broken) AppendJSON(dst []byte) []byte {
	return append(dst, `{"type":"object","properties":{}}`...)
}

// Check implements core.Schema.
func (broken) Check(string, []wire.Member) (missing string, violations []string) { return "", nil }

// Validate implements core.Schema.
func (b broken) Validate() error { return b.err }
