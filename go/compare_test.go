package libsched_test

import (
	"context"
	"errors"
	"testing"

	"libsched"
)

func TestCompare(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	emptied := must(cluster.Clone())(t)
	defer emptied.Close()
	_, err := emptied.Edit([]string{"cordon big", "remove-node small"}, nil)
	check(t, err)
	pods := []*libsched.Pod{newPod(t, "a", 6000, ""), newPod(t, "b", 100, "")}
	before := libsched.CompareSide{Cluster: cluster, Frameworks: []*libsched.Framework{fw}, Pods: pods}
	after := before
	after.Cluster, after.Pods = emptied, pods[:1]
	found := must(libsched.Compare(ctx, before, after, libsched.CompareOptions{}))(t)
	if len(found) != 2 || !found[0].Changed || found[0].Before.Node != "big" || found[0].After.Node != "" ||
		found[0].After.Outcome != libsched.OutcomeUnschedulable || found[0].After.Text == "" || found[0].Name != "a" {
		t.Errorf("%+v", found)
	}
	if found[1].After.Present || !found[1].Before.Present || found[1].Before.Profile != fw.Profile() {
		t.Errorf("%+v", found)
	}
	for _, one := range must(libsched.Compare(ctx, before, before, libsched.CompareOptions{All: true}))(t) {
		if one.Changed {
			t.Errorf("%+v", one)
		}
	}
	if _, err = libsched.Compare(ctx, before, after, libsched.CompareOptions{Ties: 9}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = libsched.Compare(ended, before, after, libsched.CompareOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	after.Frameworks = nil
	if _, err = libsched.Compare(ctx, before, after, libsched.CompareOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
}
