package bubble

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/features"
)

// An hour passes at once, and the clock starts at the year 2000.
func TestTimeIsVirtual(t *testing.T) {
	real := time.Now()
	err := Run(func() error {
		start := time.Now()
		time.Sleep(time.Hour)
		if got := start.UTC().Format(time.RFC3339); got != "2000-01-01T00:00:00Z" || time.Since(start) != time.Hour {
			return errors.New(got)
		}
		return nil
	})
	if err != nil || time.Since(real) > time.Minute {
		t.Error(err, time.Since(real))
	}
}

func TestFailuresAreErrors(t *testing.T) {
	for want, f := range map[string]func() error{
		"as it is":    func() error { return errors.New("as it is") },
		"panic: boom": func() error { panic("boom") },
		"deadlock":    func() error { select {} },
		"blocked goroutines remain": func() error {
			go func() { select {} }()
			return nil
		},
	} {
		if err := Run(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Cases with other settings wait, and every case runs with the gates that it asks for.
func TestGatesAreLent(t *testing.T) {
	off := map[string]bool{string(features.SchedulerPopFromBackoffQ): false}
	entered, leave, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		_ = WithGates(off, func() error {
			entered <- Gate(features.SchedulerPopFromBackoffQ)
			<-leave
			return nil
		})
	}()
	if <-entered {
		t.Error("the gate is on")
	}
	go func() {
		_ = WithGates(nil, func() error {
			ended <- Gate(features.SchedulerPopFromBackoffQ)
			return nil
		})
	}()
	select {
	case <-ended:
		t.Error("the other setting did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	if err := WithGates(off, func() error { return nil }); err != nil {
		t.Error("the same setting:", err)
	}
	close(leave)
	if !<-ended {
		t.Error("the gate is off")
	}
	if err := WithGates(map[string]bool{"NoSuchGate": true}, func() error { return nil }); err == nil {
		t.Error("an unknown gate is no error")
	}
}

// A case that runs alone waits for all others, and they for it, also with the same gates.
func TestAlone(t *testing.T) {
	var running, most atomic.Int32
	one := func() error {
		most.Store(max(most.Load(), running.Add(1)))
		time.Sleep(5 * time.Millisecond)
		running.Add(-1)
		return nil
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := Alone(nil, one); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d cases ran at once", most.Load())
	}
	alone := make(chan struct{})
	end := make(chan struct{})
	all.Go(func() {
		_ = Alone(nil, func() error {
			close(alone)
			<-end
			return nil
		})
	})
	<-alone
	began := make(chan struct{})
	all.Go(func() {
		_ = WithGates(nil, func() error {
			close(began)
			return nil
		})
	})
	select {
	case <-began:
		t.Error("began beside a case that runs alone")
	case <-time.After(20 * time.Millisecond):
	}
	close(end)
	<-began
	all.Wait()
}
