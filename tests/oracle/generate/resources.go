// Requests of containers, init containers and pods; host ports; images.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func (g *gen) resourceList() v1.ResourceList {
	l := v1.ResourceList{}
	if g.chance(0.8) {
		l[v1.ResourceCPU] = pick(g, qty(100, "m"), qty(250, "m"), qty(1, ""), qty(1+g.r.Int64N(3000), "m"), qty(0, ""))
	}
	if g.chance(0.8) {
		l[v1.ResourceMemory] = pick(g, qty(64, "Mi"), qty(1, "Gi"), qty(200, "M"), qty(g.r.Int64N(3*gi), ""), resource.MustParse("1.5Gi"), resource.MustParse("128974848000m"))
	}
	if g.chance(0.15) {
		l[v1.ResourceEphemeralStorage] = qty(g.r.Int64N(20), "Gi")
	}
	if g.chance(0.1) {
		l["example.com/gpu"] = qty(g.r.Int64N(4), "")
	}
	if g.chance(0.05) {
		l["hugepages-2Mi"] = qty(g.r.Int64N(4)*64, "Mi")
	}
	if g.chance(g.nasty) {
		l["example.com/none"] = qty(1, "")
	}
	return l
}

// resources gives a pod requests: several containers, init containers,
// sidecars, overhead, pod-level resources.
func (g *gen) resources(p *v1.Pod) {
	p.Spec.Containers[0].Resources.Requests = g.resourceList()
	for i := range g.r.IntN(3) {
		if g.chance(0.3) {
			p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: fmt.Sprintf("c%d", i+1), Image: pick(g, imageNames...), Resources: v1.ResourceRequirements{Requests: g.resourceList()}})
		}
	}
	for i := range g.r.IntN(4) {
		if g.chance(0.3) {
			c := v1.Container{Name: fmt.Sprintf("i%d", i), Image: pick(g, imageNames...), Resources: v1.ResourceRequirements{Requests: g.resourceList()}}
			if g.chance(0.5) {
				c.RestartPolicy = ptr(v1.ContainerRestartPolicyAlways)
			}
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		}
	}
	if g.chance(0.1) {
		p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: qty(250, "m"), v1.ResourceMemory: qty(120, "Mi")}
	}
	if g.chance(0.07) {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: qty(g.r.Int64N(4000), "m"), v1.ResourceMemory: qty(g.r.Int64N(4*gi), "")}}
	}
	if p.Spec.NodeName != "" && g.chance(0.05) {
		// In-place resize: allocated differs from desired.
		p.Status.ContainerStatuses = []v1.ContainerStatus{{
			Name: "c0", AllocatedResources: g.resourceList(),
			Resources: &v1.ResourceRequirements{Requests: g.resourceList()},
		}}
	}
}

func (g *gen) shapeResources(p *v1.Pod) {
	g.resources(p)
	if g.chance(0.05) {
		p.Spec.NodeName = ""
		p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	if g.chance(0.05) {
		p.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": pick(g, g.nodes...).Name}
	}
	if g.chance(0.1) {
		p.Spec.Tolerations = []v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists}}
	}
	if g.chance(g.nasty) {
		p.Spec.SchedulerName = "no-such-scheduler"
	}
}

func (g *gen) hostPorts(p *v1.Pod) {
	for range 1 + g.r.IntN(2) {
		port := pick(g, int32(80), 8080, 53)
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, v1.ContainerPort{
			ContainerPort: port, HostPort: pick(g, port, port, 0), HostIP: pick(g, "", "", "0.0.0.0", "127.0.0.1", "10.0.0.1"), Protocol: pick(g, v1.ProtocolTCP, v1.ProtocolTCP, v1.ProtocolUDP, ""),
		})
	}
	if g.chance(0.2) {
		p.Spec.InitContainers = append(p.Spec.InitContainers, v1.Container{Name: "side", Image: "busybox", RestartPolicy: ptr(v1.ContainerRestartPolicyAlways),
			Ports: []v1.ContainerPort{{ContainerPort: 9090, HostPort: pick(g, int32(9090), 80), Protocol: v1.ProtocolTCP}}})
	}
}

func (g *gen) shapePorts(p *v1.Pod) { g.hostPorts(p) }

func (g *gen) shapeImages(p *v1.Pod) {
	for i := range g.r.IntN(4) {
		p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: fmt.Sprintf("c%d", i+1), Image: pick(g, imageNames...)})
	}
	if g.chance(0.3) {
		p.Spec.InitContainers = []v1.Container{{Name: "init", Image: pick(g, imageNames...)}}
	}
	if g.chance(0.2) {
		p.Spec.Volumes = []v1.Volume{{Name: "img", VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: pick(g, imageNames...)}}}}
	}
}
