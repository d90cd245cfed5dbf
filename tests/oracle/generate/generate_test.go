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
// the goldens of the kind again and put the new sum here.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	wanted := map[string]string{
		"basic":          "f58281dd584aa38e",
		"cel":            "e5d14e7c1bcb87fe",
		"celany":         "5cdff51ff7f30831",
		"changes":        "ef03d0f669b9448e",
		"config":         "b977ac717f7db078",
		"csilimit":       "f840b1244bb37b50",
		"defaultspread":  "dac2f0801ed3e2de",
		"dra":            "5dcfd644f6316126",
		"dra2":           "0cc7b1a2405a2f26",
		"draallocatable": "8dfb699cc2921492",
		"draclasses":     "d9e53592cbd50b28",
		"dragroups":      "e2976acc298cc85f",
		"drapreempt":     "2cecb0de1394b8ae",
		"drascore":       "2e55178d5711843c",
		"images":         "675afbaf20256a69",
		"mixed":          "8d357fe0efb3b08c",
		"nodeaffinity":   "1534a3ee7353983e",
		"nominated":      "fcfd23584f3497cb",
		"podaffinity":    "0931752b69fb23c6",
		"points":         "5343edd73ab3660e",
		"ports":          "af2616faf008eb95",
		"preempt":        "4e1e1a3d8d8f4895",
		"spread":         "095b4af3eddac9fd",
		"taints":         "7b6e928ef6f95936",
		"trace":          "4f2fd297298fed7e",
		"volumes":        "49881442e0cbfce4",
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		h := fnv.New64a()
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
		if got := fmt.Sprintf("%016x", h.Sum64()); got != wanted[kind] {
			t.Errorf("the cases of kind %s have changed: %s, want %s", kind, got, wanted[kind])
		}
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
