// Resource slices and taint rules of kind dra2.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (d *draGen) slice(name, driver, pool string, spec resourcev1.ResourceSliceSpec) *resourcev1.ResourceSlice {
	spec.Driver = driver
	if spec.Pool.Name == "" {
		spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	}
	for _, dev := range spec.Devices {
		d.devices[driver] = append(d.devices[driver], [2]string{pool, dev.Name})
	}
	s := &resourcev1.ResourceSlice{TypeMeta: typeMeta("resource.k8s.io/v1", "ResourceSlice"), ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	d.objects = append(d.objects, s)
	return s
}

func (d *draGen) taints(dev *resourcev1.Device) {
	if !d.feature["taint"] {
		return
	}
	for range d.r.IntN(3) {
		if d.chance(0.4) {
			dev.Taints = append(dev.Taints, resourcev1.DeviceTaint{Key: pick(d.gen, "maintenance", "health"), Value: pick(d.gen, "", "bad"), Effect: pick(d.gen, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNone, "Future")})
		}
	}
}

func (d *draGen) gpuPool(node string) {
	n := 1 + d.r.IntN(4)
	var devs []resourcev1.Device
	for i := range n {
		dev := resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model": {StringValue: ptr(pick(d.gen, "a100", "h100", "l4"))}, "numa": {IntValue: ptr(d.r.Int64N(2))}, "ecc": {BoolValue: ptr(d.chance(0.5))}, "version": {VersionValue: ptr(pick(d.gen, "1.2.3", "2.0.0"))},
				"dra.example.org/root": {StringValue: ptr(pick(d.gen, "pci0", "pci1"))}},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: pick(d.gen, qty(24, "Gi"), qty(40, "Gi"), qty(80, "Gi"))}}}
		if d.chance(d.nasty) {
			delete(dev.Attributes, "model")
		}
		if d.chance(d.nasty / 2) {
			dev.Attributes["list"] = resourcev1.DeviceAttribute{StringValues: []string{"x", "y"}}
		}
		if d.chance(d.nasty) && i > 0 {
			dev.Name = "gpu-0" // makes the pool invalid
		}
		d.taints(&dev)
		devs = append(devs, dev)
	}
	pool := resourcev1.ResourcePool{Name: node, Generation: 2, ResourceSliceCount: 1}
	switch {
	case d.chance(0.3) && n > 1: // two slices, names the other way round
		pool.ResourceSliceCount = 2
		if d.chance(d.nasty * 3) {
			pool.ResourceSliceCount = 3 // incomplete
		}
		d.slice("gpu-"+node+"-b", gpuDriver, node, resourcev1.ResourceSliceSpec{Pool: pool, NodeName: ptr(node), Devices: devs[:n/2]})
		d.slice("gpu-"+node+"-a", gpuDriver, node, resourcev1.ResourceSliceSpec{Pool: pool, NodeName: ptr(node), Devices: devs[n/2:]})
	default:
		if d.chance(d.nasty * 2) {
			pool.ResourceSliceCount = 2
		}
		d.slice("gpu-"+node, gpuDriver, node, resourcev1.ResourceSliceSpec{Pool: pool, NodeName: ptr(node), Devices: devs})
	}
	if d.chance(0.15) { // an obsolete generation
		d.slice("gpu-"+node+"-old", gpuDriver, node, resourcev1.ResourceSliceSpec{Pool: resourcev1.ResourcePool{Name: node, Generation: pick(d.gen, int64(1), 1, 3), ResourceSliceCount: 1}, NodeName: ptr(node), Devices: []resourcev1.Device{{Name: "gpu-9"}}})
	}
}

func (d *draGen) nicPool(node string) {
	var devs []resourcev1.Device
	q := func(s string) *resource.Quantity { return ptr(resource.MustParse(s)) }
	for i := range 1 + d.r.IntN(2) {
		dev := resourcev1.Device{Name: fmt.Sprintf("nic-%d", i), AllowMultipleAllocations: pick(d.gen, ptr(true), ptr(true), ptr(true), ptr(false), nil),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"dra.example.org/root": {StringValue: ptr(pick(d.gen, "pci0", "pci1"))}, "speed": {IntValue: ptr(pick(d.gen, int64(10), 25, 100))}},
			Capacity:   map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{}}
		bw := resourcev1.DeviceCapacity{Value: pick(d.gen, *q("10G"), *q("4G"), *q("25G"))}
		switch d.r.IntN(6) {
		case 0:
			bw.RequestPolicy = &resourcev1.CapacityRequestPolicy{Default: q("1G")}
		case 1:
			bw.RequestPolicy = &resourcev1.CapacityRequestPolicy{Default: q("1G"), ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: q("1G"), Max: q("8G"), Step: q("1G")}}
		case 2:
			bw.RequestPolicy = &resourcev1.CapacityRequestPolicy{Default: q("2G"), ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: q("500M"), Max: pick(d.gen, q("5G"), nil)}}
		case 3:
			bw.RequestPolicy = &resourcev1.CapacityRequestPolicy{Default: q("1G"), ValidValues: []resource.Quantity{*q("1G"), *q("2500M"), *q("4G")}}
		}
		dev.Capacity["bandwidth"] = bw
		if d.chance(0.4) {
			dev.Capacity["slots"] = resourcev1.DeviceCapacity{Value: qty(4, ""), RequestPolicy: &resourcev1.CapacityRequestPolicy{Default: q("1"), ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: q("1"), Step: q("1")}}}
		}
		if d.chance(0.1) {
			dev.Capacity = nil
		}
		d.taints(&dev)
		devs = append(devs, dev)
	}
	d.slice("nic-"+node, nicDriver, node, resourcev1.ResourceSliceSpec{NodeName: ptr(node), Devices: devs})
}

func (d *draGen) partPool(node string) {
	pool := resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 2}
	counters := func(mem string, slots int64) map[string]resourcev1.Counter {
		m := map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(mem)}}
		if slots > 0 {
			m["slots"] = resourcev1.Counter{Value: qty(slots, "")}
		}
		return m
	}
	sets := []resourcev1.CounterSet{{Name: "card-0", Counters: counters(pick(d.gen, "40Gi", "80Gi"), 7)}}
	if d.chance(0.4) {
		sets = append(sets, resourcev1.CounterSet{Name: "card-1", Counters: counters("40Gi", 7)})
	}
	var devs []resourcev1.Device
	for i, set := range sets {
		add := func(name, mem string, slots int64) {
			dev := resourcev1.Device{Name: fmt.Sprintf("c%d-%s", i, name), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"profile": {StringValue: ptr(name)}, "card": {IntValue: ptr(int64(i))}},
				ConsumesCounters: []resourcev1.DeviceCounterConsumption{{CounterSet: set.Name, Counters: counters(mem, slots)}}}
			if d.chance(0.15) {
				dev.AllowMultipleAllocations = ptr(true)
				dev.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(mem)}}
			}
			if d.chance(d.nasty / 2) {
				dev.ConsumesCounters[0].CounterSet = "missing"
			}
			d.taints(&dev)
			devs = append(devs, dev)
		}
		add("full", "40Gi", 7)
		for k := range 2 {
			add(fmt.Sprintf("half%d", k), "20Gi", 3)
		}
		if d.chance(0.5) {
			for k := range 3 {
				add(fmt.Sprintf("small%d", k), "10Gi", 1)
			}
		}
	}
	if len(sets) > 1 && d.chance(0.5) {
		devs = append(devs, resourcev1.Device{Name: "both", ConsumesCounters: []resourcev1.DeviceCounterConsumption{{CounterSet: "card-0", Counters: counters("40Gi", 0)}, {CounterSet: "card-1", Counters: counters("40Gi", 0)}}})
	}
	d.slice("part-"+node+"-counters", partDriver, node, resourcev1.ResourceSliceSpec{Pool: pool, NodeName: ptr(node), SharedCounters: sets})
	if d.chance(d.nasty * 2) {
		return // incomplete
	}
	d.slice("part-"+node+"-devices", partDriver, node, resourcev1.ResourceSliceSpec{Pool: pool, NodeName: ptr(node), Devices: devs})
}

func term(key string, values ...string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}}}}}
}

func (d *draGen) fabricPools() {
	dev := func(name string) resourcev1.Device {
		x := resourcev1.Device{Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"kind": {StringValue: ptr(pick(d.gen, "switch", "disk"))}, "dra.example.org/root": {StringValue: ptr(pick(d.gen, "pci0", "pci1"))}}}
		if d.feature["binding"] && d.chance(0.5) {
			x.BindingConditions = []string{"Attached"}
			x.BindingFailureConditions = []string{"AttachFailed"}
			if d.chance(0.5) {
				x.BindsToNode = ptr(true)
			}
		}
		d.taints(&x)
		return x
	}
	devs := func(prefix string) (out []resourcev1.Device) {
		for i := range 1 + d.r.IntN(3) {
			out = append(out, dev(fmt.Sprintf("%s-%d", prefix, i)))
		}
		return
	}
	if d.chance(0.6) {
		d.slice("fabric-all", fabricDriver, "all", resourcev1.ResourceSliceSpec{AllNodes: ptr(true), Devices: devs("all")})
	}
	if d.chance(0.6) {
		pool := resourcev1.ResourcePool{Name: "zones", Generation: 1, ResourceSliceCount: 2}
		d.slice("fabric-zone-a", fabricDriver, "zones", resourcev1.ResourceSliceSpec{Pool: pool, NodeSelector: term("zone", "a"), Devices: devs("a")})
		if !d.chance(d.nasty * 3) {
			d.slice("fabric-zone-b", fabricDriver, "zones", resourcev1.ResourceSliceSpec{Pool: pool, NodeSelector: term("zone", "b"), Devices: devs("b")})
		}
	}
	if d.chance(0.6) {
		spec := resourcev1.ResourceSliceSpec{PerDeviceNodeSelection: ptr(true)}
		for i, x := range append(devs("p"), devs("q")...) {
			switch i % 3 {
			case 0:
				x.AllNodes = ptr(true)
			case 1:
				x.NodeSelector = term("rack", "1", "2")
			default:
				x.NodeName = ptr(pick(d.gen, d.nodes...).Name)
			}
			spec.Devices = append(spec.Devices, x)
		}
		d.slice("fabric-per-device", fabricDriver, "per-device", spec)
	}
}

// taintRules matter with the gate DRADeviceTaintRules only.
func (d *draGen) taintRules() {
	for i := range 1 + d.r.IntN(2) {
		r := &resourcev1beta2.DeviceTaintRule{TypeMeta: typeMeta("resource.k8s.io/v1beta2", "DeviceTaintRule"), ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("rule-%d", i)},
			Spec: resourcev1beta2.DeviceTaintRuleSpec{Taint: resourcev1beta2.DeviceTaint{Key: "maintenance", Value: "rule", Effect: pick(d.gen, resourcev1beta2.DeviceTaintEffectNoSchedule, resourcev1beta2.DeviceTaintEffectNoExecute, resourcev1beta2.DeviceTaintEffectNone)}}}
		if !d.chance(0.1) {
			sel := &resourcev1beta2.DeviceTaintSelector{}
			if d.chance(0.7) {
				sel.Driver = ptr(pick(d.gen, gpuDriver, nicDriver, partDriver, fabricDriver))
			}
			if d.chance(0.5) {
				sel.Pool = ptr(pick(d.gen, d.nodes...).Name)
			}
			if d.chance(0.4) {
				sel.Device = ptr(pick(d.gen, "gpu-0", "nic-0", "c0-full"))
			}
			r.Spec.DeviceSelector = sel
		}
		d.objects = append(d.objects, r)
	}
}

func (d *draGen) driver() string {
	var list []string
	for _, x := range []string{"gpu", "nic", "part", "fabric"} {
		if d.feature[x] {
			list = append(list, x)
		}
	}
	return pick(d.gen, list...)
}

func (d *draGen) exact() *resourcev1.ExactDeviceRequest {
	class := d.driver()
	e := &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: pick(d.gen, int64(1), 1, 1, 2, 3)}
	var exprs []string
	switch class {
	case "gpu":
		if d.chance(0.3) {
			e.DeviceClassName = "big"
		}
		exprs = []string{`device.attributes["gpu.example.com"].model == "h100"`, `device.attributes["gpu.example.com"].model in ["a100", "h100"]`, `device.attributes["gpu.example.com"].ecc`,
			`device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("30Gi"))`, `device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.9.0"))`, `has(device.attributes["gpu.example.com"].model)`,
			`cel.bind(g, device.attributes["gpu.example.com"], g.numa == 0 && g.?model.orValue("") != "l4")`}
	case "nic":
		exprs = []string{`device.attributes["nic.example.com"].speed >= 25`, `device.allowMultipleAllocations`}
		if d.chance(0.6) {
			e.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"bandwidth": pick(d.gen, resource.MustParse("1G"), resource.MustParse("1500M"), resource.MustParse("3G"), resource.MustParse("100M"), resource.MustParse("20G"))}}
			if d.chance(0.2) {
				e.Capacity.Requests[pick[resourcev1.QualifiedName](d.gen, "slots", "missing")] = qty(1+d.r.Int64N(3), "")
			}
		}
	case "part":
		exprs = []string{`device.attributes["part.example.com"].profile.startsWith("half")`, `device.attributes["part.example.com"].?card.orValue(-1) == 0`, `device.attributes["part.example.com"].?profile.orValue("") != "full"`}
	case "fabric":
		exprs = []string{`device.attributes["fabric.example.com"].kind == "switch"`}
	}
	if d.chance(0.1) {
		e.DeviceClassName = pick(d.gen, "any", "shareable")
	}
	if d.chance(d.nasty) {
		e.DeviceClassName = pick(d.gen, "broken", "no-such-class")
	}
	if d.chance(0.4) {
		e.Selectors = append(e.Selectors, celSelector(pick(d.gen, exprs...)))
	}
	if d.chance(d.nasty) {
		e.Selectors = append(e.Selectors, celSelector(pick(d.gen, `device.attributes["gpu.example.com"].missing`, `device.attributes["gpu.example.com"].numa == 1 || device.attributes["gpu.example.com"].missing == 2`, `device.attributes["gpu.example.com"].model < 1`, `lists.range(1000).all(i, lists.range(1000).all(j, i + j >= 0))`, `device.attributes["gpu.example.com"].version == "1.2.3"`)))
	}
	if d.feature["all"] && d.chance(0.4) {
		e.AllocationMode, e.Count = resourcev1.DeviceAllocationModeAll, 0
	}
	if d.chance(d.nasty / 2) {
		e.Count = 33
	}
	if d.feature["admin"] && d.chance(0.4) {
		e.AdminAccess = ptr(d.chance(0.8))
	}
	if d.feature["taint"] {
		for range d.r.IntN(3) {
			e.Tolerations = append(e.Tolerations, resourcev1.DeviceToleration{Key: pick(d.gen, "", "maintenance", "health"), Operator: pick(d.gen, "", resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists, resourcev1.DeviceTolerationOpExists), Value: pick(d.gen, "", "bad", "rule"), Effect: pick(d.gen, "", resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute)})
		}
	}
	return e
}
