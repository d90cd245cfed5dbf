package reference

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched.dev/tests/autoscaler/questions"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// Patterns of the autoscaler's code around a snapshot. Each benchmark measures CPU time; those that compare run both sides
// in turn, so that they meet the same machine, and report the median of the quotients.

// newSnapshot returns libsched's snapshot, whose catalog remembers pods, as an autoscaler's that never changes them.
func newSnapshot(b *testing.B, nodes []*v1.Node, pods []*v1.Pod) *snapshot.Snapshot {
	b.Helper()
	fw, err := libsched.NewFramework()
	fatal(b, err)
	catalog, err := kube.NewCatalog(kube.CatalogOptions{Remember: true})
	fatal(b, err)
	s, err := snapshot.New(fw, catalog, snapshot.Options{})
	fatal(b, err)
	b.Cleanup(func() { s.Close(); catalog.Close(); fw.Close() })
	fatal(b, s.SetClusterState(nodes, pods))
	return s
}

func fatal(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// compare reports what each of two functions costs, which do something n times.
func compare(b *testing.B, names [2]string, functions [2]func(n int)) {
	const rounds = 7
	var costs [2][]float64
	var quotients []float64
	for _, f := range functions {
		f(b.N/10 + 1)
	}
	b.ResetTimer()
	for range rounds {
		for i, f := range functions {
			runtime.GC()
			var c cpu
			c.start()
			f(b.N)
			c.stop()
			costs[i] = append(costs[i], float64(c.sum.Nanoseconds())/float64(b.N))
		}
		quotients = append(quotients, costs[1][len(costs[1])-1]/costs[0][len(costs[0])-1])
	}
	for i, name := range names {
		b.ReportMetric(median(costs[i]), name+"-cpu-ns/op")
	}
	b.ReportMetric(median(quotients), names[1]+"/"+names[0])
}

func median(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[len(sorted)/2]
}

// BenchmarkForks adds a node in a fork and another one in a fork inside of it, and reverts both, beside a delta store.
func BenchmarkForks(b *testing.B) {
	for _, count := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			store := newDeltaStore()
			var nodes []*v1.Node
			for i := range count {
				nodes = append(nodes, benchNode(fmt.Sprint("n-", i), 1000, 4<<30, 110))
				fatal(b, store.add(nodes[i]))
			}
			store.nodes()
			s := newSnapshot(b, nodes, nil)
			first, second := benchNode("new-1", 1000, 4<<30, 110), benchNode("new-2", 1000, 4<<30, 110)
			b.ReportAllocs()
			compare(b, [2]string{"delta", "libsched"}, [2]func(int){func(n int) {
				for range n {
					outer := store.fork()
					fatal(b, outer.add(first))
					inner := outer.fork()
					fatal(b, inner.add(second))
					if inner.revert().revert() != store {
						b.Fatal("another store")
					}
				}
			}, func(n int) {
				for range n {
					s.Fork()
					fatal(b, s.AddNodeInfo(first))
					s.Fork()
					fatal(b, s.AddNodeInfo(second))
					s.Revert()
					s.Revert()
				}
			}})
		})
	}
}

// BenchmarkFilterOutSchedulable places 12,000 pending pods on 1,000 nodes, of which half find a place.
func BenchmarkFilterOutSchedulable(b *testing.B) {
	var nodes []*v1.Node
	var pending []*v1.Pod
	for i := range 1000 {
		nodes = append(nodes, benchNode(fmt.Sprint("n-", i), 600, 4<<30, 110))
	}
	for i := range 12_000 {
		pod := benchPod(fmt.Sprint("p-", i), 100, 1<<20)
		pod.Labels = map[string]string{"app": fmt.Sprint("app-", i%20)}
		pending = append(pending, pod)
	}
	engines(b, nodes, nil, func(b *testing.B, e questions.Engine) {
		places, err := placed(e.Place, pending)
		fatal(b, err)
		if left := len(slices.DeleteFunc(places, func(node string) bool { return node != "" })); left != 6000 {
			b.Fatal(left, "pods found no node")
		}
	})
}

// placed calls a function that places pods, with the zero value of its options.
func placed[O any](place func([]*v1.Pod, bool, O) ([]string, error), pods []*v1.Pod) ([]string, error) {
	var options O
	return place(pods, false, options)
}

// BenchmarkPackingLoop packs pods one by one: onto the newest node as long as it takes them, else onto another one. "read"
// looks at the node and at what its pods request after each of them, "unread" does not.
func BenchmarkPackingLoop(b *testing.B) {
	var pods []*v1.Pod
	for i := range 20_000 {
		pods = append(pods, served(benchPod(fmt.Sprint("p-", i), 50, 100)))
	}
	for _, read := range []bool{false, true} {
		name := map[bool]string{false: "unread", true: "read"}[read]
		b.Run(name, func(b *testing.B) {
			s := newSnapshot(b, []*v1.Node{benchNode("old", 100, 100<<20, 10)}, nil)
			var c cpu
			for range b.N {
				c.start()
				s.Fork()
				added := packOneByOne(b, s, pods, read)
				s.Revert()
				c.stop()
				if added != 1000 {
					b.Fatal(added, "nodes")
				}
			}
			b.ReportMetric(float64(c.sum.Nanoseconds())/float64(b.N*len(pods)), "cpu-ns/pod")
		})
	}
}

func packOneByOne(b *testing.B, s *snapshot.Snapshot, pods []*v1.Pod, read bool) (added int) {
	name := ""
	var amounts int64
	for _, pod := range pods {
		if name == "" || s.SchedulePod(pod, name) != nil {
			name = fmt.Sprint("new-", added)
			added++
			fatal(b, s.AddNodeInfo(benchNode(name, 1000, 5000<<20, 100)))
			if failed := s.SchedulePod(pod, name); failed != nil {
				b.Fatal(failed)
			}
		}
		if read {
			info, err := s.GetNodeInfo(name)
			fatal(b, err)
			amounts += info.Requested().MilliCPU * int64(len(info.Pods()))
		}
	}
	if read != (amounts != 0) {
		b.Fatal(amounts)
	}
	return added
}

// served makes a pod as an API server hands it out: with a sidecar, variables, tolerations and the volume of a token.
func served(pod *v1.Pod) *v1.Pod {
	sidecar := *pod.Spec.Containers[0].DeepCopy()
	sidecar.Name, sidecar.Image = "proxy", "registry/proxy:3"
	sidecar.Resources.Requests = v1.ResourceList{v1.ResourceMemory: *resource.NewQuantity(0, resource.BinarySI)}
	for i := range 20 {
		sidecar.Env = append(sidecar.Env, v1.EnvVar{Name: fmt.Sprint("VARIABLE_", i), Value: "some value"})
	}
	mount := v1.VolumeMount{Name: "kube-api-access-" + pod.Name, MountPath: "/var/run/secrets", ReadOnly: true}
	sidecar.VolumeMounts = append(sidecar.VolumeMounts, mount)
	pod.Spec.Containers = append(pod.Spec.Containers, sidecar)
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: mount.Name, VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{}}})
	for _, key := range []string{"not-ready", "unreachable"} {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: "node.kubernetes.io/" + key, Operator: "Exists", Effect: "NoExecute"})
	}
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
		{Weight: 100, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}}}}
	return pod
}
