package libsched

// #include "plugin_bridge.h"
import "C"

import (
	"fmt"
	"reflect"
)

// misspelt returns an error about a method of a plugin's type that was meant for an extension point, but whose
// name is another one: it would never be called.
func misspelt(plugin reflect.Type) error {
	known := map[string]bool{}
	for _, point := range points {
		for i := range point.of.NumMethod() {
			known[point.of.Method(i).Name] = true
		}
	}
	for i := range plugin.NumMethod() {
		method := plugin.Method(i)
		if known[method.Name] {
			continue
		}
		for _, point := range points {
			for j := range point.of.NumMethod() {
				if wanted := point.of.Method(j); meant(plugin, method, wanted) {
					return fmt.Errorf("%v has a method %s, which is no extension point: did you mean %s?", plugin,
						method.Name, wanted.Name)
				}
			}
		}
	}
	return nil
}

// meant reports whether a method's name is almost that of an extension point that the plugin lacks, and its
// parameters say that this is no accident: they are those of the point, or as many if the name is long.
func meant(plugin reflect.Type, method, wanted reflect.Method) bool {
	if _, has := plugin.MethodByName(wanted.Name); has || wanted.Name == "Name" {
		return false
	}
	if edits(method.Name, wanted.Name) > 2 {
		return false
	}
	have := boundType(plugin, method)
	return have == wanted.Type || len(wanted.Name) > 5 && have.NumIn() == wanted.Type.NumIn()
}

// edits returns how many letters are to be changed, added, removed or exchanged with their neighbour to make
// one name of another; capital letters count as small ones.
func edits(from, to string) int {
	above, last := []int(nil), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row := make([]int, len(to)+1)
		row[0] = i
		for j := 1; j <= len(to); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(from[i-1], to[j-1]))
			if i > 1 && j > 1 && differ(from[i-1], to[j-2]) == 0 && differ(from[i-2], to[j-1]) == 0 {
				row[j] = min(row[j], above[j-2]+1)
			}
		}
		above, last = last, row
	}
	return last[len(to)]
}

func differ(a, b byte) int {
	if a|0x20 == b|0x20 {
		return 0
	}
	return 1
}

// pointless returns the error about a type without any extension point.
func pointless(plugin reflect.Type) error {
	if plugin.Kind() != reflect.Pointer && plugin.Kind() != reflect.Interface {
		if slots, err := slotsOf(reflect.PointerTo(plugin)); err == nil && slots != 0 {
			return fmt.Errorf("%v has no method of an extension point, but *%v has: the factory must return the pointer",
				plugin, plugin)
		}
	}
	return fmt.Errorf("%v has no method of an extension point, such as Filter or Score", plugin)
}
