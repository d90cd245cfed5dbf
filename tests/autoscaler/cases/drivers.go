package cases

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// driver is the CSINode of a node that takes so many volumes.
func driver(node string, most int32) *storagev1.CSINode {
	return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID("csi-" + node)}, Spec: storagev1.CSINodeSpec{
		Drivers: []storagev1.CSINodeDriver{{Name: "csi.d", NodeID: node, Allocatable: &storagev1.VolumeNodeResources{Count: &most}}}}}
}

// volume is a bound claim with its volume.
func volume(name string) []runtime.Object {
	size, class := resource.MustParse("1Gi"), "fast"
	meta := metav1.ObjectMeta{Name: name, UID: types.UID("pv-" + name)}
	claimMeta := metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("pvc-" + name),
		Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}}
	return []runtime.Object{
		&v1.PersistentVolume{ObjectMeta: meta, Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: size}, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			StorageClassName: class, ClaimRef: &v1.ObjectReference{Namespace: "default", Name: name, UID: claimMeta.UID},
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.d", VolumeHandle: name}}},
			Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound}},
		&v1.PersistentVolumeClaim{ObjectMeta: claimMeta, Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: &class, VolumeName: name,
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: size}}},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound}},
	}
}

func mounts(claim string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
}

// drivers are cases of CSINodes and volumes.
func drivers(t *testing.T, factory Factory) {
	objects := []runtime.Object{
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "csi.d"},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.d"}}}
	for _, name := range []string{"v1", "v2", "v3"} {
		objects = append(objects, volume(name)...)
	}
	s := factory(t, Setup{CSINodes: true, Objects: objects})
	one := []*v1.Node{node("a", 10, 100)}
	if s.SetClusterState(one, nil, nil, nil) == nil {
		t.Error("a node without a CSINode")
	}
	check(t, s.SetClusterState(one, nil, nil, csisnapshot.NewSnapshot(map[string]*storagev1.CSINode{"a": driver("a", 1)})))
	listed := func(want int) {
		t.Helper()
		if nodes, err := s.CSINodes().List(); err != nil || len(nodes) != want {
			t.Error(nodes, err)
		}
	}
	scheduled(t, s.SchedulePod(pod("p", 1, 1, mounts("v1")), "a"))
	if !s.StorageInfos().IsPVCUsedByPods("default/v1") || s.StorageInfos().IsPVCUsedByPods("default/v2") {
		t.Error("claims in use")
	}
	q := pod("q", 1, 1, mounts("v2"))
	wantRefused(t, s.SchedulePod(q, "a"), "NodeVolumeLimits")
	s.Fork()
	info := framework.NewNodeInfo(node("b", 10, 100), nil).SetCSINode(driver("b", 2))
	check(t, s.AddNodeInfo(info))
	listed(2)
	scheduled(t, s.SchedulePod(q, "b"))
	scheduled(t, s.SchedulePod(pod("r", 1, 1, mounts("v3")), "b"))
	wantRefused(t, s.SchedulePod(pod("x", 1, 1, mounts("v1")), "b"), "NodeVolumeLimits")
	if again, err := s.GetNodeInfo("b"); err != nil || again.CSINode == nil || again.CSINode.Name != "b" {
		t.Error(again, err)
	}
	s.Fork()
	check(t, s.RemoveNodeInfo("b"))
	listed(1)
	check(t, s.AddNodeInfo(framework.NewNodeInfo(node("b", 10, 100), nil).SetCSINode(driver("b", 1))))
	scheduled(t, s.SchedulePod(q, "b"))
	wantRefused(t, s.SchedulePod(pod("r", 1, 1, mounts("v3")), "b"), "NodeVolumeLimits")
	s.Revert()
	listed(2)
	s.Revert()
	listed(1)
	same(t, s, []string{"a[p]"})
	// Callers may change CSINodes.
	s.CsiSnapshot().RemoveCSINode("a")
	check(t, s.CsiSnapshot().AddCSINode(driver("a", 2)))
	scheduled(t, s.SchedulePod(q, "a"))
	check(t, s.RemoveNodeInfo("a"))
	listed(0)
}
