package generate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"
)

// A seed always means the same case: recorded goldens name seeds. If this fails on purpose, record
// the goldens again and put the new sums here.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	h := fnv.New64a()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for seed := range uint64(20) {
			c, err := Generate(kind, seed, Options{Existing: -1}, "", 0.2)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			h.Write(data)
		}
	}
	const want = "7cbd8d1f249b38ee"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("the cases have changed: %s, want %s", got, want)
	}
}

// The seeds of scripts keep their meaning as well.
func TestSeedsOfScriptsKeepTheirMeaning(t *testing.T) {
	for kind, want := range map[string]string{"queue": "867ac8e675dd2192", "schedule": "b85e9c20cbe6149a", "podgroup": "5fcfb3b64493088d"} {
		h := fnv.New64a()
		for seed := range uint64(20) {
			data, err := json.Marshal(Script(kind, seed, 0.2))
			if err != nil {
				t.Fatal(err)
			}
			h.Write(data)
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
			t.Errorf("the cases of kind %s have changed: %s, want %s", kind, got, want)
		}
	}
}
