// Storage classes, volumes, claims and CSI limits, good and broken ones.

package generate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

type storageState struct {
	claims  map[string][]string // namespace -> names of claims
	csi     map[string][]string // namespace -> names of claims bound to CSI volumes
	volumes int64
}

const noProvisioner = "kubernetes.io/no-provisioner"

// volumes makes storage classes, volumes, claims (good and broken ones), and
// lets some bound pods use them.
func (g *gen) volumes(o Options) {
	g.storage.claims = map[string][]string{}
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		sc := &storagev1.StorageClass{TypeMeta: typeMeta("storage.k8s.io/v1", "StorageClass"), ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
		g.objects = append(g.objects, sc)
		return sc
	}
	class("immediate", "ebs.csi.example.com", storagev1.VolumeBindingImmediate)
	class("local", noProvisioner, storagev1.VolumeBindingWaitForFirstConsumer)
	wait := class("wait", "ebs.csi.example.com", storagev1.VolumeBindingWaitForFirstConsumer)
	if g.chance(0.5) {
		wait.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: "topology.kubernetes.io/zone", Values: []string{pick(g, zones...), pick(g, zones...)}}}}}
	}
	class("tracked", "lvm.csi.example.com", storagev1.VolumeBindingWaitForFirstConsumer)
	g.objects = append(g.objects, &storagev1.CSIDriver{TypeMeta: typeMeta("storage.k8s.io/v1", "CSIDriver"), ObjectMeta: metav1.ObjectMeta{Name: "lvm.csi.example.com"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr(true)}})
	for i := range g.r.IntN(4) {
		size := qty(g.r.Int64N(20), "Gi")
		g.objects = append(g.objects, &storagev1.CSIStorageCapacity{TypeMeta: typeMeta("storage.k8s.io/v1", "CSIStorageCapacity"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cap-%d", i), Namespace: "default"},
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{"topology.kubernetes.io/zone": zones[i]}}, StorageClassName: "tracked", Capacity: &size})
	}
	volume := func(name, class string) *v1.PersistentVolume {
		g.storage.volumes++
		pv := &v1.PersistentVolume{TypeMeta: typeMeta("v1", "PersistentVolume"), ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1.PersistentVolumeSpec{
				// No two volumes have the same size: upstream picks among them at random.
				Capacity:                      v1.ResourceList{v1.ResourceStorage: qty((1+g.r.Int64N(20))<<10+g.storage.volumes, "Mi")},
				AccessModes:                   []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
				PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
				StorageClassName:              class, VolumeMode: ptr(v1.PersistentVolumeFilesystem),
				PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "ebs.csi.example.com", VolumeHandle: name}},
			},
			Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
		}
		switch g.r.IntN(4) {
		case 0:
			pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "kubernetes.io/hostname", Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, g.nodes...).Name, pick(g, g.nodes...).Name}}}}}}}
		case 1:
			pv.Labels = map[string]string{"topology.kubernetes.io/zone": pick(g, "zone-a", "zone-b", "zone-a__zone-c")}
		case 2:
			pv.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "topology.kubernetes.io/zone", Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, zones...)}}}}}}}
		}
		g.objects = append(g.objects, pv)
		return pv
	}
	for i := range 1 + g.r.IntN(6) {
		volume(fmt.Sprintf("pv-free-%d", i), pick(g, "local", "local", "wait"))
	}
	for i := range 4 + g.r.IntN(10) {
		ns := pick(g, namespaces...)
		name := fmt.Sprintf("claim-%d", i)
		c := &v1.PersistentVolumeClaim{TypeMeta: typeMeta("v1", "PersistentVolumeClaim"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, UID: types.UID("pvc-" + name)},
			Spec: v1.PersistentVolumeClaimSpec{
				AccessModes:      []v1.PersistentVolumeAccessMode{pick(g, v1.ReadWriteOnce, v1.ReadWriteOnce, v1.ReadWriteOnce, v1.ReadWriteOncePod)},
				StorageClassName: ptr(pick(g, "local", "wait", "wait", "tracked", "immediate", "no-such-class")),
				Resources:        v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: qty(1+g.r.Int64N(15), "Gi")}},
				VolumeMode:       ptr(v1.PersistentVolumeFilesystem),
			},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
		}
		if g.chance(0.5) {
			pv := volume("pv-"+name, *c.Spec.StorageClassName)
			pv.Spec.AccessModes = c.Spec.AccessModes
			pv.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: ns, Name: name, UID: c.UID}
			pv.Status.Phase = v1.VolumeBound
			c.Spec.VolumeName = pv.Name
			c.Status.Phase = v1.ClaimBound
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			if g.chance(g.nasty) {
				c.Spec.VolumeName = "pv-gone"
			}
		}
		if g.chance(g.nasty) {
			c.Status.Phase = v1.ClaimLost
		}
		g.objects = append(g.objects, c)
		g.storage.claims[ns] = append(g.storage.claims[ns], name)
		if g.chance(0.3) {
			p := g.newPod("user")
			p.Namespace = ns
			p.Spec.NodeName = pick(g, g.nodes...).Name
			p.Spec.Priority = ptr(int32(0))
			p.Status.StartTime = &metav1.Time{Time: g.start.Add(-60e9 * 60)}
			p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
			g.objects = append(g.objects, p)
		}
	}
	for range g.r.IntN(3) {
		p := g.newPod("inline")
		p.Spec.NodeName = pick(g, g.nodes...).Name
		p.Status.StartTime = &metav1.Time{Time: g.start.Add(-120e9 * 60)}
		p.Spec.Volumes = []v1.Volume{g.inlineVolume()}
		g.objects = append(g.objects, p)
	}
	_ = o
}

func (g *gen) inlineVolume() v1.Volume {
	ro := g.chance(0.4)
	return v1.Volume{Name: "inline", VolumeSource: pick(g,
		v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: pick(g, "disk-1", "disk-2"), ReadOnly: ro}},
		v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: pick(g, "vol-1", "vol-2"), ReadOnly: ro}},
		v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{TargetPortal: "10.0.0.1:3260", IQN: pick(g, "iqn.2026:a", "iqn.2026:b"), ReadOnly: ro}},
		v1.VolumeSource{RBD: &v1.RBDVolumeSource{CephMonitors: []string{"m1", pick(g, "m2", "m3")}, RBDImage: "img", RBDPool: pick(g, "rbd", "p2"), ReadOnly: ro}},
		v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}},
	)}
}

func (g *gen) shapeVolumes(p *v1.Pod) {
	if g.chance(0.2) {
		g.resources(p)
	}
	for i := range g.r.IntN(4) {
		name := "claim-404"
		if names := g.storage.claims[p.Namespace]; len(names) > 0 && !g.chance(g.nasty) {
			name = pick(g, names...)
		} else if !g.chance(0.2) {
			continue
		}
		// An unbound claim that is used twice gets two volumes upstream, and a later pod sees a random
		// one of them.
		if slices.ContainsFunc(p.Spec.Volumes, func(v v1.Volume) bool {
			return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == name
		}) {
			continue
		}
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", i), VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
	}
	if g.chance(0.3) {
		p.Spec.Volumes = append(p.Spec.Volumes, g.inlineVolume())
	}
	if g.chance(g.nasty) {
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: "eph", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}})
	}
}

// csiLimits makes CSINodes with limits and nodes with volumes attached.
func (g *gen) csiLimits(o Options) {
	g.storage.csi = map[string][]string{}
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	g.objects = append(g.objects, &storagev1.StorageClass{TypeMeta: typeMeta("storage.k8s.io/v1", "StorageClass"), ObjectMeta: metav1.ObjectMeta{Name: "wait"}, Provisioner: "b.csi.example.com", VolumeBindingMode: &mode})
	drivers := []string{"a.csi.example.com", "b.csi.example.com"}
	for _, n := range g.nodes {
		if g.chance(0.1) {
			continue
		}
		cn := &storagev1.CSINode{TypeMeta: typeMeta("storage.k8s.io/v1", "CSINode"), ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
		for _, d := range drivers {
			if g.chance(0.8) {
				dr := storagev1.CSINodeDriver{Name: d, NodeID: n.Name}
				if g.chance(0.9) {
					dr.Allocatable = &storagev1.VolumeNodeResources{Count: ptr(g.r.Int32N(4))}
				}
				cn.Spec.Drivers = append(cn.Spec.Drivers, dr)
			}
		}
		g.objects = append(g.objects, cn)
	}
	for i := range 2*o.Nodes + 3 {
		ns := pick(g, namespaces...)
		name := fmt.Sprintf("csi-%d", i)
		c := &v1.PersistentVolumeClaim{TypeMeta: typeMeta("v1", "PersistentVolumeClaim"), ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns, UID: types.UID("pvc-" + name)},
			Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteMany}, StorageClassName: ptr("wait"), VolumeMode: ptr(v1.PersistentVolumeFilesystem),
				Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: qty(1, "Gi")}}},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}}
		if g.chance(0.85) {
			handle := name
			if g.chance(0.15) {
				handle = "shared-handle"
			}
			c.Spec.VolumeName = "pv-" + name
			c.Status.Phase = v1.ClaimBound
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			g.objects = append(g.objects, &v1.PersistentVolume{TypeMeta: typeMeta("v1", "PersistentVolume"), ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name},
				Spec: v1.PersistentVolumeSpec{Capacity: v1.ResourceList{v1.ResourceStorage: qty(1, "Gi")}, AccessModes: c.Spec.AccessModes, StorageClassName: "wait", VolumeMode: ptr(v1.PersistentVolumeFilesystem),
					ClaimRef:               &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: ns, Name: name, UID: c.UID},
					PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: pick(g, drivers...), VolumeHandle: handle}}},
				Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound}})
		}
		g.objects = append(g.objects, c)
		if g.chance(0.5) {
			p := g.newPod("csi")
			p.Namespace = ns
			p.Spec.NodeName = pick(g, g.nodes...).Name
			p.Status.StartTime = &metav1.Time{Time: g.start}
			g.useClaim(p, name)
			g.objects = append(g.objects, p)
			if !g.chance(0.2) {
				continue
			}
		}
		g.storage.csi[ns] = append(g.storage.csi[ns], name)
	}
	for i := range g.r.IntN(3) {
		g.objects = append(g.objects, &storagev1.VolumeAttachment{TypeMeta: typeMeta("storage.k8s.io/v1", "VolumeAttachment"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("va-%d", i)},
			Spec: storagev1.VolumeAttachmentSpec{Attacher: pick(g, drivers...), NodeName: pick(g, g.nodes...).Name, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: ptr(fmt.Sprintf("pv-csi-%d", g.r.IntN(5)))}}, Status: storagev1.VolumeAttachmentStatus{Attached: true}})
	}
}

func (g *gen) useClaim(p *v1.Pod, name string) {
	p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: fmt.Sprintf("v%d", len(p.Spec.Volumes)), VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
}

func (g *gen) shapeCSI(p *v1.Pod) {
	for range 1 + g.r.IntN(3) {
		if names := g.storage.csi[p.Namespace]; len(names) > 0 {
			g.useClaim(p, pick(g, names...))
		}
	}
	if g.chance(0.2) {
		p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: "csi-inline", VolumeSource: v1.VolumeSource{CSI: &v1.CSIVolumeSource{Driver: "a.csi.example.com"}}})
	}
}
