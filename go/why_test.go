package libsched_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"libsched"
)

func TestWhyAPodWaits(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	before := cluster.NodeCount()
	found := must(fw.Why(ctx, cluster, newPod(t, "huge", 500_000, ""), libsched.WhyOptions{Nearest: 2}))(t)
	if cluster.NodeCount() != before || found.Pod != "default/huge" || found.Nodes != 5 || found.Fits != 0 {
		t.Errorf("%+v", found)
	}
	if len(found.Nearest) != 2 || len(found.Nearest[0].Lacks) == 0 || found.Nearest[0].Lacks[0].Facts == nil {
		t.Errorf("%+v", found.Nearest)
	}
	at := slices.IndexFunc(found.Suggestions, func(s libsched.Suggestion) bool { return s.Kind == "LessResource" })
	if at < 0 {
		t.Fatalf("%+v", found.Suggestions)
	}
	less := found.Suggestions[at]
	fits := func(milli int64) bool {
		return must(fw.CheckPodFits(ctx, cluster, newPod(t, "less", int(milli), ""), libsched.CheckOptions{}))(t).Fits()
	}
	if less.From != 500_000 || less.Step != 1 || !fits(less.To) || fits(less.To+1) {
		t.Errorf("%+v", less)
	}
}

func TestWhyRefuses(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pod := newPod(t, "huge", 500_000, "")
	if _, err := fw.Why(ctx, cluster, pod, libsched.WhyOptions{Nearest: -1}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, err := fw.Why(ctx, cluster, pod, libsched.WhyOptions{Deadline: time.Unix(1, 0)}); !errors.Is(err,
		libsched.ErrDeadline) {
		t.Error(err)
	}
	if _, err := libsched.Why(ctx, cluster, pod, nil, libsched.WhyOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	none := must(fw.Why(ctx, cluster, pod, libsched.WhyOptions{MaxNodes: -1}))(t)
	for _, s := range none.Suggestions {
		if s.Kind == "AddNodes" {
			t.Errorf("%+v", s)
		}
	}
}
