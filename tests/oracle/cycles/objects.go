// The objects of the API server: creating and patching them, and binding claims.

package cycles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// splitKey splits namespace/name; the namespace may be absent.
func splitKey(key string) (string, string) {
	if ns, name, ok := strings.Cut(key, "/"); ok {
		return ns, name
	}
	return "", key
}

func namespaceOf(obj runtime.Object) string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return m.GetNamespace()
}

func resourceOf(obj runtime.Object) (schema.GroupVersionResource, error) {
	kinds, _, err := clientscheme.Scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	gvr, _ := meta.UnsafeGuessKindToResource(kinds[0])
	return gvr, nil
}

// resourceNamed finds a resource by the kind of its objects.
func resourceNamed(kind string) (schema.GroupVersionResource, error) {
	for _, gv := range []string{"v1", "storage.k8s.io/v1", "policy/v1", "apps/v1", "scheduling.k8s.io/v1", groupVersion, "scheduling.k8s.io/v1alpha3", "resource.k8s.io/v1"} {
		g, err := schema.ParseGroupVersion(gv)
		if err != nil {
			return schema.GroupVersionResource{}, err
		}
		if clientscheme.Scheme.Recognizes(g.WithKind(kind)) {
			gvr, _ := meta.UnsafeGuessKindToResource(g.WithKind(kind))
			return gvr, nil
		}
	}
	return schema.GroupVersionResource{}, fmt.Errorf("unknown kind %q", kind)
}

// startTime is the status.startTime of the n-th pod that was created.
func startTime(start time.Time, n int) metav1.Time {
	return metav1.Time{Time: start.Add(-time.Hour + time.Duration(n)*time.Second)}
}

// create adds an object to the API; pods get a start time.
func (r *runner) create(raw json.RawMessage) error {
	obj, err := judge.DecodeObject(raw, nil)
	if err != nil {
		return err
	}
	if p, ok := obj.(*v1.Pod); ok {
		r.created++
		if p.UID == types.UID("Pod/"+judge.PodKey(p)) { // another pod of the same name is another pod
			p.UID = types.UID(fmt.Sprintf("%s#%d", p.UID, r.created))
		}
		if _, err := r.api.pod(p.Namespace, p.Name); err == nil {
			return fmt.Errorf("pod %s exists", judge.PodKey(p))
		}
		// Unbound pods get one as well: preemption uses the current time for pods without a start time,
		// so assumed ones would tie.
		if p.Status.StartTime == nil {
			p.Status.StartTime = new(startTime(r.start, r.created))
		}
	}
	gvr, err := resourceOf(obj)
	if err != nil {
		return err
	}
	return r.api.tracker.Create(gvr, obj, namespaceOf(obj))
}

// patch applies a merge patch to an object, as a client would.
func (r *runner) patch(s *cases.CyclesStep, res *cases.CyclesResult) error {
	gvr, err := resourceNamed(s.Kind)
	if err != nil {
		return err
	}
	ns, name := splitKey(s.Name)
	obj, err := r.api.tracker.Get(gvr, ns, name)
	if err != nil {
		res.Error = err.Error()
		return nil
	}
	old, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	merged, err := jsonpatch.MergePatch(old, s.Patch)
	if err != nil {
		return err
	}
	next, err := clientscheme.Scheme.New(gvr.GroupVersion().WithKind(s.Kind))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(merged, next); err != nil {
		return err
	}
	return r.api.tracker.Update(gvr, next, ns)
}

// bindClaims does the work of the volume controller: it binds claims that volumes
// refer to, and makes volumes for claims with a selected node.
func (r *runner) bindClaims() error {
	pvs, pvcs := v1.SchemeGroupVersion.WithResource("persistentvolumes"), v1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	list, err := r.api.tracker.List(pvcs, v1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"), "")
	if err != nil {
		return err
	}
	claims := list.(*v1.PersistentVolumeClaimList).Items
	slices.SortFunc(claims, func(a, b v1.PersistentVolumeClaim) int { return strings.Compare(a.Name, b.Name) })
	vols, err := r.api.tracker.List(pvs, v1.SchemeGroupVersion.WithKind("PersistentVolume"), "")
	if err != nil {
		return err
	}
	for i := range claims {
		c := &claims[i]
		if c.Spec.VolumeName != "" {
			continue
		}
		var pv *v1.PersistentVolume
		for _, v := range vols.(*v1.PersistentVolumeList).Items {
			if ref := v.Spec.ClaimRef; ref != nil && ref.Namespace == c.Namespace && ref.Name == c.Name {
				pv = v.DeepCopy()
			}
		}
		if pv == nil && c.Annotations["volume.kubernetes.io/selected-node"] == "" {
			continue
		}
		if pv == nil {
			pv = &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "made-for-" + c.Name, UID: types.UID("PersistentVolume/made-for-" + c.Name)},
				Spec: v1.PersistentVolumeSpec{Capacity: c.Spec.Resources.Requests, AccessModes: c.Spec.AccessModes, StorageClassName: *c.Spec.StorageClassName,
					ClaimRef: &v1.ObjectReference{Namespace: c.Namespace, Name: c.Name, UID: c.UID}},
				Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound}}
			err = r.api.tracker.Create(pvs, pv, "")
		} else {
			pv.Status.Phase = v1.VolumeBound
			err = r.api.tracker.Update(pvs, pv, "")
		}
		if err != nil {
			return err
		}
		synctest.Wait()
		c.Spec.VolumeName, c.Status.Phase = pv.Name, v1.ClaimBound
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
		if err := r.api.tracker.Update(pvcs, c, c.Namespace); err != nil {
			return err
		}
		synctest.Wait()
	}
	return nil
}
