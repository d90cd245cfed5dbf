package kube

import (
	"bytes"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// table maps keys to references. Lookups run side by side, and one allocates nothing.
type table struct {
	seed   maphash.Seed
	shards [64]shard
}

// shard holds the entries with the same lowest bits of their hashes.
type shard struct {
	mu      sync.RWMutex
	entries map[uint64]*entry
	_       [32]byte // so that neighbours share no cache line
}

type entry struct {
	key  []byte
	ref  uint64
	age  atomic.Uint32 // the age in which it was looked up last
	next *entry        // with the same hash
}

func newTable() *table {
	t := &table{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].entries = map[uint64]*entry{}
	}
	return t
}

func (t *table) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// find returns the reference of a key; 0: there is none.
func (t *table) find(hash uint64, key []byte, age uint32) uint64 {
	s := &t.shards[hash%uint64(len(t.shards))]
	s.mu.RLock()
	defer s.mu.RUnlock()
	for e := s.entries[hash]; e != nil; e = e.next {
		if bytes.Equal(e.key, key) {
			// Never an earlier one: a lookup that has waited for Age brings the age from before it.
			for had := e.age.Load(); had < age && !e.age.CompareAndSwap(had, age); had = e.age.Load() {
			}
			return e.ref
		}
	}
	return 0
}

// put adds a key, of which it takes a copy, or gives a known one another reference.
func (t *table) put(hash uint64, key []byte, ref uint64, age uint32) {
	s := &t.shards[hash%uint64(len(t.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.entries[hash]; e != nil; e = e.next {
		if bytes.Equal(e.key, key) {
			e.ref = ref
			e.age.Store(age)
			return
		}
	}
	e := &entry{key: bytes.Clone(key), ref: ref, next: s.entries[hash]}
	e.age.Store(age)
	s.entries[hash] = e
}

// lock keeps everybody out, for refs and drop.
func (t *table) lock() {
	for i := range t.shards {
		t.shards[i].mu.Lock()
	}
}

func (t *table) unlock() {
	for i := range t.shards {
		t.shards[i].mu.Unlock()
	}
}

// each calls f with all entries, which must be locked. An entry for which it returns false is dropped.
func (t *table) each(f func(*entry) bool) {
	for i := range t.shards {
		for hash, e := range t.shards[i].entries {
			var kept *entry
			for e != nil {
				next := e.next
				if f(e) {
					e.next, kept = kept, e
				}
				e = next
			}
			if kept == nil {
				delete(t.shards[i].entries, hash)
			} else {
				t.shards[i].entries[hash] = kept
			}
		}
	}
}

// size returns the number of entries.
func (t *table) size() int {
	n := 0
	t.lock()
	defer t.unlock()
	t.each(func(*entry) bool { n++; return true })
	return n
}
