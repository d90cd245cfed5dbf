// Types that implement only some of the extension points of the scripted plugin.

package trace

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	fwk "k8s.io/kube-scheduler/framework"
)

// fakeMethods are the methods of FakeAll in the runtime's order, by name.
var fakeMethods = []string{"Bind", "Filter", "Less", "Name", "Permit", "PostBind", "PostFilter", "PreBind", "PreBindPreFlight",
	"PreEnqueue", "PreFilter", "PreFilterExtensions", "PreScore", "Reserve", "Score", "ScoreExtensions", "SignPod", "Unreserve"}

type pointInfo struct {
	iface   reflect.Type
	methods []string
}

var fakePoints = map[string]pointInfo{
	"preEnqueue": {reflect.TypeFor[fwk.PreEnqueuePlugin](), []string{"PreEnqueue"}},
	"queueSort":  {reflect.TypeFor[fwk.QueueSortPlugin](), []string{"Less"}},
	"preFilter":  {reflect.TypeFor[fwk.PreFilterPlugin](), []string{"PreFilter", "PreFilterExtensions"}},
	"filter":     {reflect.TypeFor[fwk.FilterPlugin](), []string{"Filter"}},
	"postFilter": {reflect.TypeFor[fwk.PostFilterPlugin](), []string{"PostFilter"}},
	"preScore":   {reflect.TypeFor[fwk.PreScorePlugin](), []string{"PreScore"}},
	"score":      {reflect.TypeFor[fwk.ScorePlugin](), []string{"Score", "ScoreExtensions"}},
	"reserve":    {reflect.TypeFor[fwk.ReservePlugin](), []string{"Reserve", "Unreserve"}},
	"permit":     {reflect.TypeFor[fwk.PermitPlugin](), []string{"Permit"}},
	"preBind":    {reflect.TypeFor[fwk.PreBindPlugin](), []string{"PreBind", "PreBindPreFlight"}},
	"bind":       {reflect.TypeFor[fwk.BindPlugin](), []string{"Bind"}},
	"postBind":   {reflect.TypeFor[fwk.PostBindPlugin](), []string{"PostBind"}},
	"sign":       {reflect.TypeFor[fwk.SignPlugin](), []string{"SignPod"}},
}

var maskMu sync.Mutex

// maskedFake returns the plugin as a value of a type that has only the methods
// of the given points: the framework asks the type what a plugin implements.
// The 2^13 types are made on demand: a struct type that embeds *FakeAll, made
// by reflect (thus in writable memory; the tag makes it unique), whose method
// table is cut down before anything looks at it. The result is checked against
// every plugin interface, so a Go release that lays types out differently fails
// here, not in the goldens.
func maskedFake(f *FakeAll) (fwk.Plugin, error) {
	keep := map[string]bool{"Name": true}
	has := map[string]bool{}
	for _, p := range f.spec.Points {
		has[p] = true
		for _, m := range fakePoints[p].methods {
			keep[m] = true
		}
	}
	maskMu.Lock()
	defer maskMu.Unlock()
	t := reflect.StructOf([]reflect.StructField{{
		Name: "FakeAll", Anonymous: true, Type: reflect.TypeFor[*FakeAll](),
		Tag: reflect.StructTag(strings.Join(slices.Sorted(maps.Keys(keep)), ",")),
	}})
	type method struct{ name, mtyp, ifn, tfn int32 }
	type structType struct {
		_ [10]uintptr // abi.StructType
		u struct {
			pkgPath        int32
			mcount, xcount uint16
			moff, _        uint32
		}
		m [64]method
	}
	st := (*structType)((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1])
	switch int(st.u.mcount) {
	case len(fakeMethods):
		if st.u.moff != uint32(unsafe.Sizeof(st.u)) {
			return nil, fmt.Errorf("unexpected layout of a struct type")
		}
		n := 0
		for i, name := range fakeMethods {
			if keep[name] {
				st.m[n] = st.m[i]
				n++
			}
		}
		st.u.mcount, st.u.xcount = uint16(n), uint16(n)
	case len(keep): // cut down before
	default:
		return nil, fmt.Errorf("unexpected number of methods: %d", st.u.mcount)
	}
	for p, info := range fakePoints {
		if t.Implements(info.iface) != has[p] {
			return nil, fmt.Errorf("type for %v: wrong methods for %s", f.spec.Points, p)
		}
	}
	v := reflect.New(t).Elem()
	v.Field(0).Set(reflect.ValueOf(f))
	return v.Interface().(fwk.Plugin), nil
}
