package layers

import (
	"maps"
	"testing"
)

func TestForks(t *testing.T) {
	m := New(map[string]int{"a": 1, "b": 2})
	want := func(all map[string]int) {
		t.Helper()
		if got := m.All(); !maps.Equal(got, all) {
			t.Errorf("%v, want %v", got, all)
		}
		for _, key := range []string{"a", "b", "c"} {
			got, ok := m.Get(key)
			if value, is := all[key]; is != ok || value != got {
				t.Errorf("%s: %v %v", key, got, ok)
			}
		}
	}
	m.Revert()
	m.Commit()
	m.Fork()
	m.Delete("a")
	m.Set("c", 3)
	want(map[string]int{"b": 2, "c": 3})
	m.Fork()
	m.Set("a", 4)
	m.Delete("c")
	want(map[string]int{"a": 4, "b": 2})
	m.Commit()
	want(map[string]int{"a": 4, "b": 2})
	m.Revert()
	want(map[string]int{"a": 1, "b": 2})
	m.Fork()
	m.Delete("a")
	m.Commit()
	want(map[string]int{"b": 2})
	if len(m.layers[0]) != 1 {
		t.Error("a key that is gone takes room")
	}
	m.Delete("b")
	want(map[string]int{})
}
