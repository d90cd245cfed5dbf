//go:build libsched

package libschedsnapshot

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAvailable(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"zone": "a"}}}
	claim := &resourceapi.ResourceClaim{}
	check := func(want bool) {
		t.Helper()
		if ok, err := available(claim, node); ok != want || err != nil {
			t.Error(ok, err)
		}
	}
	check(false)
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	check(true)
	in := func(key, value string) []v1.NodeSelectorRequirement {
		return []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{value}}}
	}
	of := func(terms ...v1.NodeSelectorTerm) {
		claim.Status.Allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: terms}
	}
	of(v1.NodeSelectorTerm{MatchFields: in("metadata.name", "m")})
	check(false)
	of(v1.NodeSelectorTerm{MatchFields: in("metadata.name", "m")}, v1.NodeSelectorTerm{MatchExpressions: in("zone", "a"), MatchFields: in("metadata.name", "n")})
	check(true)
	of(v1.NodeSelectorTerm{MatchExpressions: in("zone", "b"), MatchFields: in("metadata.name", "n")}, v1.NodeSelectorTerm{})
	check(false)
}
