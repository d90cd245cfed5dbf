// Whole cycles of pods with ResourceClaims, in memory: no API, no queue, no binding.

package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// DevicesResult is the time of whole cycles (snapshot, SchedulePod, assume, Reserve) of pods that ask for
// devices, with one thread.
type DevicesResult struct {
	Pods    int       `json:"pods"`
	Failed  int       `json:"failed"`
	CPUNS   float64   `json:"cpu_ns_per_pod_min"`
	USPod   float64   `json:"us_per_pod"`
	RunsUS  []float64 `json:"us_per_pod_runs"`
	Limited bool      `json:"limited"` // not all pods were tried in the time
}

// benchDevices schedules the pods of a List, in order, on its nodes, until a limit of CPU time.
func benchDevices(out *BenchResult, path string, runs int, limit time.Duration) error {
	objects, pods, err := listed(path)
	if err != nil {
		return err
	}
	r := &DevicesResult{}
	procs := goruntime.GOMAXPROCS(1)
	defer goruntime.GOMAXPROCS(procs)
	for range runs {
		if err := oneDevicesRun(r, objects, pods, limit); err != nil {
			return err
		}
	}
	r.USPod = median(r.RunsUS)
	out.Devices = r
	return nil
}

func oneDevicesRun(r *DevicesResult, objects []kruntime.Object, pods []*v1.Pod, limit time.Duration) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, start, err := newSched(ctx, fake.NewSimpleClientset(objects...), 100)
	if err != nil {
		return err
	}
	start()
	fw := s.Profiles[v1.DefaultSchedulerName]
	snap := fw.SnapshotSharedLister().(*internalcache.Snapshot)
	log := klog.FromContext(ctx)
	infos := make([]*framework.QueuedPodInfo, len(pods))
	for i, pod := range pods {
		pi, err := framework.NewPodInfo(pod.DeepCopy())
		if err != nil {
			return err
		}
		infos[i] = &framework.QueuedPodInfo{PodInfo: pi}
	}
	goruntime.GC()
	r.Pods, r.Failed, r.Limited = 0, 0, false
	begin, cpu := time.Now(), cpuTime()
	for _, info := range infos {
		if time.Duration(cpuTime()-cpu) > limit {
			r.Limited = true
			break
		}
		r.Pods++
		if err := s.Cache.UpdateSnapshot(log, snap); err != nil {
			return err
		}
		state := framework.NewCycleState()
		state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
		res, err := s.SchedulePod(ctx, fw, state, info)
		if err != nil {
			r.Failed++
			continue
		}
		pod := info.Pod.DeepCopy()
		pod.Spec.NodeName = res.SuggestedHost
		if err := s.Cache.AssumePod(log, pod); err != nil {
			return err
		}
		if status := fw.RunReservePluginsReserve(ctx, state, pod, res.SuggestedHost); !status.IsSuccess() {
			return status.AsError()
		}
	}
	used := float64(cpuTime()-cpu) / float64(r.Pods)
	r.RunsUS = append(r.RunsUS, float64(time.Since(begin).Microseconds())/float64(r.Pods))
	if r.CPUNS == 0 || used < r.CPUNS {
		r.CPUNS = used
	}
	return nil
}

// listed reads a List: its pods, and everything else.
func listed(path string) ([]kruntime.Object, []*v1.Pod, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	var objects []kruntime.Object
	var pods []*v1.Pod
	for i, item := range list.Items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: items[%d]: %w", path, i, err)
		}
		if pod, ok := object.(*v1.Pod); ok {
			pods = append(pods, pod)
		} else {
			objects = append(objects, object)
		}
	}
	return objects, pods, nil
}
