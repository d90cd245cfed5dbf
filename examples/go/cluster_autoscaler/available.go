//go:build libsched

package libschedsnapshot

import (
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// available tells whether a claim has devices that the node can use.
func available(claim *resourceapi.ResourceClaim, node *v1.Node) (bool, error) {
	if claim.Status.Allocation == nil {
		return false, nil
	}
	selector := claim.Status.Allocation.NodeSelector
	if selector == nil {
		return true, nil
	}
	for i := range selector.NodeSelectorTerms {
		if ok, err := matches(&selector.NodeSelectorTerms[i], node); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

var operators = map[v1.NodeSelectorOperator]selection.Operator{
	v1.NodeSelectorOpIn: selection.In, v1.NodeSelectorOpNotIn: selection.NotIn, v1.NodeSelectorOpExists: selection.Exists,
	v1.NodeSelectorOpDoesNotExist: selection.DoesNotExist, v1.NodeSelectorOpGt: selection.GreaterThan, v1.NodeSelectorOpLt: selection.LessThan,
}

// matches tells whether a node fulfils a term, which is not empty.
func matches(term *v1.NodeSelectorTerm, node *v1.Node) (bool, error) {
	for set, requirements := range map[*labels.Set][]v1.NodeSelectorRequirement{
		(*labels.Set)(&node.Labels):  term.MatchExpressions,
		{"metadata.name": node.Name}: term.MatchFields,
	} {
		for _, r := range requirements {
			requirement, err := labels.NewRequirement(r.Key, operators[r.Operator], r.Values)
			if err != nil || !requirement.Matches(*set) {
				return false, err
			}
		}
	}
	return len(term.MatchExpressions)+len(term.MatchFields) > 0, nil
}
