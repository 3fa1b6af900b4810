package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcpserver/core/client/transport"
	"mcpserver/core/internal/wire"
)

// connection speaks JSON-RPC over one link. What belongs together stands in
// files of its own: the requests of ours that are open (calls.go), what comes
// in (receive.go), what the server asks (questions.go), the handshake
// (handshake.go).
//
// A request goes this way:
//
//	Client.Do
//	  roundTrip            gives it an id and its _meta
//	    link.Send
//	    call.await           until receive settles it, or a limit has passed
//	    abandon              if it has: the server is told
type connection struct {
	client *Client
	log    *slog.Logger

	link   transport.Link
	opened chan struct{} // closed when link is set

	context context.Context // of all that the connection does; ended by end
	cancel  context.CancelFunc
	mu      sync.Mutex
	ended   error          // why; nil before end
	tasks   sync.WaitGroup // goroutines that run no code of others; none is added after end
	closing bool
	// cancellations are those of tasks that tell the server to cancel something;
	// none is added when closing.
	cancellations sync.WaitGroup

	scanners  sync.Pool // of *scan
	calls     calls
	questions questions
	changes   changes
	strays    strays

	session atomic.Pointer[session] // nil before the handshake
	ready   atomic.Bool             // the handshake is over
}

// cancelTimeout bounds telling a server that a request is not wanted any more.
const cancelTimeout = 5 * time.Second

// openConnection opens a link.
func (c *Client) openConnection(ctx context.Context) (*connection, error) {
	n := &connection{client: c, log: c.log(), opened: make(chan struct{})}
	n.context, n.cancel = context.WithCancel(context.Background())
	n.scanners.New = func() any { return newScan() }
	link, err := c.transport.Open(ctx, n)
	if err != nil {
		n.cancel()
		return nil, err
	}
	n.link = link
	close(n.opened)
	n.tasks.Go(n.watch)
	return n, nil
}

// watch ends the connection with its link.
func (n *connection) watch() {
	select {
	case <-n.link.Done():
		n.end(n.link.Err())
	case <-n.context.Done():
	}
}

// end fails what is open. The first reason counts.
func (n *connection) end(reason error) {
	if reason == nil {
		reason = ErrNotConnected
	}
	n.mu.Lock()
	if n.ended == nil {
		n.ended = reason
	}
	reason = n.ended
	n.cancel()
	n.mu.Unlock()
	n.calls.close(fmt.Errorf("%w: %w", ErrNotConnected, reason))
}

// close ends the connection and its link. The server is still told of what was
// cancelled before. Only handlers that do not heed their context may still run
// then.
func (n *connection) close(reason error) {
	n.mu.Lock()
	n.closing = true
	n.mu.Unlock()
	told := make(chan struct{})
	go func() {
		n.cancellations.Wait()
		close(told)
	}()
	waitBriefly(told)
	n.end(reason)
	if err := n.link.Close(); err != nil {
		n.log.Warn("the connection could not be closed", "error", err)
	}
	n.tasks.Wait()
}

// reason tells why the connection has ended.
func (n *connection) reason() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ended
}

// outgoing is a request on its way out.
type outgoing struct {
	*Request
	// name and parameters are what HTTP repeats in headers.
	name       string
	parameters []transport.Parameter
	limits     limits
	// quiet says that the server must not be told when nobody waits for the
	// answer any more: it is that of initialize.
	quiet bool
	// listening is set for a request that stays open.
	listening *listening
}

// roundTrip sends a request and waits for its answer. The error is a
// *core.Error when the server has answered with one.
func (n *connection) roundTrip(ctx context.Context, request *outgoing) (string, error) {
	session := n.session.Load()
	c := &call{}
	n.initCall(c, request)
	c.done = make(chan struct{})
	c.exchange, c.endExchange = context.WithCancelCause(n.context)
	if err := n.launch(ctx, c, session, request); err != nil {
		return "", err
	}
	if abandoned := c.await(ctx, request.limits); abandoned != nil {
		c.told.end()
		if n.calls.take(c.id) != nil {
			n.abandon(c, session, request, abandoned)
			return "", abandoned
		}
	}
	<-c.done
	c.told.finish()
	return c.result, c.err
}

// initCall makes a call one for a request, whose exchange is the connection's.
func (n *connection) initCall(c *call, request *outgoing) {
	c.id = n.client.ids.Add(1)
	c.method, c.tag, c.asks = request.Method, request.Tag, asks(request.Method)
	c.told = newTold(request.Request, n.log)
	c.listening = request.listening
	c.started = time.Now()
	c.exchange, c.endExchange = n.context, func(error) {}
}

// launch sends the request of a call. Without an error, the call is open, or has
// been settled already.
func (n *connection) launch(ctx context.Context, c *call, session *session, request *outgoing) error {
	message, err := n.encode(session, c, request)
	if err == nil {
		err = n.calls.add(c)
	}
	if err != nil {
		c.endExchange(err)
		return err
	}
	err = n.send(ctx, c, message)
	if request.OnSent != nil {
		request.OnSent()
	}
	if err != nil && n.calls.take(c.id) != nil {
		c.endExchange(err)
		return err
	}
	// Otherwise the end of the connection has settled it, and knows why.
	return nil
}

// send hands the request to the link. The link's exchange outlives the sending.
func (n *connection) send(ctx context.Context, c *call, message *transport.Message) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { c.endExchange(context.Cause(ctx)) })
		defer stop()
	}
	return n.link.Send(c.exchange, message)
}

// encode gives the message of a request.
func (n *connection) encode(session *session, c *call, request *outgoing) (*transport.Message, error) {
	surrounding := n.client.surround(session, request.Request)
	if c.told.wantsProgress() {
		surrounding.token = c.id
	}
	body := append(make([]byte, 0, len(request.Params)+128), `{"jsonrpc":"2.0","id":`...)
	body = append(wire.AppendInt(body, c.id), `,"method":`...)
	body = wire.AppendString(body, request.Method)
	body = append(body, `,"params":`...)
	body, err := surrounding.appendParams(body, request.Params)
	if err != nil {
		return nil, err
	}
	return &transport.Message{
		Body:       append(body, '}'),
		Method:     request.Method,
		ID:         strconv.FormatInt(c.id, 10),
		Version:    session.version(),
		Modern:     session.modern(),
		Name:       request.name,
		Parameters: request.parameters,
	}, nil
}

// abandon ends a call that nobody waits for any more, and has the server told:
// by the end of the exchange where that means it, else by a notification.
func (n *connection) abandon(c *call, session *session, request *outgoing, reason error) {
	c.endExchange(reason)
	if request.quiet || n.context.Err() != nil || session.modern() && n.link.Traits().Exchanges {
		return
	}
	params := wire.AppendInt([]byte(`{"requestId":`), c.id)
	params = append(params, `,"reason":`...)
	params = append(wire.AppendString(params, reason.Error()), '}')
	tell := func() {
		defer n.cancellations.Done()
		ctx, cancel := context.WithTimeout(n.context, cancelTimeout)
		defer cancel()
		if err := n.notify(ctx, "notifications/cancelled", params); err != nil && n.context.Err() == nil {
			n.log.Warn("a cancellation could not be sent", "method", c.method, "error", err)
		}
	}
	n.mu.Lock()
	if n.closing || n.context.Err() != nil {
		n.mu.Unlock()
		return
	}
	n.cancellations.Add(1)
	atOnce := n.sendsAtOnce()
	if !atOnce {
		n.tasks.Go(tell)
	}
	n.mu.Unlock()
	if atOnce {
		tell()
	}
}

// sendsAtOnce reports whether the link takes a message without waiting.
func (n *connection) sendsAtOnce() bool {
	queue, ok := n.link.(interface{ Full() bool })
	return ok && !queue.Full()
}

// background runs a task of the connection's own, which ends with its context.
func (n *connection) background(task func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.context.Err() == nil {
		n.tasks.Go(task)
	}
}

// notify sends a notification; params is a JSON object on one line, or nil.
func (n *connection) notify(ctx context.Context, method string, params []byte) error {
	body := wire.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method)
	if params != nil {
		body = append(append(body, `,"params":`...), params...)
	}
	session := n.session.Load()
	return n.link.Send(ctx, &transport.Message{
		Body:    append(body, '}'),
		Method:  method,
		Version: session.version(),
		Modern:  session.modern(),
	})
}

// respond answers a request of the server; member is "result" or "error" with
// its value.
func (n *connection) respond(ctx context.Context, id, member string, value []byte) {
	select {
	case <-n.opened:
	case <-n.context.Done():
		return
	}
	body := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	body = append(append(body, `,"`...), member...)
	body = append(append(body, `":`...), value...)
	err := n.link.Send(ctx, &transport.Message{Body: append(body, '}'), ID: id, Version: n.session.Load().version()})
	if err != nil && !errors.Is(err, context.Canceled) {
		n.log.Warn("an answer could not be sent to the server", "error", err)
	}
}
