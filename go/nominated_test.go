package libsched_test

import (
	"slices"
	"strings"
	"testing"

	"libsched"
)

const nominatedDump = `{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p0", "namespace": "default"},
   "spec": {"nodeName": "n1", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p1", "namespace": "default"},
   "spec": {"priority": 100, "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
   "status": {"nominatedNodeName": "n1"}}]}`

// The cluster's pending pod of priority 100 keeps 2 of the 3 free cpu of its node, whatever is asked.
func TestNominatedPodsOfADumpCount(t *testing.T) {
	fw := newFramework(t)
	cluster := must(libsched.NewCluster())(t)
	if err := cluster.Apply([]byte(nominatedDump)); err != nil {
		t.Fatal(err)
	}
	for priority, fits := range map[string]bool{"200": true, "100": false, "5": false} {
		pod := must(libsched.ParsePod([]byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, "spec": {"priority": ` +
			priority + `, "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}`)))(t)
		check := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Facts: true}))(t)
		_, first, err := fw.FirstFit(ctx, cluster, pod, libsched.FirstFitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		count := must(fw.CountCapacity(ctx, cluster, []*libsched.Pod{pod}, libsched.CapacityOptions{}))(t)
		why := must(fw.Why(ctx, cluster, pod, libsched.WhyOptions{}))(t)
		found := []bool{check.Fits(), first, count.Count > 0, why.Fits > 0}
		if slices.Contains(found, !fits) {
			t.Errorf("priority %s: %v", priority, found)
		}
		if told := must(check.ExplainJSON())(t); !fits && !strings.Contains(string(told), `"nominatedPod":"default/p1"`) {
			t.Errorf("priority %s: %s", priority, told)
		}
	}
}
