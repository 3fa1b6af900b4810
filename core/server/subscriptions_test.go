package server

import (
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"mcpserver/core"
)

// nobody wants to be told of subscribers.
func nobody() *watchers { return &watchers{connection: &connection{aspect: &core.Aspect{}}} }

func subscribe(s *subscriptions, uri string) error {
	_, err := s.add(uri, &subscription{}, nobody(), nil)
	return err
}

// A URI is a part of its message; what is kept is a copy, or else the whole
// message would be kept with it.
func TestSubscriptionsKeepTheirURIAlone(t *testing.T) {
	message := strings.Repeat("x", 100) + "a:b"
	var s subscriptions
	if err := subscribe(&s, message[100:]); err != nil {
		t.Fatal(err)
	}
	for uri := range s.uris {
		if uri != "a:b" || unsafe.StringData(uri) == unsafe.StringData(message[100:]) {
			t.Errorf("%q is kept as a part of its message", uri)
		}
	}
}

// What a client subscribes to is bounded in number and in bytes, and what it
// unsubscribes makes room again.
func TestSubscriptionsAreBounded(t *testing.T) {
	var s subscriptions
	long := strings.Repeat("x", maxSubscribed)
	for range 2 { // the same again takes no room
		if subscribe(&s, long) != nil {
			t.Fatal("one URI of the full size is refused")
		}
	}
	if subscribe(&s, "y") == nil {
		t.Error("a URI beyond the bytes is taken")
	}
	s.remove(long, nobody())
	s.remove(long, nobody())
	if s.size != 0 {
		t.Errorf("without a URI their size is %d", s.size)
	}
	for i := range maxSubscriptions {
		if subscribe(&s, strconv.Itoa(i)) != nil {
			t.Fatalf("URI %d is refused, want %d to be taken", i+1, maxSubscriptions)
		}
	}
	if subscribe(&s, "one more") == nil {
		t.Error("a URI beyond the number is taken")
	}
}
