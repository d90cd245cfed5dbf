package libsched_test

import (
	"testing"

	"libsched"
)

func TestDaemonPods(t *testing.T) {
	cluster := fiveNodes(t)
	agent := must(libsched.ParsePod([]byte(`
kind: DaemonSet
apiVersion: apps/v1
metadata: {name: agent, namespace: default}
spec: {template: {spec: {containers: [{name: c}]}}}`)))(t)
	pods := must(cluster.DaemonPods(agent))(t)
	if len(pods) != 4 { // not on the one with a taint
		t.Fatalf("%d pods", len(pods))
	}
	fw := newFramework(t)
	for _, pod := range pods {
		fit := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)
		if len(fit.Feasible()) != 1 || pod.Name() != "agent-"+fit.Feasible()[0] {
			t.Errorf("%s: %v", pod.Name(), fit.Feasible())
		}
	}
	cluster.Close()
	if _, err := cluster.DaemonPods(agent); err == nil {
		t.Error("no error")
	}
}
