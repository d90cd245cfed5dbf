// Decoding of the API objects of a case, with what the API server would have filled in.

package judge

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"libsched.dev/tests/oracle/kube"
)

var clusterScoped = map[string]bool{
	"Node": true, "Namespace": true, "PersistentVolume": true, "StorageClass": true, "CSINode": true,
	"CSIDriver": true, "VolumeAttachment": true, "DeviceClass": true, "ResourceSlice": true, "PriorityClass": true, "DeviceTaintRule": true,
}

// DecodeObject decodes one API object and fills in what the API server would
// always have set: namespace and UID. It returns nil for an object that this minor release leaves out.
func DecodeObject(raw []byte, defaulter *runtime.Scheme) (runtime.Object, error) {
	if raw = kube.Translate(raw); raw == nil {
		return nil, nil
	}
	obj, gvk, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if m.GetNamespace() == "" && !clusterScoped[gvk.Kind] {
		m.SetNamespace("default")
	}
	if m.GetUID() == "" {
		id := gvk.Kind + "/" + m.GetName()
		if ns := m.GetNamespace(); ns != "" {
			id = gvk.Kind + "/" + ns + "/" + m.GetName()
		}
		m.SetUID(types.UID(id))
	}
	if m.GetResourceVersion() == "" {
		m.SetResourceVersion("1") // the assume caches need a number
	}
	if defaulter != nil {
		defaulter.Default(obj)
		if p, ok := obj.(*v1.Pod); ok {
			mergeLabelKeys(p)
			kube.CompletePod(p)
		}
	}
	if p, ok := obj.(*v1.Pod); ok && p.Spec.SchedulerName == "" {
		p.Spec.SchedulerName = v1.DefaultSchedulerName
	}
	return obj, nil
}

// mergeLabelKeys does what the API server does to the pod affinity terms of a
// pod that is created; keys that are merged already are left alone.
func mergeLabelKeys(p *v1.Pod) {
	if p.Spec.Affinity == nil {
		return
	}
	merge := func(t *v1.PodAffinityTerm, keys []string, op metav1.LabelSelectorOperator) {
		for _, key := range keys {
			value, ok := p.Labels[key]
			if !ok || t.LabelSelector == nil || slices.ContainsFunc(t.LabelSelector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
				return r.Key == key && r.Operator == op && len(r.Values) == 1
			}) {
				continue
			}
			t.LabelSelector.MatchExpressions = append(t.LabelSelector.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	both := func(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) {
		terms := make([]*v1.PodAffinityTerm, 0, len(required)+len(preferred))
		for i := range required {
			terms = append(terms, &required[i])
		}
		for i := range preferred {
			terms = append(terms, &preferred[i].PodAffinityTerm)
		}
		for _, t := range terms {
			merge(t, t.MatchLabelKeys, metav1.LabelSelectorOpIn)
			merge(t, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
		}
	}
	if a := p.Spec.Affinity.PodAffinity; a != nil {
		both(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := p.Spec.Affinity.PodAntiAffinity; a != nil {
		both(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

// admitPriority does what the Priority admission plugin does.
func admitPriority(p *v1.Pod, classes []*schedulingv1.PriorityClass) {
	if p.Spec.Priority != nil {
		return
	}
	var global *schedulingv1.PriorityClass
	for _, c := range classes {
		if p.Spec.PriorityClassName != "" && c.Name == p.Spec.PriorityClassName {
			global = c
			break
		}
		if p.Spec.PriorityClassName == "" && c.GlobalDefault && (global == nil || c.Value < global.Value) {
			global = c
		}
	}
	var prio int32
	if global != nil {
		prio = global.Value
		p.Spec.PriorityClassName = global.Name
		if p.Spec.PreemptionPolicy == nil {
			p.Spec.PreemptionPolicy = global.PreemptionPolicy
		}
	}
	p.Spec.Priority = &prio
}

// PodKey names a pod in results.
func PodKey(p *v1.Pod) string { return p.Namespace + "/" + p.Name }
