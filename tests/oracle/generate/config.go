// Random scheduler configurations.

package generate

// randomConfig makes a KubeSchedulerConfiguration.
func (g *gen) randomConfig() {
	type m = map[string]any
	resources := []m{{"name": "cpu", "weight": 1 + g.r.IntN(5)}, {"name": "memory", "weight": 1 + g.r.IntN(5)}}
	if g.chance(0.4) {
		resources = append(resources, m{"name": "example.com/gpu", "weight": 1 + g.r.IntN(10)})
	}
	strategy := m{"type": pick(g, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": resources}
	if strategy["type"] == "RequestedToCapacityRatio" {
		strategy["requestedToCapacityRatio"] = m{"shape": pick(g,
			[]m{{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}},
			[]m{{"utilization": 0, "score": 10}, {"utilization": 40, "score": 3}, {"utilization": 100, "score": 0}},
			[]m{{"utilization": 20, "score": 5}, {"utilization": 70, "score": 10}})}
	}
	fit := m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs", "scoringStrategy": strategy}
	if g.chance(0.3) {
		fit["ignoredResources"] = []string{"example.com/none"}
		fit["ignoredResourceGroups"] = []string{"example.com"}
	}
	args := []m{{"name": "NodeResourcesFit", "args": fit}}
	if g.chance(0.5) {
		args = append(args, m{"name": "NodeResourcesBalancedAllocation", "args": m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesBalancedAllocationArgs", "resources": []m{{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}, {"name": "ephemeral-storage", "weight": 1}}}})
	}
	if g.chance(0.4) {
		args = append(args, m{"name": "NodeAffinity", "args": m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeAffinityArgs", "addedAffinity": m{
			"requiredDuringSchedulingIgnoredDuringExecution":  m{"nodeSelectorTerms": []m{{"matchExpressions": []m{{"key": "kubernetes.io/arch", "operator": "In", "values": []string{"amd64"}}}}}},
			"preferredDuringSchedulingIgnoredDuringExecution": []m{{"weight": 10, "preference": m{"matchExpressions": []m{{"key": "disktype", "operator": "Exists"}}}}}}}})
	}
	if g.chance(0.4) {
		args = append(args, m{"name": "InterPodAffinity", "args": m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "InterPodAffinityArgs", "hardPodAffinityWeight": g.r.IntN(101), "ignorePreferredTermsOfExistingPods": g.chance(0.5)}})
	}
	if g.chance(0.4) {
		args = append(args, m{"name": "PodTopologySpread", "args": m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "PodTopologySpreadArgs", "defaultingType": "List", "defaultConstraints": []m{
			{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": pick(g, "DoNotSchedule", "ScheduleAnyway")}}}})
	}
	prof := m{"schedulerName": "default-scheduler", "pluginConfig": args}
	weights := []m{}
	off := ""
	if g.chance(0.2) {
		off = pick(g, "ImageLocality", "InterPodAffinity", "PodTopologySpread")
	}
	for _, pl := range []string{"TaintToleration", "NodeAffinity", "ImageLocality", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "PodTopologySpread", "InterPodAffinity"} {
		// Score without PreScore is an error upstream, so it is rare.
		if g.chance(0.3) && (pl != off || g.chance(g.nasty)) {
			weights = append(weights, m{"name": pl, "weight": 1 + g.r.IntN(20)})
		}
	}
	plugins := m{"score": m{"enabled": weights}}
	if g.chance(0.3) {
		plugins["filter"] = m{"disabled": []m{{"name": pick(g, "TaintToleration", "NodeResourcesFit", "NodeAffinity", "NodePorts")}}}
	}
	if off != "" {
		plugins["multiPoint"] = m{"disabled": []m{{"name": off}}}
	}
	prof["plugins"] = plugins
	g.config = m{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []m{prof}}
}
