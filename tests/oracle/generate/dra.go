// Kind dra2: everything of resource.k8s.io/v1 that the scheduler looks at. Kind drascore: the same, with
// scorers that list extended resources which device classes provide. Kind draclasses: either, with classes that come and go.

package generate

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func init() {
	kinds["dra2"] = func(g *gen, o Options) { newDRAGen(g).make(o) }
	kinds["drascore"] = func(g *gen, o Options) {
		d := newDRAGen(g)
		d.scores = true
		d.make(o)
		d.scoreDevices()
	}
	kinds["draclasses"] = func(g *gen, o Options) {
		d := newDRAGen(g)
		d.scores = true
		d.make(o)
		if d.chance(0.5) {
			d.scoreDevices()
		}
		d.classChanges(o)
	}
}

type draGen struct {
	*gen
	claims  map[string][]string
	devices map[string][][2]string // driver -> pool, device
	feature map[string]bool
	scores  bool // kind drascore
}

func newDRAGen(g *gen) *draGen {
	return &draGen{gen: g, claims: map[string][]string{}, devices: map[string][][2]string{}}
}

const (
	gpuDriver    = "gpu.example.com"    // one pool per node
	nicDriver    = "nic.example.com"    // shared devices with consumable capacity
	partDriver   = "part.example.com"   // partitions with counters
	fabricDriver = "fabric.example.com" // pools of many nodes, binding conditions
)

func (d *draGen) make(o Options) {
	for len(d.nodes) < min(o.Nodes, 6) {
		d.nodes = append(d.nodes, d.draNode(len(d.nodes)))
	}
	d.objects = append(d.objects, &v1.Namespace{TypeMeta: typeMeta("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	// Some features per case, so that they do not drown each other.
	d.feature = map[string]bool{}
	for _, f := range []string{"gpu", "nic", "part", "fabric", "taint", "extended", "constraint", "first", "all", "admin", "allocated", "template", "binding", "config", "several"} {
		d.feature[f] = d.chance(0.4)
	}
	if !d.feature["nic"] && !d.feature["part"] && !d.feature["fabric"] {
		d.feature["gpu"] = true
	}
	if d.scores {
		d.feature["extended"] = true
	}
	d.classes()
	for _, n := range d.nodes {
		if d.feature["gpu"] && !d.chance(0.1) {
			d.gpuPool(n.Name)
		}
		if d.feature["nic"] && !d.chance(0.1) {
			d.nicPool(n.Name)
		}
		if d.feature["part"] && !d.chance(0.1) {
			d.partPool(n.Name)
		}
	}
	if d.feature["fabric"] {
		d.fabricPools()
	}
	if d.chance(0.4) {
		d.taintRules()
	}
	d.r.Shuffle(len(d.objects), func(i, j int) { d.objects[i], d.objects[j] = d.objects[j], d.objects[i] })
	for i := range 2 + d.r.IntN(6) {
		d.claim(fmt.Sprintf("claim-%d", i), nil)
	}
	for i := range o.Pods {
		d.pods = append(d.pods, d.pod(i))
	}
	d.draMode = true
}

// scoreDevices lets some pods ask for devices of any class, and both scorers of resources list some that device classes provide. Upstream's
// NodeResourcesBalancedAllocation panics at the first selector of a class, so it gets a class without any.
func (d *draGen) scoreDevices() {
	for _, p := range d.pods {
		for _, c := range p.Spec.Containers {
			if c.Resources.Requests != nil && d.chance(0.3) {
				c.Resources.Requests["deviceclass.resource.kubernetes.io/any"] = qty(1+d.r.Int64N(2), "")
			}
		}
	}
	type m = map[string]any
	resources := func(names ...string) []m {
		out := []m{{"name": names[0], "weight": 1 + d.r.IntN(4)}}
		for _, name := range names[1:] {
			if d.chance(0.5) {
				out = append(out, m{"name": name, "weight": 1 + d.r.IntN(4)})
			}
		}
		return out
	}
	strategy := m{"type": pick(d.gen, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": resources(
		pick(d.gen, "example.com/gpu", "example.com/dra-gpu", "memory"), "deviceclass.resource.kubernetes.io/any", "cpu", "deviceclass.resource.kubernetes.io/gpu", "deviceclass.resource.kubernetes.io/nic", "example.com/none")}
	if strategy["type"] == "RequestedToCapacityRatio" {
		strategy["requestedToCapacityRatio"] = m{"shape": []m{{"utilization": 0, "score": 0}, {"utilization": 60, "score": 10}, {"utilization": 100, "score": 3}}}
	}
	balanced := resources("deviceclass.resource.kubernetes.io/any", "cpu", "memory", "example.com/none")
	for _, r := range balanced {
		r["weight"] = 1
	}
	args := func(plugin, field string, value any) m {
		return m{"name": plugin, "args": m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": plugin + "Args", field: value}}
	}
	d.config = m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []m{{"schedulerName": "default-scheduler",
		"pluginConfig": []m{args("NodeResourcesFit", "scoringStrategy", strategy), args("NodeResourcesBalancedAllocation", "resources", balanced)}}}}
}

func (d *draGen) draNode(i int) *v1.Node {
	name := fmt.Sprintf("node-%d", i)
	alloc := v1.ResourceList{v1.ResourceCPU: qty(8, ""), v1.ResourceMemory: qty(32, "Gi"), v1.ResourcePods: qty(pick(d.gen, int64(110), 110, 110, 2), "")}
	if d.chance(0.3) {
		alloc["example.com/gpu"] = qty(d.r.Int64N(3), "")
	}
	return &v1.Node{
		TypeMeta:   typeMeta("v1", "Node"),
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name, "zone": pick(d.gen, "a", "b"), "rack": pick(d.gen, "1", "2", "3")}},
		Status:     v1.NodeStatus{Allocatable: alloc, Capacity: alloc.DeepCopy()},
	}
}

func celSelector(expr string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expr}}
}

func (d *draGen) classes() {
	class := func(name string, exprs ...string) *resourcev1.DeviceClass {
		c := &resourcev1.DeviceClass{TypeMeta: typeMeta("resource.k8s.io/v1", "DeviceClass"), ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(d.start.Add(time.Duration(d.r.IntN(3)) * time.Hour))}}
		for _, e := range exprs {
			c.Spec.Selectors = append(c.Spec.Selectors, celSelector(e))
		}
		if d.feature["config"] && d.chance(0.6) {
			c.Spec.Config = []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: opaque(gpuDriver, name)}}
		}
		d.objects = append(d.objects, c)
		return c
	}
	gpu := class("gpu", `device.driver == "gpu.example.com"`)
	class("nic", `device.driver == "nic.example.com"`)
	class("part", `device.driver == "part.example.com"`)
	class("fabric", `device.driver == "fabric.example.com"`)
	class("any")
	class("big", `device.driver == "gpu.example.com"`, `device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`)
	class("shareable", `device.allowMultipleAllocations`)
	if d.chance(d.nasty * 3) {
		class("broken", pick(d.gen, `device.attributes["gpu.example.com"].missing == 1`, `device.driver ==`, `1`, `device.attributes["gpu.example.com"].model`))
	}
	if d.feature["extended"] {
		gpu.Spec.ExtendedResourceName = ptr(pick(d.gen, "example.com/gpu", "example.com/dra-gpu"))
		if d.chance(0.3) {
			class("gpu2", `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].numa == 0`).Spec.ExtendedResourceName = gpu.Spec.ExtendedResourceName
		}
	}
}

func opaque(driver, v string) resourcev1.DeviceConfiguration {
	return resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(`{"v":"` + v + `"}`)}}}
}
