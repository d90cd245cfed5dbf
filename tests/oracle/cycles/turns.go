// Turns: goroutines of upstream run one at a time.

package cycles

import (
	"cmp"
	"slices"
	"sync"
)

// parked is a goroutine that waits for its turn.
type parked struct {
	rank int
	what string
	key  string
	seq  int
	run  chan struct{}
}

// turns lets goroutines continue one at a time, in an order that does not depend
// on which of them came first.
type turns struct {
	mu     sync.Mutex
	list   []*parked
	seq    int
	closed bool
	woken  chan struct{}
}

func newTurns() *turns { return &turns{woken: make(chan struct{}, 1)} }

// park waits for a turn; once the turns are closed it returns at once.
func (t *turns) park(rank int, what, key string) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.seq++
	p := &parked{rank, what, key, t.seq, make(chan struct{})}
	t.list = append(t.list, p)
	t.mu.Unlock()
	t.wake()
	<-p.run
}

// wake ends a wait for an event.
func (t *turns) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

func (t *turns) waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.list) > 0
}

// next gives the first parked goroutine its turn: by pod, then by kind of call.
func (t *turns) next() {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := slices.MinFunc(t.list, func(a, b *parked) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank), cmp.Compare(a.what, b.what), cmp.Compare(a.seq, b.seq))
	})
	t.list = slices.DeleteFunc(t.list, func(p *parked) bool { return p == first })
	close(first.run)
}

func (t *turns) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, p := range t.list {
		close(p.run)
	}
	t.list = nil
}
