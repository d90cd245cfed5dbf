// Package layers has maps whose changes can be undone.
package layers

import "maps"

// Map is a map with forks. The zero value is not usable.
type Map[K comparable, V any] struct {
	layers []map[K]*V // nil: removed here
}

// New returns a Map without forks that has the entries of a map.
func New[K comparable, V any](entries map[K]V) *Map[K, V] {
	base := make(map[K]*V, len(entries))
	for key, value := range entries {
		base[key] = &value
	}
	return &Map[K, V]{layers: []map[K]*V{base}}
}

// Get returns the value of a key.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	for i := len(m.layers) - 1; i >= 0; i-- {
		if entry, known := m.layers[i][key]; known {
			if entry == nil {
				return value, false
			}
			return *entry, true
		}
	}
	return value, false
}

// Set sets the value of a key.
func (m *Map[K, V]) Set(key K, value V) { m.layers[len(m.layers)-1][key] = &value }

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	if last := len(m.layers) - 1; last == 0 {
		delete(m.layers[0], key)
	} else {
		m.layers[last][key] = nil
	}
}

// All returns a copy of all entries.
func (m *Map[K, V]) All() map[K]V {
	all := map[K]V{}
	for _, layer := range m.layers {
		for key, entry := range layer {
			if entry == nil {
				delete(all, key)
			} else {
				all[key] = *entry
			}
		}
	}
	return all
}

// Fork marks the present state.
func (m *Map[K, V]) Fork() { m.layers = append(m.layers, map[K]*V{}) }

// Revert undoes all changes since the latest Fork. Without a fork it has no effect.
func (m *Map[K, V]) Revert() {
	if last := len(m.layers) - 1; last > 0 {
		m.layers = m.layers[:last]
	}
}

// Commit keeps the changes since the latest Fork. Without a fork it has no effect.
func (m *Map[K, V]) Commit() {
	last := len(m.layers) - 1
	if last == 0 {
		return
	}
	maps.Copy(m.layers[last-1], m.layers[last])
	if m.layers = m.layers[:last]; last == 1 {
		maps.DeleteFunc(m.layers[0], func(_ K, entry *V) bool { return entry == nil })
	}
}
