//go:build libsched

package reference

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"libsched.dev/tests/autoscaler/engine"
	"libsched.dev/tests/autoscaler/questions"
)

var (
	seeds  = flag.Int("seeds", 100, "how many seeds")
	from   = flag.Int64("seed", 1, "the first seed")
	asking = flag.Int("questions", 100, "questions of each seed")
	record = flag.String("record", "", "file to which upstream's answers to seeds 1, 2, ... are written")
)

// TestDifferential asks upstream's framework and libsched the same questions: libsched once through the
// autoscaler's own loops, and once by its own calls for many pods.
func TestDifferential(t *testing.T) {
	handle, err := NewHandle(context.Background(), "", questions.Objects()...)
	if err != nil {
		t.Fatal(err)
	}
	asked, wrong := 0, 0
	var answers [][]string
	kinds := map[string]int{}
	for seed := *from; seed < *from+int64(*seeds); seed++ {
		want, err := questions.Run(seed, *asking, questions.Consumers{ClusterSnapshot: NewSnapshot(handle)})
		if err != nil {
			t.Fatal("reference:", err)
		}
		asked += len(want)
		answers = append(answers, want)
		for _, text := range want {
			kinds[strings.Join(strings.Fields(text)[:1], " ")]++
		}
		if *record != "" {
			continue
		}
		for _, loops := range []bool{true, false} {
			inner, err := engine.New(true, questions.Objects()...)
			if err != nil {
				t.Fatal(err)
			}
			var e questions.Engine = inner
			if loops {
				e = questions.Consumers{ClusterSnapshot: inner.Snapshot}
			}
			got, err := questions.Run(seed, *asking, e)
			if place, ok := questions.Difference(want, got); !ok || err != nil {
				t.Errorf("seed %d, loops %v: %s%v", seed, loops, place, err)
				wrong++
			}
			inner.Inner().Close()
		}
		if wrong > 10 {
			t.Fatal("too many differences")
		}
	}
	if *record != "" && *from == 1 {
		file, err := os.Create(*record)
		if err == nil {
			err = errors.Join(questions.WriteRecord(file, answers), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d questions: %v", asked, kinds)
}
