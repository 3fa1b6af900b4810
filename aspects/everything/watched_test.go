package everything

import "testing"

func TestWatchedResourceRestsWhenServingEnds(t *testing.T) {
	w := &watchedResource{}
	w.subscribed(t.Context(), "test://another")
	if w.timer != nil {
		t.Error("it changes for subscribers of another resource")
	}
	w.subscribed(t.Context(), watchedURI)
	if w.timer == nil {
		t.Fatal("it does not change for its subscribers")
	}
	timer := w.timer
	if err := w.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if timer.Stop() {
		t.Error("its timer went on after the end")
	}
	w.subscribed(t.Context(), watchedURI)
	if w.timer != nil {
		t.Error("it changes for a subscriber that comes after the end")
	}
}
