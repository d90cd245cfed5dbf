package questions

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// volumes are the drivers, classes, volumes and claims of all seeds.
func volumes() []runtime.Object {
	wait, immediate := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	attach := true
	objects := []runtime.Object{
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.d"}, Spec: storagev1.CSIDriverSpec{AttachRequired: &attach}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.e"}, Spec: storagev1.CSIDriverSpec{AttachRequired: &attach}},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "wait"}, Provisioner: "csi.d", VolumeBindingMode: &wait},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "immediate"}, Provisioner: "csi.d", VolumeBindingMode: &immediate},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "zonal"}, Provisioner: "csi.e", VolumeBindingMode: &wait,
			AllowedTopologies: []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: zone, Values: []string{"z0", "z1"}}}}}},
	}
	for i := range 6 { // bound ones
		name, driver := fmt.Sprint("bound-", i), "csi.d"
		if i == 5 {
			driver = "csi.e"
		}
		mode := v1.ReadWriteOnce
		if i == 3 {
			mode = v1.ReadWriteOncePod
		}
		volume := newVolume(name, "wait", mode)
		volume.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}
		switch i {
		case 0:
			volume.Labels = map[string]string{zone: "z0"}
		case 1:
			volume.Spec.NodeAffinity = inZone("z1")
		}
		claim := newVolumeClaim(name, "wait", mode)
		claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		claim.Spec.VolumeName, claim.Status.Phase = name, v1.ClaimBound
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: name, UID: claim.UID}
		volume.Status.Phase = v1.VolumeBound
		objects = append(objects, volume, claim)
	}
	for i := range 3 { // volumes that wait for a claim
		volume := newVolume(fmt.Sprint("free-", i), "local", v1.ReadWriteOnce)
		volume.Spec.Local = &v1.LocalVolumeSource{Path: "/mnt"}
		volume.Spec.NodeAffinity = inZone(fmt.Sprint("z", i%2))
		objects = append(objects, volume)
	}
	for _, class := range []string{"wait", "immediate", "local", "zonal"} {
		objects = append(objects, newVolumeClaim("of-"+class, class, v1.ReadWriteOnce))
	}
	return objects
}

func newVolume(name, class string, mode v1.PersistentVolumeAccessMode) *v1.PersistentVolume {
	return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("pv-" + name)}, Spec: v1.PersistentVolumeSpec{
		Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}, AccessModes: []v1.PersistentVolumeAccessMode{mode},
		StorageClassName: class}, Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable}}
}

func newVolumeClaim(name, class string, mode v1.PersistentVolumeAccessMode) *v1.PersistentVolumeClaim {
	return &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("pvc-" + name)},
		Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{mode}, StorageClassName: &class,
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}}},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}}
}

func inZone(name string) *v1.VolumeNodeAffinity {
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: zone, Operator: v1.NodeSelectorOpIn, Values: []string{name}}}}}}}
}

// mount gives a kind of pods volumes. Those of a pod with claims of devices are bound: Reserve, which the autoscaler runs
// for such pods alone, would bind others in caches that no revert reaches.
func mount(r *rand.Rand, kind *v1.Pod) {
	kind.Namespace = "default"
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprint("bound-", i), fmt.Sprint("bound-", i%3), fmt.Sprint("bound-", i))
	}
	if len(kind.Spec.ResourceClaims) == 0 {
		names = append(names, "of-wait", "of-wait", "of-local", "of-local", "of-zonal", "of-zonal", "of-immediate", "missing")
	}
	for i := range 1 + r.Intn(2) {
		kind.Spec.Volumes = append(kind.Spec.Volumes, v1.Volume{Name: fmt.Sprint("v", i), VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: pick(r, names...)}}})
	}
}

// driver returns the CSINode of a node.
func driver(r *rand.Rand, node string) *storagev1.CSINode {
	n := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID("csi-" + node)}}
	for _, name := range []string{"csi.d", "csi.e"} {
		if r.Intn(5) == 0 {
			continue
		}
		d := storagev1.CSINodeDriver{Name: name, NodeID: node}
		if r.Intn(3) > 0 {
			most := int32(1 + r.Intn(3))
			d.Allocatable = &storagev1.VolumeNodeResources{Count: &most}
		}
		n.Spec.Drivers = append(n.Spec.Drivers, d)
	}
	return n
}
