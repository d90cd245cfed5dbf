package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// The default plugins with the points at which one without the others can be left out. A profile needs a
// QueueSort and a Bind plugin, and what a plugin does at PreBind no case shows.
var pluginPoints = []struct {
	plugin string
	points []string
}{
	{"DynamicResources", []string{"preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve"}},
	{"VolumeBinding", []string{"preFilter", "filter", "preScore", "score", "reserve"}},
	{"NodeResourcesFit", []string{"preFilter", "filter", "preScore", "score"}},
	{"PodTopologySpread", []string{"preFilter", "filter", "preScore", "score"}},
	{"InterPodAffinity", []string{"preFilter", "filter", "preScore", "score"}},
	{"NodeAffinity", []string{"preFilter", "filter", "preScore", "score"}},
	{"TaintToleration", []string{"filter", "preScore", "score"}},
	{"NodeResourcesBalancedAllocation", []string{"preScore", "score"}},
	{"NodePorts", []string{"preFilter", "filter"}},
	{"VolumeRestrictions", []string{"preFilter", "filter"}},
	{"NodeVolumeLimits", []string{"preFilter", "filter"}},
	{"VolumeZone", []string{"preFilter", "filter"}},
	{"NodeDeclaredFeatures", []string{"preFilter", "filter"}},
	{"ImageLocality", []string{"score"}},
	{"NodeName", []string{"filter"}},
	{"NodeUnschedulable", []string{"filter"}},
	{"SchedulingGates", []string{"preEnqueue"}},
	{"DefaultPreemption", []string{"postFilter"}},
}

// leftOut is a plugin and one or two of its points, or all of them.
type leftOut struct {
	plugin string
	points []string
}

func everyLeftOut() []leftOut {
	var out []leftOut
	for _, p := range pluginPoints {
		for i, one := range p.points {
			out = append(out, leftOut{p.plugin, []string{one}})
			for _, other := range p.points[i+1:] {
				out = append(out, leftOut{p.plugin, []string{one, other}})
			}
		}
		if len(p.points) > 2 {
			out = append(out, leftOut{p.plugin, p.points})
		}
	}
	return out
}

// profilesOfCase is the number of combinations in a case. Consecutive seeds take consecutive combinations.
const profilesOfCase = 8

// pointsLeftOut makes a profile for each combination, and a pod for each profile.
func (g *gen) pointsLeftOut(o Options) {
	type m = map[string]any
	all := everyLeftOut()
	first := int(g.seed % uint64(len(all)) * profilesOfCase)
	profiles := []m{{"schedulerName": "default-scheduler"}}
	o.Pods = profilesOfCase
	next := 0
	g.pending(o, func(p *v1.Pod) {
		one := all[(first+next)%len(all)]
		p.Spec.SchedulerName = fmt.Sprintf("without-%d", next)
		next++
		plugins := m{}
		for _, point := range one.points {
			plugins[point] = m{"disabled": []m{{"name": one.plugin}}}
		}
		profiles = append(profiles, m{"schedulerName": p.Spec.SchedulerName, "plugins": plugins})
		// A pod that fits shows the points after Filter.
		if g.chance(0.5) {
			p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
			if g.chance(0.3) {
				g.shapeDRA(p)
			}
			return
		}
		g.shapeMixed(p)
		if g.chance(0.3) {
			g.shapeVolumes(p)
		}
		if g.chance(0.3) {
			g.shapeDRA(p)
		}
	})
	g.config = m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": profiles}
}
