package libsched_test

import (
	"errors"
	"strings"
	"testing"

	"libsched"
)

func TestEditsOfNodes(t *testing.T) {
	c := must(libsched.NewCluster())(t)
	defer c.Close()
	check(t, c.Apply([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`)))
	on := []libsched.EditedPod{{Pod: newPod(t, "on", 500, "nodeName: a")}}
	edited, err := c.Edit([]string{"label a pool=gpu", "cordon pool=gpu", "add-node pool=gpu=1",
		"taint -l pool x=y:NoSchedule", "untaint a x", "uncordon a", "remove-node pool=gpu,x!=y"}, on)
	check(t, err)
	if edited.Pods[0].Pod.NodeName() != "" || len(edited.Notes) != 1 ||
		!strings.HasPrefix(edited.Notes[0], "the copies of a are taken to be healthy") {
		t.Errorf("%+v", edited)
	}
	if edited, err = c.Edit([]string{"cordon -l pool"}, nil); !errors.Is(err, libsched.ErrNotFound) || edited != nil {
		t.Errorf("error %v", err)
	}
}

func TestEdit(t *testing.T) {
	c := must(libsched.NewCluster())(t)
	defer c.Close()
	check(t, c.Apply([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`)))
	pod := newPod(t, "web", 500, "")
	edited, err := c.Edit([]string{"add-node a=2", "cordon a", "scale default/web=7", "set default/web:priority=3"},
		[]libsched.EditedPod{{Pod: pod, Kind: "Deployment", Replicas: 2}})
	check(t, err)
	pods := edited.Pods
	if len(edited.Notes) != 0 || len(pods) != 1 || pods[0].Kind != "Deployment" || pods[0].Replicas != 7 || pods[0].Pod.Priority() != 3 {
		t.Errorf("pods %+v", pods)
	}
	if n := must(c.Snapshot())(t).NodeCount(); n != 3 {
		t.Errorf("%d nodes", n)
	}
	_, err = c.Edit([]string{"remove-node a", "cordon a-7"}, nil)
	if !errors.Is(err, libsched.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "a-0"?`) {
		t.Errorf("error %v", err)
	}
	if none, err := c.Edit(nil, nil); err != nil || len(none.Pods) != 0 {
		t.Errorf("%v %v", none, err)
	}
	if _, err = c.Edit(nil, []libsched.EditedPod{{Pod: pod, Replicas: -1}}); !errors.Is(err, libsched.ErrInvalid) {
		t.Errorf("error %v", err)
	}
}
