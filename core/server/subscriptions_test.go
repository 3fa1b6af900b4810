package server

import (
	"strconv"
	"strings"
	"testing"
)

// What a client subscribes to is bounded in number and in bytes, and what it
// unsubscribes makes room again.
func TestSubscriptionsAreBounded(t *testing.T) {
	var s subscriptions
	long := strings.Repeat("x", maxSubscribed)
	for range 2 { // the same again takes no room
		if !s.add(long) {
			t.Fatal("one URI of the full size is refused")
		}
	}
	if s.add("y") {
		t.Error("a URI beyond the bytes is taken")
	}
	s.remove(long)
	s.remove(long)
	if s.size != 0 {
		t.Errorf("without a URI their size is %d", s.size)
	}
	for i := range maxSubscriptions {
		if !s.add(strconv.Itoa(i)) {
			t.Fatalf("URI %d is refused, want %d to be taken", i+1, maxSubscriptions)
		}
	}
	if s.add("one more") {
		t.Error("a URI beyond the number is taken")
	}
}
