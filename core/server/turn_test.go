package server

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// watched starts the watchdog of a turn and counts its take-overs.
func watched(t *testing.T) (own *turn, takeOvers *atomic.Int32) {
	own, takeOvers = &turn{wake: make(chan struct{}, 1)}, new(atomic.Int32)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go own.watch(done, func() { takeOvers.Add(1) })
	return own, takeOvers
}

// An idle server has no timer running: the watchdog sleeps until the reading
// goroutine goes away.
func TestWatchdogSleepsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, takeOvers := watched(t)
		time.Sleep(2 * drowsy * overdue)
		synctest.Wait()
		if !own.asleep.Load() {
			t.Fatal("the watchdog is awake though nothing goes on")
		}
		for range 3 {
			epoch := own.enter()
			if own.asleep.Load() {
				t.Fatal("the watchdog sleeps though the reading goroutine is away")
			}
			if !own.leave(epoch) {
				t.Fatal("a goroutine that came back at once was displaced")
			}
			time.Sleep(2 * drowsy * overdue)
			synctest.Wait()
			if !own.asleep.Load() {
				t.Fatal("the watchdog is awake though nothing goes on any more")
			}
		}
		if got := takeOvers.Load(); got != 0 {
			t.Errorf("%d take-overs, want none", got)
		}
	})
}

// Whoever is away for two periods is displaced, once, and learns it.
func TestWatchdogDisplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, takeOvers := watched(t)
		for _, pause := range []time.Duration{0, overdue / 2, 2 * drowsy * overdue} {
			time.Sleep(pause)
			before := takeOvers.Load()
			epoch := own.enter()
			start := time.Now()
			for takeOvers.Load() == before {
				time.Sleep(overdue / 4)
				synctest.Wait()
				if time.Since(start) > 10*overdue {
					t.Fatalf("after a pause of %v nobody has taken over for %v", pause, time.Since(start))
				}
			}
			if away := time.Since(start); away < overdue/2 || away > 3*overdue {
				t.Errorf("after a pause of %v the take-over came after %v, want about %v", pause, away, 2*overdue)
			}
			time.Sleep(5 * overdue)
			synctest.Wait()
			if got := takeOvers.Load() - before; got != 1 {
				t.Errorf("%d take-overs of one goroutine, want 1", got)
			}
			if own.leave(epoch) {
				t.Error("the displaced goroutine thinks that it is still the reading one")
			}
		}
	})
}

// A goroutine that is away often, but never long, keeps its turn.
func TestWatchdogLeavesABusyGoroutineAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, takeOvers := watched(t)
		for range 1000 {
			epoch := own.enter()
			time.Sleep(overdue / 3)
			if !own.leave(epoch) {
				t.Fatal("a goroutine that came back in time was displaced")
			}
		}
		if got := takeOvers.Load(); got != 0 {
			t.Errorf("%d take-overs, want none", got)
		}
	})
}

// Either side wins, never both and never neither: this is for the race
// detector as well.
func TestLeaveAndDisplaceAgree(t *testing.T) {
	own := &turn{wake: make(chan struct{}, 1)}
	for range 10_000 {
		epoch := own.enter()
		left, displaced := make(chan bool), make(chan bool)
		go func() { left <- own.leave(epoch) }()
		go func() { displaced <- own.displace(epoch) }()
		if a, b := <-left, <-displaced; a == b {
			t.Fatalf("leave gave %t and displace gave %t, want one of them to win", a, b)
		}
	}
}
