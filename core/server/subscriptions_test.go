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

// A URI is a part of its message; what is kept is a copy, or else the whole
// message would be kept with it.
func TestSubscriptionsKeepTheirURIAlone(t *testing.T) {
	message := strings.Repeat("x", 100) + "a:b"
	var s subscriptions
	if err := s.add(message[100:], nobody()); err != nil {
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
		if s.add(long, nobody()) != nil {
			t.Fatal("one URI of the full size is refused")
		}
	}
	if s.add("y", nobody()) == nil {
		t.Error("a URI beyond the bytes is taken")
	}
	s.remove(long, nobody())
	s.remove(long, nobody())
	if s.size != 0 {
		t.Errorf("without a URI their size is %d", s.size)
	}
	for i := range maxSubscriptions {
		if s.add(strconv.Itoa(i), nobody()) != nil {
			t.Fatalf("URI %d is refused, want %d to be taken", i+1, maxSubscriptions)
		}
	}
	if s.add("one more", nobody()) == nil {
		t.Error("a URI beyond the number is taken")
	}
}
