//go:build !k131 && !k132 && !k133 && !k134 && !k135

// What mode dra reads of the API server and of the plugin: claims, taints, allocations.

package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cgotesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"libsched.dev/tests/oracle/cases"
)

// react gives names and resource versions as an API server does.
func (d *draRun) react(action cgotesting.Action) (bool, runtime.Object, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.seq++
	version := fmt.Sprint(d.seq)
	switch a := action.(type) {
	case cgotesting.CreateActionImpl:
		m := a.GetObject().(metav1.Object)
		if m.GetName() == "" {
			m.SetName(m.GetGenerateName() + "new")
		}
		m.SetUID(types.UID("ResourceClaim/" + m.GetNamespace() + "/" + m.GetName()))
		m.SetResourceVersion(version)
	case cgotesting.UpdateActionImpl:
		m := a.GetObject().(metav1.Object)
		old, err := d.client.Tracker().Get(a.GetResource(), m.GetNamespace(), m.GetName())
		if err != nil {
			return true, nil, err
		}
		if old.(metav1.Object).GetResourceVersion() != m.GetResourceVersion() {
			return true, nil, apierrors.NewConflict(a.GetResource().GroupResource(), m.GetName(), errors.New("the object has been modified"))
		}
		m.SetResourceVersion(version)
	case cgotesting.PatchActionImpl:
		handled, obj, err := cgotesting.ObjectReaction(d.client.Tracker())(action)
		if !handled || err != nil {
			return handled, obj, err
		}
		obj = obj.DeepCopyObject()
		obj.(metav1.Object).SetResourceVersion(version)
		return true, obj, d.client.Tracker().Update(action.GetResource(), obj, action.GetNamespace())
	}
	return false, nil, nil
}

func (d *draRun) manager() fwk.SharedDRAManager {
	for _, env := range d.profiles {
		return env.fw.SharedDRAManager()
	}
	return nil
}

// waitForTaints waits until rules have become taints of devices.
func (d *draRun) waitForTaints() error {
	if !utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules) {
		return nil
	}
	rules, err := d.taintRules()
	if err != nil {
		return err
	}
	list, err := d.client.ResourceV1().ResourceSlices().List(d.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	want := 0
	for _, s := range list.Items {
		for _, dev := range s.Spec.Devices {
			want += len(dev.Taints)
			for _, sel := range rules {
				if (sel.Driver == nil || *sel.Driver == s.Spec.Driver) && (sel.Pool == nil || *sel.Pool == s.Spec.Pool.Name) && (sel.Device == nil || *sel.Device == dev.Name) {
					want++
				}
			}
		}
	}
	return d.until("taints", func() (bool, error) {
		slices, err := d.manager().ResourceSlices().ListWithDeviceTaintRules()
		got := 0
		for _, s := range slices {
			for _, dev := range s.Spec.Devices {
				got += len(dev.Taints)
			}
		}
		return got == want && len(slices) == len(list.Items), err
	})
}

func (d *draRun) until(what string, f func() (bool, error)) error {
	for range 5000 {
		ok, err := f()
		if ok || err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("waiting for %s: timeout", what)
}

// changes waits until the scheduler's cache is what the API server has, and
// returns the claims that differ from the last call.
func (d *draRun) changes() (map[string]*cases.DRAClaim, error) {
	list, err := d.client.ResourceV1().ResourceClaims("").List(d.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	sort.Slice(list.Items, func(i, j int) bool {
		a, b := list.Items[i], list.Items[j]
		return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
	})
	err = d.until("claims", func() (bool, error) {
		cached, err := d.manager().ResourceClaims().List()
		if err != nil || len(cached) != len(list.Items) {
			return false, err
		}
		for _, c := range list.Items {
			got, err := d.manager().ResourceClaims().Get(c.Namespace, c.Name)
			if err != nil || got.ResourceVersion != c.ResourceVersion {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Millisecond) // the list of allocated devices follows the cache
	out := map[string]*cases.DRAClaim{}
	now := map[string]string{}
	for _, c := range list.Items {
		key := c.Namespace + "/" + c.Name
		now[key] = c.ResourceVersion
		old, known := d.seen[key]
		if known && old == c.ResourceVersion {
			continue
		}
		dc := &cases.DRAClaim{Finalizers: c.Finalizers, ReservedFor: c.Status.ReservedFor}
		if !known {
			dc.Spec = &c.Spec
		}
		if c.Status.Allocation != nil {
			dc.Allocation = d.allocation(c.Status.Allocation, d.shares)
		}
		out[key] = dc
	}
	for key := range d.seen {
		if _, ok := now[key]; !ok {
			out[key] = nil
		}
	}
	d.seen = now
	return out, nil
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// allocation is JSON without times, and with random share IDs numbered.
func (d *draRun) allocation(a *resourcev1.AllocationResult, shares map[string]string) json.RawMessage {
	a = a.DeepCopy()
	a.AllocationTimestamp = nil
	for i := range a.Devices.Results {
		r := &a.Devices.Results[i]
		if r.ShareID != nil && uuidPattern.MatchString(string(*r.ShareID)) {
			if shares[string(*r.ShareID)] == "" {
				shares[string(*r.ShareID)] = fmt.Sprintf("share-%d", len(shares)+1)
			}
			id := types.UID(shares[string(*r.ShareID)])
			r.ShareID = &id
		}
	}
	raw, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return raw
}

// field reads an unexported field.
func field(v reflect.Value, name string) reflect.Value {
	f := v.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func (d *draRun) allocationsOn(state fwk.CycleState, node string) ([]resourcev1.AllocationResult, *cases.DRAExtendedRequest) {
	s, err := state.Read(dynamicresources.Name)
	if err != nil {
		return nil, nil
	}
	m := field(reflect.ValueOf(s).Elem(), "nodeAllocations")
	v := m.MapIndex(reflect.ValueOf(node))
	if !v.IsValid() {
		return nil, nil
	}
	na := reflect.New(v.Type()).Elem()
	na.Set(v)
	var ext *cases.DRAExtendedRequest
	if claim := field(na, "extendedResourceClaim").Interface().(*resourcev1.ResourceClaim); claim != nil {
		ext = &cases.DRAExtendedRequest{Requests: claim.Spec.Devices.Requests, Mappings: field(na, "containerResourceRequestMappings").Interface().([]v1.ContainerExtendedResourceRequest)}
	}
	return field(na, "allocationResults").Interface().([]resourcev1.AllocationResult), ext
}

// deallocatable lists the claims of which PostFilter picks one.
func (d *draRun) deallocatable(state fwk.CycleState, pod *v1.Pod) []string {
	s, err := state.Read(dynamicresources.Name)
	if err != nil {
		return nil
	}
	v := reflect.ValueOf(s).Elem()
	unavailable := field(v, "unavailableClaims").Interface().(sets.Set[int])
	store := field(v, "claims")
	claims := field(store, "claims").Interface().([]*resourcev1.ResourceClaim)
	user := int(field(store, "numUserOwned").Int())
	var out []string
	for i := range unavailable {
		if i >= user {
			continue
		}
		c := claims[i]
		if len(c.Status.ReservedFor) == 0 || len(c.Status.ReservedFor) == 1 && c.Status.ReservedFor[0].UID == pod.UID {
			out = append(out, c.Namespace+"/"+c.Name)
		}
	}
	sort.Strings(out)
	return out
}
