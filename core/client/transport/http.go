package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// HTTP reaches a server by Streamable HTTP in both eras, and by the older
// HTTP+SSE. Nothing in it may change after its first use.
//
// Which of them a server speaks is found out: an initialize request that is
// refused with status 400, 404 or 405 makes the link try HTTP+SSE. With
// EventsFirst it is the other way round.
type HTTP struct {
	// URL is the server's endpoint. Required.
	URL string
	// EventsFirst tries HTTP+SSE before Streamable HTTP: for servers that are
	// configured as "sse".
	EventsFirst bool
	// Headers are sent with each request, unless the protocol has a header of
	// that name.
	Headers map[string]string
	// BearerVariable names an environment variable whose value is sent as
	// bearer token. It is read when a link is opened, and must be set then.
	BearerVariable string
	// MaxMessage is the longest message that is read, in bytes. Zero is 64 MiB.
	MaxMessage int
	// RoundTripper does the exchanges; nil is one of our own. An OAuth library's
	// can be given here.
	RoundTripper http.RoundTripper
}

// Bounds of HTTP.
const (
	dialTimeout    = 10 * time.Second
	maxHeaderBytes = 256 << 10
	maxStatusBody  = 64 << 10
	maxRedirects   = 5
	// closeTimeout is how long Close waits for the server to hear that the
	// session is over.
	closeTimeout = 2 * time.Second
)

func (h *HTTP) maxMessage() int {
	if h.MaxMessage <= 0 {
		return defaultMaxMessage
	}
	return h.MaxMessage
}

// String gives the address without user, query and fragment, which may hold
// secrets.
func (h *HTTP) String() string {
	address, err := url.Parse(h.URL)
	if err != nil {
		return "an invalid URL"
	}
	return (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}).String()
}

// Open prepares the link. With EventsFirst it asks the server for its stream of
// events; otherwise nothing is sent.
func (h *HTTP) Open(ctx context.Context, receiver Receiver) (Link, error) {
	peer, err := h.newPeer()
	if err != nil {
		return nil, err
	}
	if h.EventsFirst {
		link, err := openEventLink(ctx, peer, receiver)
		var status *StatusError
		if err == nil || !errors.As(err, &status) || status.Unauthorized() || status.Status >= 500 {
			return link, err
		}
	}
	return newStreamable(peer, receiver), nil
}

// peer is the HTTP side of one link: the server's address, our credentials and
// the connections.
type peer struct {
	address    *url.URL
	headers    http.Header
	client     *http.Client
	maxMessage int
}

func (h *HTTP) newPeer() (*peer, error) {
	address, err := url.Parse(h.URL)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", withoutURL(err))
	}
	if address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, fmt.Errorf("the server's URL %s is not that of an HTTP server", h)
	}
	headers := http.Header{}
	for name, value := range h.Headers {
		headers.Set(name, value)
	}
	if h.BearerVariable != "" {
		token := os.Getenv(h.BearerVariable)
		if token == "" {
			return nil, fmt.Errorf("the environment variable %s, which holds the bearer token for %s, is not set", h.BearerVariable, h)
		}
		headers.Set("Authorization", "Bearer "+token)
	}
	roundTripper := h.RoundTripper
	if roundTripper == nil {
		roundTripper = newRoundTripper()
	}
	return &peer{
		address:    address,
		headers:    headers,
		client:     &http.Client{Transport: roundTripper, CheckRedirect: checkRedirect},
		maxMessage: h.maxMessage(),
	}, nil
}

// newRoundTripper gives one whose connecting is bounded in time. Waiting for an
// answer is bounded by each request's context alone: calls may take long.
func newRoundTripper() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// checkRedirect follows redirects only where our credentials and the message
// stay with whom they are meant for, and stay whole.
func checkRedirect(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case len(before) > maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	case !sameOrigin(first.URL, next.URL):
		return fmt.Errorf("the server redirects to another origin, %s://%s, which is not followed: "+
			"if it is to be trusted, it must be configured itself", next.URL.Scheme, next.URL.Host)
	case next.Method != first.Method:
		return errors.New("the server redirects in a way that loses the message (it must use status 307 or 308)")
	}
	return nil
}

// sameOrigin compares scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(address *url.URL) string {
	switch {
	case address.Port() != "":
		return address.Port()
	case strings.EqualFold(address.Scheme, "https"):
		return "443"
	}
	return "80"
}

// post sends a message to the address.
func (p *peer) post(ctx context.Context, address *url.URL, message *Message, session string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), strings.NewReader(string(message.Body)))
	if err != nil {
		return nil, err
	}
	request.Header = p.headers.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	message.setHeaders(request.Header, session)
	return p.do(request)
}

// get asks for a stream of events.
func (p *peer) get(ctx context.Context, set func(http.Header)) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header = p.headers.Clone()
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Cache-Control", "no-store")
	set(request.Header)
	return p.do(request)
}

func (p *peer) do(request *http.Request) (*http.Response, error) {
	response, err := p.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	return response, nil
}

// withoutURL takes the URL out of an error: its query may hold a secret.
func withoutURL(err error) error {
	var where *url.Error
	if errors.As(err, &where) {
		return where.Err
	}
	return err
}

// succeeded gives nil for a status of 2xx, and otherwise a [*StatusError] with
// the beginning of the body.
func succeeded(response *http.Response) error {
	if response.StatusCode/100 == 2 {
		return nil
	}
	// What cannot be read of the body does not change what the status says.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxStatusBody))
	return &StatusError{
		Status:    response.StatusCode,
		Body:      body,
		Challenge: response.Header.Get("WWW-Authenticate"),
	}
}

// contentType gives the media type without its parameters.
func contentType(response *http.Response) string {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return mediaType
}

// drop closes a body of which nothing more is wanted. What little may be left
// of it is read, so that the connection can be used again.
func drop(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
