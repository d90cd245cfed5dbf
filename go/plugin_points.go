package libsched

// #include "plugin_bridge.h"
import "C"

import (
	"fmt"
	"reflect"
)

// point is a plugin interface, the C slots that it fills, and the slots that it requires.
type point struct {
	of    reflect.Type
	slots C.uint32_t
	needs C.uint32_t // at least one of these slots; 0: none
}

var points = []point{
	{reflect.TypeFor[PreFilterPlugin](), C.LSGO_PRE_FILTER, 0},
	{reflect.TypeFor[FilterPlugin](), C.LSGO_FILTER, 0},
	{reflect.TypeFor[FilterBatchPlugin](), C.LSGO_FILTER_BATCH, 0},
	{reflect.TypeFor[PreScorePlugin](), C.LSGO_PRE_SCORE, 0},
	{reflect.TypeFor[ScorePlugin](), C.LSGO_SCORE, 0},
	{reflect.TypeFor[ScoreBatchPlugin](), C.LSGO_SCORE_BATCH, 0},
	{reflect.TypeFor[ScoreExtensions](), C.LSGO_NORMALIZE_SCORE, C.LSGO_SCORE | C.LSGO_SCORE_BATCH},
	{reflect.TypeFor[scoreExtended](), C.LSGO_NORMALIZE_SCORE, C.LSGO_SCORE | C.LSGO_SCORE_BATCH},
	{reflect.TypeFor[ReservePlugin](), C.LSGO_RESERVE, 0},
	{reflect.TypeFor[QueueSortPlugin](), C.LSGO_QUEUE_SORT, 0},
	{reflect.TypeFor[PreEnqueuePlugin](), C.LSGO_PRE_ENQUEUE, 0},
	{reflect.TypeFor[PreFilterExtensions](), C.LSGO_ADD_REMOVE_POD, C.LSGO_PRE_FILTER},
	{reflect.TypeFor[preFilterExtended](), C.LSGO_ADD_REMOVE_POD, C.LSGO_PRE_FILTER},
	{reflect.TypeFor[PostFilterPlugin](), C.LSGO_POST_FILTER, 0},
	{reflect.TypeFor[PermitPlugin](), C.LSGO_PERMIT, 0},
	{reflect.TypeFor[PreBindPlugin](), C.LSGO_PRE_BIND, 0},
	{reflect.TypeFor[BindPlugin](), C.LSGO_BIND, 0},
	{reflect.TypeFor[PostBindPlugin](), C.LSGO_POST_BIND, 0},
	{reflect.TypeFor[SignPlugin](), C.LSGO_SIGN, 0},
	{reflect.TypeFor[EnqueueExtensions](), C.LSGO_EVENTS, 0},
	{reflect.TypeFor[EventSubscriber](), C.LSGO_ON_EVENT, 0},
	{reflect.TypeFor[ForkFollower](), C.LSGO_FORKS, 0},
}

// slotsOf finds the extension points of a plugin's type. A method with the name of an extension point
// but another signature, or with almost the name of one, is an error, because it would never be called; so is
// a type without any.
func slotsOf(plugin reflect.Type) (C.uint32_t, error) {
	if plugin.Kind() == reflect.Interface && plugin == reflect.TypeFor[Plugin]() {
		return 0, fmt.Errorf("its factory returns the interface %v, which does not tell the extension "+
			"points: it must return the plugin's own type", plugin)
	}
	var slots C.uint32_t
	for _, point := range points {
		if plugin.Implements(point.of) {
			slots |= point.slots
			continue
		}
		for i := range point.of.NumMethod() {
			wanted := point.of.Method(i)
			if _, has := plugin.MethodByName(wanted.Name); has && wanted.Name != "Name" {
				return 0, fmt.Errorf("%v has a method %s, but is no %s: %s", plugin, wanted.Name,
					point.of.Name(), missing(plugin, point.of))
			}
		}
	}
	if err := misspelt(plugin); err != nil {
		return 0, err
	}
	if slots == 0 {
		return 0, pointless(plugin)
	}
	for _, point := range points {
		if slots&point.slots != 0 && point.needs != 0 && slots&point.needs == 0 {
			return 0, fmt.Errorf("%v is a %s, but has no extension point that it belongs to", plugin,
				point.of.Name())
		}
	}
	return slots, nil
}

// missing describes the first method that does not match the interface.
func missing(plugin, of reflect.Type) string {
	for i := range of.NumMethod() {
		wanted := of.Method(i)
		method, has := plugin.MethodByName(wanted.Name)
		if !has {
			return fmt.Sprintf("%s%s is missing", wanted.Name, wanted.Type.String()[len("func"):])
		}
		if have := boundType(plugin, method); have != wanted.Type {
			return fmt.Sprintf("%s is %v, not %v", wanted.Name, have, wanted.Type)
		}
	}
	return "its methods differ"
}

// boundType returns a method's type without the receiver.
func boundType(of reflect.Type, method reflect.Method) reflect.Type {
	if of.Kind() == reflect.Interface {
		return method.Type
	}
	t := method.Type
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}
