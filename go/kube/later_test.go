package kube

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
)

// Fields that only some releases of k8s.io/api have arrive in the library if this program's release has them, and a
// lookup still allocates nothing.
func TestLaterFields(t *testing.T) {
	c := newCatalog(t, CatalogOptions{})
	plain, err := c.Placed(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}})
	check(t, err)
	for i, x := range []struct{ text, sign string }{
		{`{"spec":{"schedulingGroup":{"podGroupName":"team"}}}`, `"podGroupName":"team"`}, // alone makes the content differ
		{`{"status":{"allocatedResources":{"cpu":"3"}}}`, `"cpu":"3"`},
		{`{"status":{"resources":{"requests":{"cpu":"7"}}}}`, `"cpu":"7"`},
		{`{"spec":{"volumes":[{"name":"v","emptyDir":{"mode":448}}]}}`, `"mode":448`},
		{`{"status":{"nodeAllocatableResourceClaimStatuses":[{"resourceClaimName":"c","resources":{"cpu":"5"}}]}}`,
			`"resources":{"cpu":"5"}`},
		{`{"status":{"nodeAllocatableResourceClaimStatuses":[{"resourceClaimName":"c","containers":["x","y"],` +
			`"mapping":[{"name":"cpu","quantity":"9"}],"overhead":[{"name":"memory","perContainer":"11"}]}]}}`, `"quantity":"9"`},
		{`{"spec":{"containers":[{"name":"c","volumeMounts":[{"name":"m","mountPath":"/m"},` +
			`{"name":"n","mountPath":"/n","bindMountOptions":["noexec"]}]}]}}`, `"bindMountOptions":["noexec"]`},
		{`{"spec":{"volumes":[{"name":"v","projected":{"sources":[{"podCertificate":{"userAnnotations":{"d/a":"b"}}}]}}]}}`, `"d/a":"b"`},
	} {
		var pod v1.Pod
		check(t, json.Unmarshal([]byte(x.text), &pod))
		pod.Name = "p"
		known, err := json.Marshal(&pod)
		check(t, err)
		has := strings.Contains(string(known), x.sign)
		parsed, err := libsched.PodFromFlat(AppendPod(nil, &pod))
		check(t, err)
		text, err := parsed.JSON()
		parsed.Close()
		check(t, err)
		if strings.Contains(string(text), x.sign) != has {
			t.Errorf("the API has it: %v; the library got %s", has, text)
		}
		ref, err := c.Placed(&pod)
		check(t, err)
		if i == 0 && (ref != plain) != has {
			t.Errorf("%s: the API has it: %v; the content differs: %v", x.text, has, ref != plain)
		}
		if n := testing.AllocsPerRun(100, func() { c.Placed(&pod) }); n != 0 {
			t.Errorf("%s: a lookup makes %v allocations", x.text, n)
		}
	}
	var node v1.Node
	check(t, json.Unmarshal([]byte(`{"metadata":{"name":"n"},"status":{"declaredFeatures":["f"]}}`), &node))
	known, err := json.Marshal(&node)
	check(t, err)
	parsed, err := libsched.NodeFromFlat(AppendNode(nil, &node))
	check(t, err)
	defer parsed.Close()
	text, err := parsed.JSON()
	check(t, err)
	if has := strings.Contains(string(known), `["f"]`); has != strings.Contains(string(text), `["f"]`) {
		t.Errorf("the API has it: %v; the library got %s", has, text)
	}
}
