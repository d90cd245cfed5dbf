package reference

import (
	"context"
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"

	"libsched.dev/tests/autoscaler/cases"
	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

var handles = map[string]*Handle{}

func fresh(t *testing.T, setup cases.Setup) clustersnapshot.ClusterSnapshot {
	key := setup.Configuration + fmt.Sprint(len(setup.Objects))
	if handles[key] == nil {
		handle, err := NewHandle(context.Background(), setup.Configuration, setup.Objects...)
		if err != nil {
			t.Fatal(err)
		}
		handles[key] = handle
	}
	s := NewSnapshot(handles[key])
	s.WithDevices, s.WithCSINodes = setup.Devices, setup.CSINodes
	return s
}

func TestCases(t *testing.T) { cases.Run(t, fresh) }

func TestReasonText(t *testing.T) {
	if consumers.ConstraintsNotMatch != podtopologyspread.ErrReasonConstraintsNotMatch {
		t.Error(podtopologyspread.ErrReasonConstraintsNotMatch)
	}
}

func TestOneProfileOnly(t *testing.T) {
	_, err := NewHandle(context.Background(), `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: a}, {schedulerName: b}]`)
	if err == nil || err.Error() != "unexpected scheduler config: expected one scheduler profile only (found 2 profiles)" {
		t.Error(err)
	}
}

func named(name string) *v1.Node { return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func info(node *v1.Node, pods ...*v1.Pod) *framework.NodeInfo {
	out, err := newNodeInfo(consumers.NewNodeInfo(node, pods...))
	if err != nil {
		panic(err)
	}
	return out
}

func claiming(name, node string, claims ...string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}, Spec: v1.PodSpec{NodeName: node}}
	for _, claim := range claims {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
	return pod
}

// The store counts the pods that use a volume claim, through forks.
func TestClaimsInUse(t *testing.T) {
	s := NewStore()
	one, two := claiming("one", "n", "claim1"), claiming("two", "n", "claim1", "claim2")

	used := func(want ...string) {
		t.Helper()
		for _, claim := range []string{"claim1", "claim2"} {
			if s.StorageInfos().IsPVCUsedByPods("default/"+claim) != slices.Contains(want, claim) {
				t.Errorf("%s, want %v", claim, want)
			}
		}
	}
	if err := s.StoreNodeInfo(info(named("n"), one)); err != nil {
		t.Fatal(err)
	}
	used("claim1")
	s.Fork()
	if err := s.StoreNodeInfo(info(named("m"), two)); err != nil {
		t.Fatal(err)
	}
	used("claim1", "claim2")
	if err := s.RemovePodInfo("default", "one", "n"); err != nil {
		t.Fatal(err)
	}
	used("claim1", "claim2")
	if err := s.RemoveNodeInfo("m"); err != nil {
		t.Fatal(err)
	}
	used()
	s.Revert()
	used("claim1")
	s.Clear()
	used()
}

func order(s *Store) []string {
	nodes, _ := s.NodeInfos().List()
	var names []string
	for _, info := range nodes {
		names = append(names, info.Node().Name)
	}
	return names
}

// A node that is added again takes its old place, in every layer and after commits.
func TestOrder(t *testing.T) {
	s := NewStore()
	add := func(name string) { s.StoreNodeInfo(info(named(name))) }
	for _, name := range []string{"a", "b", "c"} {
		add(name)
	}
	s.Fork()
	add("d")
	s.RemoveNodeInfo("b")
	if got := order(s); !slices.Equal(got, []string{"a", "c", "d"}) {
		t.Error(got)
	}
	add("b")
	add("e")
	want := []string{"a", "b", "c", "d", "e"}
	if got := order(s); !slices.Equal(got, want) {
		t.Error(got)
	}
	s.Fork()
	s.RemoveNodeInfo("d")
	add("d")
	s.RemoveNodeInfo("a")
	add("a")
	for range 3 {
		if got := order(s); !slices.Equal(got, want) {
			t.Error(got)
		}
		s.Commit()
	}
}

// Affinity lists follow the pods, in the layers where they change.
func TestAffinityLists(t *testing.T) {
	s := NewStore()
	s.StoreNodeInfo(info(named("n")))
	count := func() int {
		all, _ := s.NodeInfos().HavePodsWithAffinityList()
		anti, _ := s.NodeInfos().HavePodsWithRequiredAntiAffinityList()
		return 10*len(all) + len(anti)
	}
	pod := claiming("p", "n")

	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: "zone"}}}}
	whole := &Snapshot{Store: s}
	got := []int{count()}
	s.Fork()
	whole.ForceAddPod(pod, "n")
	got = append(got, count())
	whole.ForceRemovePod("default", "p", "n")
	got = append(got, count())
	whole.ForceAddPod(pod, "n")
	s.Revert()
	got = append(got, count())
	if !slices.Equal(got, []int{0, 11, 0, 0}) {
		t.Error(got)
	}
}

var _ fwk.SharedLister = nobody{}

// Between questions, the framework reads nothing.
func TestNothingIsLentBetweenQuestions(t *testing.T) {
	s := fresh(t, cases.Setup{}).(*Snapshot)
	s.AddNodeInfo(consumers.NewNodeInfo(named("n")))
	s.CheckPredicates(claiming("p", ""), "n")
	if _, err := s.runner.handle.lister.NodeInfos().List(); err != errNobody {
		t.Error(err)
	}
}
