//go:build libsched

package engine

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"libsched.dev/tests/autoscaler/questions"
)

// TestReplay asks the recorded questions, and compares with the answers that upstream's framework gave
// (reference, TestDifferential -record): once by the autoscaler's own loops, and once by the library's calls
// for many pods.
func TestReplay(t *testing.T) {
	file, err := os.Open("../questions/recorded.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	recorded, err := questions.ReadRecord(file)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for i, want := range recorded {
		for _, loops := range []bool{true, false} {
			e, err := New(true, questions.Objects()...)
			if err != nil {
				t.Fatal(err)
			}
			var asking questions.Engine = e
			if loops {
				asking = questions.Consumers{ClusterSnapshot: e.Snapshot}
			}
			got, err := questions.Run(int64(i+1), len(want), asking)
			if place, ok := questions.Difference(want, got); !ok || err != nil {
				t.Errorf("seed %d, loops %v: %s%v", i+1, loops, place, err)
			}
			same(t, e)
			e.Inner().Close()
		}
		asked += len(want)
	}
	if asked < 10000 {
		t.Errorf("only %d questions are recorded", asked)
	}
}

// same tests that the claims of libsched are those of the autoscaler's snapshot.
func same(t *testing.T, e *Engine) {
	t.Helper()
	ours, err := e.Inner().Sim().ResourceClaims()
	check(t, err)
	theirs, err := e.Claims()
	check(t, err)
	text := func(claims []*resourceapi.ResourceClaim) string {
		var out []string
		for _, c := range claims {
			var pods []string
			for _, ref := range c.Status.ReservedFor {
				pods = append(pods, ref.Name)
			}
			slices.Sort(pods)
			line := fmt.Sprint(c.Name, pods)
			if c.Status.Allocation != nil {
				line += fmt.Sprint(c.Status.Allocation.Devices.Results)
			}
			out = append(out, line)
		}
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
	if text(ours) != text(theirs) {
		t.Errorf("libsched:\n%s\nthe autoscaler:\n%s", text(ours), text(theirs))
	}
}
