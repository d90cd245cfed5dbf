package libsched_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"libsched"
)

// slowExtender keeps each pod from the nodes whose names begin with the pod's last letter, and notes how many
// requests it has had at once.
type slowExtender struct{ inside, most atomic.Int32 }

func (e *slowExtender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := e.inside.Add(1)
	defer e.inside.Add(-1)
	for most := e.most.Load(); now > most && !e.most.CompareAndSwap(most, now); {
		most = e.most.Load()
	}
	time.Sleep(5 * time.Millisecond)
	var question struct {
		Pod       struct{ Metadata struct{ Name string } }
		NodeNames []string
	}
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name := question.Pod.Metadata.Name
	kept, failed := []string{}, map[string]string{}
	for _, node := range question.NodeNames {
		if strings.HasPrefix(node, name[len(name)-1:]) {
			failed[node] = "not for " + name
		} else {
			kept = append(kept, node)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"NodeNames": kept, "FailedNodes": failed})
}

// TestCheckPodsFit is skipped where libsched-net.so was not built.
func TestCheckPodsFit(t *testing.T) {
	extender := &slowExtender{}
	server := httptest.NewServer(extender)
	defer server.Close()
	config := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n"+
		"- {urlPrefix: %q, filterVerb: filter, nodeCacheCapable: true}\n", server.URL)
	fw, err := libsched.NewFramework(libsched.WithConfigYAML([]byte(config)))
	if errors.Is(err, libsched.ErrUnsupported) && strings.Contains(err.Error(), "libsched-net.so") {
		if _, missing := os.Stat("../build/release/lib/libsched-net.so"); missing == nil {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	check(t, err)
	defer fw.Close()
	var pods []*libsched.Pod
	for i := range 40 {
		pods = append(pods, must(libsched.ParsePod([]byte(fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": "p%d-%c"},
			"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "%dm"}}}]}}`,
			i, "sbft"[i%4], 100+50*i)), libsched.KeepRaw()))(t))
	}
	cluster := fiveNodes(t)
	told := func(decisions []*libsched.Decision) (all [][]string) {
		for _, d := range decisions {
			said := []string{}
			for node, status := range d.Nodes() {
				said = append(said, node+": "+describe(status))
			}
			all = append(all, said)
			d.Close()
		}
		return all
	}
	many := func(calls int) [][]string {
		extender.most.Store(0)
		return told(must(fw.CheckPodsFit(ctx, cluster, pods, libsched.CheckOptions{ExtenderCalls: calls}))(t))
	}
	var alone [][]string
	for _, pod := range pods {
		one := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)
		alone = append(alone, told([]*libsched.Decision{one})...)
	}
	if !strings.Contains(fmt.Sprint(alone[1]), "not for p1-b") {
		t.Error(alone[1])
	}
	for calls, most := range map[int]int32{0: 8, 1: 1, 4: 4} {
		if found := many(calls); !reflect.DeepEqual(found, alone) {
			t.Errorf("with %d calls: %v, not %v", calls, found, alone)
		}
		if seen := extender.most.Load(); seen > most || (most > 1 && seen < 2) {
			t.Errorf("with %d calls: %d at once", calls, seen)
		}
	}

	if none, err := fw.CheckPodsFit(ctx, cluster, nil, libsched.CheckOptions{}); err != nil || len(none) != 0 {
		t.Error(none, err)
	}
	state := libsched.NewCycleState()
	defer state.Close()
	for _, options := range []libsched.CheckOptions{{Node: "big"}, {State: state}, {ExtenderCalls: -1}, {ExtenderCalls: 1025}} {
		if _, err := fw.CheckPodsFit(ctx, cluster, pods, options); !errors.Is(err, libsched.ErrMisuse) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	unkept := append(pods[:2:2], newPod(t, "p", 100, ""))
	var failure *libsched.Error
	if _, err := fw.CheckPodsFit(ctx, cluster, unkept, libsched.CheckOptions{}); !errors.As(err, &failure) || failure.Path != "pods[2]" {
		t.Error(err)
	}
}
