package generate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"testing"
)

// A seed means the same case for ever: recorded goldens name seeds. If this
// fails on purpose, record the goldens again and put the new sums here.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	h := fnv.New64a()
	for _, kind := range kindNames() {
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
	const want = "05107f6eb0dd16ec"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("the cases have changed: %s, want %s", got, want)
	}
}
