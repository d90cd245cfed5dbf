// The table of queueing hints: the events that plugins register for, and their answers for objects
// that are added, changed and removed.

package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/generate"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

// HintGroup is a configuration, a cluster, pods that were rejected, events, and the plugins'
// answers for each pod and event.
type HintGroup struct {
	Config  string                           `json:"config"`
	Objects []json.RawMessage                `json:"objects"`
	Pods    []json.RawMessage                `json:"pods"`
	Events  []judge.Event                    `json:"events"`
	Plugins map[string][]*judge.Registration `json:"plugins"`
}

const hintArgs = `profiles:
- pluginConfig:
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
      - {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]
`

// eventResources are the resources of events by kind.
var eventResources = map[string]fwk.EventResource{
	"Pod": fwk.Pod, "Node": fwk.Node, "PersistentVolume": fwk.PersistentVolume, "PersistentVolumeClaim": fwk.PersistentVolumeClaim,
	"StorageClass": fwk.StorageClass, "CSINode": fwk.CSINode, "CSIDriver": fwk.CSIDriver, "CSIStorageCapacity": fwk.CSIStorageCapacity,
	"VolumeAttachment": fwk.VolumeAttachment, "DeviceClass": fwk.DeviceClass, "ResourceClaim": fwk.ResourceClaim, "ResourceSlice": fwk.ResourceSlice,
}

// hintObjects are of kinds, or with fields, that the generated worlds lack.
var hintObjects = []string{
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},"spec":{"extendedResourceName":"example.com/gpu"}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"plain"},"spec":{}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"node-000","annotations":{"storage.alpha.kubernetes.io/migrated-plugins":"kubernetes.io/gce-pd"}},"spec":{"drivers":[{"name":"a","nodeID":"n","allocatable":{"count":2}},{"name":"b","nodeID":"n"}]}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"inline.example.com"},"spec":{"storageCapacity":true}}`,
	`{"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"va"},"spec":{"attacher":"pd.csi.storage.gke.io","nodeName":"node-000","source":{"persistentVolumeName":"v"}}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"tiny","namespace":"default","labels":{"app":"web"}},"spec":{"nodeName":"node-000","containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi","example.com/gpu":"1"}}}],"volumes":[{"name":"d","gcePersistentDisk":{"pdName":"disk-1"}},{"name":"e","persistentVolumeClaim":{"claimName":"c"}}]}}`,
}

// hintPods are rejected pods of their own kinds.
var hintPods = []string{
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"disks","namespace":"default"},"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"d","gcePersistentDisk":{"pdName":"disk-1"}},{"name":"i","csi":{"driver":"inline.example.com"}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shares","namespace":"default"},"spec":{"containers":[{"name":"c","image":"a"}],"volumes":[{"name":"f","azureFile":{"shareName":"s"}},{"name":"e","ephemeral":{"volumeClaimTemplate":{"spec":{"resources":{}}}}}],"hostNetwork":true,"hostUsers":false}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"gpus","namespace":"default"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m","example.com/gpu":"1","deviceclass.resource.kubernetes.io/plain":"1"}}}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"spreads","namespace":"default","labels":{"app":"web"}},"spec":{"containers":[{"name":"c"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}},"nodeTaintsPolicy":"Honor","matchLabelKeys":["tier"]}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"wrong","namespace":"default"},"spec":{"containers":[{"name":"c"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchExpressions":[{"key":"a","operator":"Bogus"}]}}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"rack","labelSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}]},"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"rack","operator":"Gt","values":["x"]}]}]}}}}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"hates","namespace":"default","labels":{"app":"db"}},"spec":{"containers":[{"name":"c"}],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"rack","labelSelector":{"matchLabels":{"app":"web"}},"namespaceSelector":{"matchExpressions":[{"key":"env","operator":"NotIn","values":["prod"]}]}}]}}}}`,
}

// claimObjects and claimPods are those of kind claims, which is basic otherwise.
var claimObjects = []string{
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"free","namespace":"default","uid":"c-free"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"taken","namespace":"default","uid":"c-taken","finalizers":["resource.kubernetes.io/delete-protection"]},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}},"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"x"}]}},"reservedFor":[{"resource":"pods","name":"other","uid":"other"}]}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"made-card-x","namespace":"default","uid":"c-made","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"made","uid":"u-made","controller":true}]},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1}}]}}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"free","namespace":"team-a","uid":"c-other"},"spec":{}}`,
	`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"node-000","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"x"}]}}`,
}
var claimPods = []string{
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"one","namespace":"default"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimName":"free"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"two","namespace":"default"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimName":"taken"},{"name":"more","resourceClaimName":"free"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"made","namespace":"default","uid":"u-made"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimTemplateName":"t"}]},"status":{"resourceClaimStatuses":[{"name":"card","resourceClaimName":"made-card-x"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"waits","namespace":"default","uid":"u-waits"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimTemplateName":"t"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"lost","namespace":"default"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimName":"gone"},{"name":"more","resourceClaimName":"free"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"not-mine","namespace":"default","uid":"u-not-mine"},"spec":{"containers":[{"name":"c"}],"resourceClaims":[{"name":"card","resourceClaimTemplateName":"t"}]},"status":{"resourceClaimStatuses":[{"name":"card","resourceClaimName":"made-card-x"}]}}`,
}

func hintTable() (any, error) {
	var groups []HintGroup
	for _, kind := range []string{"basic", "taints", "nodeaffinity", "podaffinity", "spread", "defaultspread", "ports", "volumes", "csilimit", "mixed", "claims"} {
		for seed := range uint64(2) {
			g, err := hintGroup(kind, seed)
			if err != nil {
				return nil, fmt.Errorf("%s %d: %w", kind, seed, err)
			}
			groups = append(groups, g)
		}
	}
	return map[string]any{"kubernetes": kube.Kubernetes, "groups": groups}, nil
}

func hintGroup(kind string, seed uint64) (g HintGroup, err error) {
	world, objects, pods := kind, hintObjects, hintPods
	if kind == "claims" {
		world, objects, pods = "basic", slices.Concat(claimObjects, hintObjects), slices.Concat(claimPods, hintPods)
	}
	c, err := generate.Generate(world, 9000+seed, generate.Options{Nodes: 4, Existing: 10, Pods: 6}, "evaluate", 0.15)
	if err != nil {
		return g, err
	}
	g.Config = signConfig
	if seed%2 == 1 || kind == "defaultspread" {
		g.Config += hintArgs
	}
	c.Config, err = json.Marshal(g.Config)
	if err != nil {
		return g, err
	}
	// First, because the number of objects of a kind that make events is limited.
	own := []json.RawMessage{}
	for _, text := range objects {
		if !hasName(c.Objects, text) {
			own = append(own, json.RawMessage(text))
		}
	}
	c.Objects = append(own, c.Objects...)
	for _, text := range pods {
		c.Pods = append(c.Pods, json.RawMessage(text))
	}
	m := mutator{rand.New(rand.NewPCG(seed, uint64(len(kind)))), kind == "claims"}
	seen := map[string]int{}
	for i, raw := range append(c.Objects[:len(c.Objects):len(c.Objects)], c.Pods...) {
		obj, err := judge.DecodeObject(raw, nil)
		if err != nil {
			return g, err
		}
		// With its UID, which hints compare.
		if raw, err = json.Marshal(obj); err != nil {
			return g, err
		}
		if i >= len(c.Objects) {
			c.Pods[i-len(c.Objects)] = raw
		}
		of := obj.GetObjectKind().GroupVersionKind().Kind
		name := eventResources[of]
		if seen[of]++; name == "" || (i < len(c.Objects) && seen[of] > 8) {
			continue
		}
		add := func(action fwk.ActionType, old, new json.RawMessage) {
			g.Events = append(g.Events, judge.Event{Resource: string(name), Action: int64(action), Old: old, New: new})
		}
		if i < len(c.Objects) {
			add(fwk.Add, nil, raw)
			add(fwk.Delete, raw, nil)
		}
		for range 2 {
			changed := obj.DeepCopyObject()
			for range 1 + m.r.IntN(2) {
				m.change(changed)
			}
			new, err := json.Marshal(changed)
			if err != nil {
				return g, err
			}
			// In either direction, so that additions may also be removals.
			if m.r.IntN(2) == 0 {
				add(fwk.Update, raw, new)
			} else {
				add(fwk.Update, new, raw)
			}
		}
	}
	g.Objects, g.Pods = c.Objects, c.Pods
	g.Plugins, err = judge.Hints(context.Background(), c, g.Events)
	return g, err
}

// hasName reports whether an object with the kind and name of `text` exists.
func hasName(objects []json.RawMessage, text string) bool {
	type named struct {
		Kind     string
		Metadata struct{ Name, Namespace string }
	}
	var want named
	_ = json.Unmarshal([]byte(text), &want)
	for _, raw := range objects {
		var o named
		if json.Unmarshal(raw, &o) == nil && o == want {
			return true
		}
	}
	return false
}

// mutator changes an object in one of the ways that hints check.
type mutator struct {
	r      *rand.Rand
	claims bool // kind claims
}

func (m mutator) pick(list ...string) string { return list[m.r.IntN(len(list))] }

func (m mutator) quantity() resource.Quantity {
	return resource.MustParse(m.pick("0", "1", "100m", "2", "64", "1Gi", "32Gi"))
}

func (m mutator) label(labels *map[string]string, keys []string, values ...string) {
	if *labels == nil {
		*labels = map[string]string{}
	}
	key := m.pick(keys...)
	if m.r.IntN(3) == 0 {
		delete(*labels, key)
	} else {
		(*labels)[key] = m.pick(values...)
	}
}

func (m mutator) toleration() v1.Toleration {
	return v1.Toleration{Key: m.pick("dedicated", "gpu", v1.TaintNodeUnschedulable, ""), Operator: v1.TolerationOpExists, Effect: v1.TaintEffect(m.pick("", "NoSchedule"))}
}

func (m mutator) change(obj runtime.Object) {
	zone := []string{"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"}
	switch o := obj.(type) {
	case *v1.Pod:
		m.changePod(o)
	case *v1.Node:
		switch m.r.IntN(5) {
		case 0:
			m.label(&o.Labels, append(zone, "rack", "disktype", "kubernetes.io/arch"), "zone-a", "rack-1", "ssd", "amd64", "1")
		case 1:
			o.Spec.Taints = append(o.Spec.Taints, v1.Taint{Key: m.pick("dedicated", "gpu"), Value: m.pick("", "a"), Effect: v1.TaintEffect(m.pick("NoSchedule", "NoExecute", "PreferNoSchedule"))})
		case 2:
			o.Spec.Unschedulable = !o.Spec.Unschedulable
		case 3:
			o.Status.Allocatable[v1.ResourceName(m.pick("cpu", "memory", "pods", "ephemeral-storage", "example.com/gpu"))] = m.quantity()
		default:
			o.Status.DeclaredFeatures = append(o.Status.DeclaredFeatures, m.pick("UserNamespacesHostNetworkSupport", "x"))
		}
	case *v1.PersistentVolume:
		if m.r.IntN(4) > 0 {
			m.label(&o.Labels, zone, "zone-a", "zone-b", "zone-a__zone-b", "zone-b__zone-a", " zone-a ", "a____b", "")
		} else {
			o.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: m.quantity()}
		}
	case *v1.PersistentVolumeClaim:
		o.Spec.VolumeName = m.pick("", "pv-1")
	case *storagev1.StorageClass:
		mode := storagev1.VolumeBindingMode(m.pick("Immediate", "WaitForFirstConsumer"))
		o.VolumeBindingMode = &mode
		if m.r.IntN(2) == 0 {
			o.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: "rack", Values: []string{m.pick("a", "b")}}}}}
		}
	case *storagev1.CSINode:
		if m.r.IntN(4) == 0 {
			m.label(&o.Annotations, []string{v1.MigratedPluginsAnnotationKey, "other"}, "kubernetes.io/aws-ebs", "")
		} else {
			o.Spec.Drivers = append(o.Spec.Drivers, storagev1.CSINodeDriver{Name: m.pick("c", "d"), NodeID: "n"})
			d := &o.Spec.Drivers[m.r.IntN(len(o.Spec.Drivers))]
			count := int32(m.r.IntN(6))
			d.Allocatable = &storagev1.VolumeNodeResources{Count: &count}
			if m.r.IntN(4) == 0 {
				d.Allocatable = nil
			}
		}
	case *storagev1.CSIDriver:
		track := m.r.IntN(2) == 0
		if o.Spec.StorageCapacity = &track; m.r.IntN(3) == 0 {
			o.Spec.StorageCapacity = nil
		}
	case *storagev1.CSIStorageCapacity:
		q := m.quantity()
		switch m.r.IntN(3) {
		case 0:
			o.Capacity = &q
		case 1:
			o.MaximumVolumeSize = &q
		default:
			o.Capacity = nil
		}
	case *resourcev1.ResourceClaim:
		switch m.r.IntN(4) {
		case 0:
			o.Finalizers = append(o.Finalizers, m.pick("resource.kubernetes.io/delete-protection", "other"))
		case 1:
			o.Status.ReservedFor = append(o.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: m.pick("one", "x"), UID: "x"})
		default:
			if o.Status.Allocation != nil {
				o.Status.Allocation = nil
			} else {
				o.Status.Allocation = &resourcev1.AllocationResult{}
			}
		}
	case *resourcev1.ResourceSlice:
		o.Spec.Pool.Generation++
	case *resourcev1.DeviceClass:
		name := m.pick("example.com/gpu", "example.com/none", "example.com/other")
		if o.Spec.ExtendedResourceName = &name; m.r.IntN(4) == 0 {
			o.Spec.ExtendedResourceName = nil
		}
	}
}

func (m mutator) changePod(o *v1.Pod) {
	if m.claims && len(o.Spec.ResourceClaims) > 0 && m.r.IntN(2) == 0 {
		name := m.pick("made-card-x", "none", "free")
		o.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "card", ResourceClaimName: &name}}
		if m.r.IntN(4) == 0 {
			o.Status.ResourceClaimStatuses[0].ResourceClaimName = nil
		}
		return
	}
	switch m.r.IntN(7) {
	case 0, 1:
		m.label(&o.Labels, []string{"app", "tier"}, "web", "db", "cache", "front", "back")
	case 2:
		o.Spec.Tolerations = append(o.Spec.Tolerations, m.toleration())
	case 3:
		c := &o.Spec.Containers[0]
		if c.Resources.Requests == nil {
			c.Resources.Requests = v1.ResourceList{}
		}
		c.Resources.Requests[v1.ResourceName(m.pick("cpu", "memory", "ephemeral-storage", "example.com/gpu"))] = m.quantity()
	case 4:
		o.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "g"}}
	case 5:
		o.Spec.HostNetwork = true
		users := m.r.IntN(2) == 0
		o.Spec.HostUsers = &users
	default:
		if o.Spec.NodeName != "" && m.r.IntN(2) == 0 {
			o.Status.NominatedNodeName = o.Spec.NodeName
		}
		o.Spec.NodeName = m.pick("", "node-001")
	}
}
