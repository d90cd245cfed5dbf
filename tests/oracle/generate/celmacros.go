// Calls of macros.

package generate

import (
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

func (c *celGen) newVar(t *celgo.Type) (string, func()) {
	c.fresh++
	name := fmt.Sprintf("v%d", c.fresh)
	n := len(c.vars)
	c.vars = append(c.vars, celVar{name, t})
	return name, func() { c.vars = c.vars[:n] }
}

// macroOf makes a macro call with a result of type t, or "".
func (c *celGen) macroOf(t *celgo.Type, depth int) string {
	elem := c.someType(1)
	switch {
	case t.Kind() == types.BoolKind:
		switch c.r.IntN(6) {
		case 0:
			return "has(" + pick(c.gen, `device.attributes["gpu.example.com"].model`, `device.attributes["no.example.com"].x`, `{"a": 1}.a`, `{"a": 1}.b`, "device.driver", `device.capacity["gpu.example.com"].memory`, "device.attributes.nothere") + ")"
		case 1, 2, 3:
			m := pick(c.gen, "all", "exists", "exists_one")
			list := c.expr(celgo.ListType(elem), depth-1)
			if c.chance(0.3) {
				elem = pick(c.gen, types.StringType, types.IntType)
				list = c.expr(celgo.MapType(elem, c.someType(0)), depth-1)
			}
			v, done := c.newVar(elem)
			defer done()
			return list + "." + m + "(" + v + ", " + c.expr(types.BoolType, depth-1) + ")"
		default:
			m := pick(c.gen, "all", "exists", "exists_one", "existsOne")
			list := c.expr(celgo.ListType(elem), depth-1)
			i, done := c.newVar(types.IntType)
			defer done()
			v, done2 := c.newVar(elem)
			defer done2()
			return list + "." + m + "(" + i + ", " + v + ", " + c.expr(types.BoolType, depth-1) + ")"
		}
	case t.Kind() == types.ListKind:
		list := c.expr(celgo.ListType(elem), depth-1)
		v, done := c.newVar(elem)
		defer done()
		out := t.Parameters()[0]
		switch c.r.IntN(6) {
		case 0:
			return list + ".map(" + v + ", " + c.expr(out, depth-1) + ")"
		case 1:
			return list + ".map(" + v + ", " + c.expr(types.BoolType, depth-1) + ", " + c.expr(out, depth-1) + ")"
		case 2:
			i, done := c.newVar(types.IntType)
			defer done()
			return list + ".transformList(" + i + ", " + v + ", " + c.expr(out, depth-1) + ")"
		case 3:
			i, done := c.newVar(types.IntType)
			defer done()
			return list + ".transformList(" + i + ", " + v + ", " + c.expr(types.BoolType, depth-1) + ", " + c.expr(out, depth-1) + ")"
		default:
			same := c.expr(t, depth-1)
			w, done := c.newVar(out)
			defer done()
			if c.chance(0.3) {
				return same + ".sortBy(" + w + ", " + c.expr(pick(c.gen, types.IntType, types.StringType, types.BoolType, types.DoubleType), depth-1) + ")"
			}
			return same + ".filter(" + w + ", " + c.expr(types.BoolType, depth-1) + ")"
		}
	case t.Kind() == types.MapKind:
		key, val := t.Parameters()[0], t.Parameters()[1]
		m := c.expr(celgo.MapType(key, elem), depth-1)
		k, done := c.newVar(key)
		defer done()
		v, done2 := c.newVar(elem)
		defer done2()
		switch c.r.IntN(3) {
		case 0:
			return m + ".transformMap(" + k + ", " + v + ", " + c.expr(val, depth-1) + ")"
		case 1:
			return m + ".transformMap(" + k + ", " + v + ", " + c.expr(types.BoolType, depth-1) + ", " + c.expr(val, depth-1) + ")"
		default:
			return m + ".transformMapEntry(" + k + ", " + v + ", {" + c.expr(key, depth-1) + ": " + c.expr(val, depth-1) + "})"
		}
	case t.TypeName() == "optional_type":
		o := c.expr(celgo.OptionalType(elem), depth-1)
		v, done := c.newVar(elem)
		defer done()
		if c.chance(0.5) {
			return o + ".optMap(" + v + ", " + c.expr(t.Parameters()[0], depth-1) + ")"
		}
		return o + ".optFlatMap(" + v + ", " + c.expr(t, depth-1) + ")"
	}
	init := c.expr(elem, depth-1)
	v, done := c.newVar(elem)
	defer done()
	return "cel.bind(" + v + ", " + init + ", " + c.expr(t, depth-1) + ")"
}

func (c *celGen) macro(depth int) string {
	return c.macroOf(pick(c.gen, types.BoolType, types.BoolType, celgo.ListType(c.someType(1)), celgo.MapType(types.StringType, c.someType(1)), celgo.OptionalType(c.someType(1)), c.someType(0)), depth)
}
