// The order of placements, which upstream's plugin makes in that of a map.

package cycles

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/queue"
)

// sortedPlacements is a plugin whose placements are sorted by name.
type sortedPlacements struct {
	fwk.PlacementGeneratePlugin
}

func (s sortedPlacements) GeneratePlacements(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, parent *fwk.Placement) (*fwk.GeneratePlacementsResult, *fwk.Status) {
	out, status := s.PlacementGeneratePlugin.GeneratePlacements(ctx, state, group, parent)
	if out != nil {
		slices.SortFunc(out.Placements, func(a, b *fwk.Placement) int { return cmp.Compare(a.Name, b.Name) })
	}
	return out, status
}

// sortPlacements makes a profile try placements by name.
func sortPlacements(f framework.Framework) {
	plugins := queue.Hidden(reflect.ValueOf(f), "placementGeneratePlugins").Interface().([]fwk.PlacementGeneratePlugin)
	for i, p := range plugins {
		plugins[i] = sortedPlacements{p}
	}
}
