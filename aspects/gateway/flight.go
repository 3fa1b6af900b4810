package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/client"
)

// flight is one call of a server for one request of the client. It may outlive
// that request: when the server asks something inside the call, and the client
// is of the modern era, the request is answered with the question, and the
// flight is parked until another request resumes it.
type flight struct {
	gateway   *gateway
	target    target
	stateless bool // the client is of the modern era

	context context.Context // of the server's call
	cancel  context.CancelCauseFunc

	mu       sync.Mutex // guards what follows
	call     *core.Call // the newest request of the client
	deferred *core.Deferred
	unfollow func() bool // stops following that request's context
	asked    int
	open     []*question // in the server's order
	landed   bool
	result   json.RawMessage // once landed
	err      error
}

var (
	errClientCancelled = errors.New("the client has cancelled the request")
	errNobodyResumed   = errors.New("the client did not come back with the answers")
	errEnding          = errors.New("the gateway is ending")
)

// begin sends a request to its server, behind those that came before.
func (g *gateway) begin(ctx context.Context, call *core.Call, t target, params json.RawMessage, place turn) (core.Result, error) {
	if !t.upstream.isConnected() {
		place.done()
		return nil, t.upstream.unavailable()
	}
	f := &flight{gateway: g, target: t, stateless: call.Stateless()}
	f.context, f.cancel = context.WithCancelCause(g.context)
	f.mu.Lock()
	f.attachLocked(ctx, call)
	f.mu.Unlock()
	request := f.request(call, params)
	request.OnSent = place.done
	leveled := t.upstream.levels.settled()
	if !t.upstream.takeOff(func() { f.fly(place.before, leveled, request) }) {
		place.done()
		f.land(nil, errEnding)
	}
	return core.Pending, nil
}

// attachLocked makes a request of the client the one that the flight is for. When
// the client cancels it, so is the server's call.
func (f *flight) attachLocked(ctx context.Context, call *core.Call) {
	f.call, f.deferred = call, call.Defer()
	f.unfollow = context.AfterFunc(ctx, func() { f.cancel(errClientCancelled) })
}

// detachLocked gives the request that is to be answered now; nil while there is
// none.
func (f *flight) detachLocked() *core.Deferred {
	deferred := f.deferred
	if deferred != nil {
		f.deferred = nil
		f.unfollow()
	}
	return deferred
}

// request gives the request to the server.
func (f *flight) request(call *core.Call, params json.RawMessage) *client.Request {
	request := &client.Request{
		Method:         call.Method(),
		Params:         params,
		OnNotification: func(n client.Notification) { f.target.upstream.notice(f, n) },
		Tag:            f,
		Repeatable:     f.target.repeatable,
		Unanswered:     f.stateless,
	}
	meta := call.Meta()
	if token := meta.Get("progressToken"); token.Exists() && token.Type != gjson.Null {
		request.OnProgress = f.progress
	}
	if f.stateless {
		request.Capabilities = json.RawMessage(carried(call.ClientCapabilities()))
		request.LogLevel = meta.Get(logLevelKey).Str
		f.target.upstream.lowerLevel(request.LogLevel)
	} else {
		request.LogLevel = f.gateway.legacyLevel()
	}
	return request
}

// fly has the server's call made, once its turn has come and the server knows
// which log messages are wanted.
func (f *flight) fly(before, leveled <-chan struct{}, request *client.Request) {
	defer request.OnSent()
	defer f.cancel(nil)
	for _, event := range [...]<-chan struct{}{before, leveled} {
		select {
		case <-event:
		case <-f.context.Done():
			f.land(nil, context.Cause(f.context))
			return
		}
	}
	if request.Method == "resources/read" {
		f.target.upstream.awaitSubscription(f.context)
	}
	f.land(f.target.do(f.context, request))
}

// maxRetries is how often a server may have a request sent again without asking
// anything.
const maxRetries = 10

// do makes the server's call. A server that only wants to have its state back
// gets it at once.
func (t target) do(ctx context.Context, request *client.Request) (json.RawMessage, error) {
	next := *request
	for range maxRetries {
		result, err := t.upstream.client.Do(ctx, &next)
		state := gjson.GetBytes(result, "requestState")
		if err != nil || gjson.GetBytes(result, "resultType").Str != "input_required" ||
			gjson.GetBytes(result, "inputRequests").Exists() || !state.Exists() {
			return result, err
		}
		next.Params = withMember(request.Params, "requestState", state.Raw)
	}
	return nil, fmt.Errorf("server %q has sent the request back %d times", t.upstream.name, maxRetries)
}

// land takes the outcome of the server's call. While the flight is parked, it
// waits for whoever resumes it.
func (f *flight) land(result json.RawMessage, err error) {
	f.mu.Lock()
	f.landed, f.result, f.err = true, result, err
	f.refuseLocked(errors.New("the call has ended"))
	f.answerLocked()
}

// answerLocked answers the client's request, if there is one, with the outcome or
// with what the server asks. It unlocks.
func (f *flight) answerLocked() {
	if f.deferred == nil || !f.landed && len(f.open) == 0 {
		f.mu.Unlock()
		return
	}
	call, deferred := f.call, f.detachLocked()
	if f.landed {
		result, err := f.result, f.err
		f.mu.Unlock()
		f.gateway.completed(deferred.Complete(f.target.outcome(call, result, err)))
		return
	}
	inputs := make(core.Inputs, len(f.open))
	for _, q := range f.open {
		inputs[q.key] = q.asked
	}
	id := f.gateway.parked.add(f)
	f.mu.Unlock()
	state, err := json.Marshal(resumption{Parked: id})
	if err == nil {
		var asking core.Result
		asking, err = call.RequireInput(inputs, state)
		err = deferred.Complete(asking, err)
	}
	if err != nil {
		// The client has gone, or was told that it cannot be asked.
		f.cancel(errClientCancelled)
		f.gateway.completed(err)
	}
}

// resume goes on for another request of the client, which has the answers to some
// of what was asked.
func (f *flight) resume(ctx context.Context, call *core.Call) {
	f.mu.Lock()
	f.attachLocked(ctx, call)
	f.open = slices.DeleteFunc(f.open, func(q *question) bool {
		answer, given := call.Input(q.key)
		if given {
			q.answer <- answer
		}
		return given
	})
	f.answerLocked()
}

// progress tells the client how far the server is.
func (f *flight) progress(p client.Progress) {
	f.mu.Lock()
	call := f.call
	f.mu.Unlock()
	call.Forward("notifications/progress", p.Params)
}

// outcome gives the client's answer.
func (t target) outcome(call *core.Call, result json.RawMessage, err error) (core.Result, error) {
	if err != nil {
		return nil, t.failure(call, err)
	}
	if call.Stateless() && gjson.GetBytes(result, "resultType").Str == "input_required" {
		return t.ask(call, result)
	}
	return core.ForwardedResult(t.rewritten(call.Method(), result)), nil
}

// failure gives what the client is told of a call that has failed: a server's
// error is its own, with the code that the client's era has for it.
func (t target) failure(call *core.Call, err error) error {
	var failure *core.Error
	if !errors.As(err, &failure) {
		return errors.New(oneLine(err))
	}
	told := *failure
	if call.Method() == "resources/read" && client.IsNotFound(err) {
		told.Code = core.ResourceNotFound("").Code
	}
	if t.served != t.name && gjson.GetBytes(told.Data, "uri").Str == t.name {
		told.Data = withURI(told.Data, t.served)
	}
	return &told
}

// ask hands on what a server of the modern era asks a client of the modern era.
// Nothing is kept here: the server's state goes to the client and comes back.
func (t target) ask(call *core.Call, result json.RawMessage) (core.Result, error) {
	asked := gjson.GetBytes(result, "inputRequests")
	kept := resumption{State: json.RawMessage(gjson.GetBytes(result, "requestState").Raw)}
	inputs := core.Inputs{}
	asked.ForEach(func(key, request gjson.Result) bool {
		kept.Keys = append(kept.Keys, key.String())
		inputs[key.String()] = core.RawQuestion{
			Method: request.Get("method").Str,
			Params: json.RawMessage(request.Get("params").Raw),
		}
		return true
	})
	state, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	return call.RequireInput(inputs, state)
}
