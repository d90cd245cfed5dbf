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
	a, b := found.Pods[0], found.Pods[1]
	if len(found.Pods) != 2 || !a.Changed || a.Before.Node != "big" || a.After.Node != "" ||
		a.After.Outcome != libsched.OutcomeUnschedulable || a.After.Text == "" || a.Name != "a" {
		t.Errorf("%+v", found)
	}
	if b.After.Present || !b.Before.Present || b.Before.Profile != fw.Profile() {
		t.Errorf("%+v", found)
	}
	use := found.Before
	if use.Nodes != 5 || found.After.Nodes != 4 || use.NodesInUse+len(use.EmptyNodes) != use.Nodes || use.NodesInUse == 0 ||
		use.Resources[0].Resource != "cpu" || use.Resources[0].RequestedInUse < 6100 {
		t.Errorf("%+v", found)
	}
	for _, one := range must(libsched.Compare(ctx, before, before, libsched.CompareOptions{All: true}))(t).Pods {
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
