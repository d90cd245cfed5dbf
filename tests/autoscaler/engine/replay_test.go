//go:build libsched

package engine

import (
	"os"
	"testing"

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
			e.Inner().Close()
		}
		asked += len(want)
	}
	if asked < 10000 {
		t.Errorf("only %d questions are recorded", asked)
	}
}
