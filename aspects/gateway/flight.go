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
	stateless bool  // the client is of the modern era
	place     *turn // in the order of what goes to the server

	mu       sync.Mutex         // guards what follows
	end      func(reason error) // ends the server's call; nil before it was sent
	ending   error              // why it is to end
	gaveUp   chan struct{}      // closed when the client has given it up; nil until somebody waits for that
	isFlying bool               // it counts among those of its server that are
	call     *core.Call         // the newest request of the client
	deferred *core.Deferred
	unfollow func() bool // stops following that request's context
	asked    int
	retries  int
	open     []*question // in the server's order
	landed   bool
	result   string // once landed
	err      error
}

var (
	errClientCancelled = errors.New("the client has cancelled the request")
	errNobodyResumed   = errors.New("the client did not come back with the answers")
	errEnding          = errors.New("the gateway is ending")
)

// begin sends a request to its server, behind those that came before.
func (g *gateway) begin(ctx context.Context, call *core.Call, t target, params json.RawMessage, place *turn) (core.Result, error) {
	if !t.upstream.isConnected() {
		place.over()
		return nil, t.upstream.unavailable()
	}
	f := &flight{gateway: g, target: t, stateless: call.Stateless()}
	f.mu.Lock()
	f.attachLocked(ctx, call)
	f.mu.Unlock()
	request := f.request(call, params)
	f.place = place
	if f.isFlying = t.upstream.takeOff(); !f.isFlying {
		place.over()
		f.land("", errEnding)
		return core.Pending, nil
	}
	place.begin(func() { t.upstream.whenTold(request.Method, func() { f.fly(request) }) })
	return core.Pending, nil
}

// whenTold does something when the server knows what it was told before: which
// log messages are wanted and, for a read, all subscriptions.
func (u *upstream) whenTold(method string, something func()) {
	if method == "resources/read" {
		read := something
		something = func() { u.subscribing.then(read) }
	}
	u.levels.then(something)
}

// sent gives the turn to whatever is to be sent next.
func (f *flight) sent() { f.place.over() }

// attachLocked makes a request of the client the one that the flight is for. When
// the client cancels it, so is the server's call.
func (f *flight) attachLocked(ctx context.Context, call *core.Call) {
	f.call, f.deferred = call, call.Defer()
	f.unfollow = afterFunc(ctx, f.abandoned)
}

// afterFunc is context.AfterFunc, which a request's context does for less.
func afterFunc(ctx context.Context, f func()) (stop func() bool) {
	if own, ok := ctx.(interface{ AfterFunc(func()) func() bool }); ok {
		return own.AfterFunc(f)
	}
	return context.AfterFunc(ctx, f)
}

func (f *flight) abandoned() { f.cancel(errClientCancelled) }

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
		OnNotification: f.notice,
		OnSent:         f.sent,
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

// maxRetries is how often a server may have a request sent again without asking
// anything.
const maxRetries = 10

// fly sends the request to the server.
func (f *flight) fly(request *client.Request) {
	f.mu.Lock()
	ending := f.ending
	f.mu.Unlock()
	if ending != nil {
		f.sent()
		f.land("", ending)
		return
	}
	end := f.target.upstream.client.Begin(request, func(result string, err error) {
		state := f.returned(result)
		switch {
		case err != nil || state == "":
			f.land(result, err)
		case f.retries == maxRetries:
			f.land("", fmt.Errorf("server %q has sent the request back %d times", f.target.upstream.name, maxRetries))
		default:
			f.retries++
			again := *request
			again.Params = withMember(json.RawMessage(without(string(request.Params), "inputResponses", "requestState")), "requestState", state)
			f.fly(&again)
		}
	})
	f.mu.Lock()
	f.end, ending = end, f.ending
	f.mu.Unlock()
	if ending != nil {
		end(ending)
	}
}

// returned gives the state of a server that only wants to have it back, at once;
// "" for any other result.
func (f *flight) returned(result string) (state string) {
	if !f.stateless || !isInputRequired(result) {
		return ""
	}
	if asked := gjson.Get(result, "inputRequests"); asked.Exists() && (!asked.IsObject() || len(asked.Map()) > 0) {
		return ""
	}
	return gjson.Get(result, "requestState").Raw
}

func isInputRequired(result string) bool {
	return gjson.Get(result, "resultType").Str == "input_required"
}

// cancel ends the server's call.
func (f *flight) cancel(reason error) {
	f.mu.Lock()
	if f.ending == nil {
		f.ending = reason
		if f.gaveUp != nil && f.isAbandonedLocked() {
			close(f.gaveUp)
		}
	}
	end := f.end
	f.mu.Unlock()
	if end != nil {
		end(reason)
	}
}

func (f *flight) isAbandonedLocked() bool { return errors.Is(f.ending, errClientCancelled) }

// abandonment gives a channel that is closed when the client gives the call up.
func (f *flight) abandonment() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gaveUp == nil {
		f.gaveUp = make(chan struct{})
		if f.isAbandonedLocked() {
			close(f.gaveUp)
		}
	}
	return f.gaveUp
}

// land takes the outcome of the server's call. While the flight is parked, it
// waits for whoever resumes it.
func (f *flight) land(result string, err error) {
	f.mu.Lock()
	if f.isFlying {
		f.isFlying = false
		defer f.target.upstream.flying.Done()
	}
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
		f.gateway.parked.take(id)
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

// notice tells the client what the server tells.
func (f *flight) notice(n client.Notification) { f.target.upstream.notice(f, n) }

// progress tells the client how far the server is.
func (f *flight) progress(p client.Progress) {
	f.mu.Lock()
	call := f.call
	f.mu.Unlock()
	call.Forward("notifications/progress", p.Params)
}

// outcome gives the client's answer.
func (t target) outcome(call *core.Call, result string, err error) (core.Result, error) {
	if err != nil {
		var failure *core.Error
		if errors.As(err, &failure) {
			if asking := t.askToVisit(call, failure); asking != nil {
				return asking, nil
			}
		}
		return nil, t.failure(call, err)
	}
	if call.Stateless() && isInputRequired(result) {
		return t.ask(call, result)
	}
	return core.ForwardedResult(t.rewritten(call.Method(), t.resultInEra(call, result))), nil
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
		told.Data = json.RawMessage(withURI(string(told.Data), t.served))
	}
	return &told
}

// ask hands on what a server of the modern era asks a client of the modern era.
// Nothing is kept here: the server's state goes to the client and comes back.
func (t target) ask(call *core.Call, result string) (core.Result, error) {
	asked := gjson.Get(result, "inputRequests")
	kept := resumption{State: json.RawMessage(gjson.Get(result, "requestState").Raw)}
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
