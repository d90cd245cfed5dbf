// Calls of the declared overloads.

package generate

import (
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"libsched.dev/tests/oracle/cel"
)

func (c *celGen) expr(t *celgo.Type, depth int) string { return c.exprFor(t, depth, "") }

// exprFor makes an expression of type t.
func (c *celGen) exprFor(t *celgo.Type, depth int, kind string) string {
	if c.illTyped && c.chance(0.08) {
		t = c.someType(1)
	}
	if c.chance(0.25) {
		for _, v := range c.vars {
			if v.t.IsExactType(t) && c.chance(0.6) {
				return v.name
			}
		}
	}
	if depth <= 0 || c.chance(0.15) {
		return c.leaf(t, kind)
	}
	if c.chance(0.12) {
		return "(" + c.expr(types.BoolType, depth-1) + " ? " + c.expr(t, depth-1) + " : " + c.expr(t, depth-1) + ")"
	}
	if c.chance(0.12) {
		if e := c.macroOf(t, depth); e != "" {
			return e
		}
	}
	// An overload with this result.
	start := c.r.IntN(len(c.byResult))
	for i := range c.byResult {
		o := c.byResult[(start+i)%len(c.byResult)]
		bound := map[string]*celgo.Type{}
		if !celUnify(o.ResultType(), t, bound) || o.ResultType().Kind() == types.TypeParamKind && c.chance(0.7) {
			continue
		}
		return c.call(o, bound, depth)
	}
	return c.leaf(t, kind)
}

func (c *celGen) leaf(t *celgo.Type, kind string) string {
	if c.chance(0.2) {
		switch t.Kind() {
		case types.StringKind, types.IntKind, types.BoolKind:
			return c.attribute()
		}
	}
	return c.literalFor(t, kind)
}

// celUnify binds the parameters of pattern so that it becomes t.
func celUnify(pattern, t *celgo.Type, bound map[string]*celgo.Type) bool {
	if pattern.Kind() == types.TypeParamKind {
		if b := bound[pattern.TypeName()]; b != nil {
			return b.IsExactType(t)
		}
		bound[pattern.TypeName()] = t
		return true
	}
	if pattern.Kind() != t.Kind() || pattern.TypeName() != t.TypeName() || len(pattern.Parameters()) != len(t.Parameters()) {
		return false
	}
	for i, p := range pattern.Parameters() {
		if !celUnify(p, t.Parameters()[i], bound) {
			return false
		}
	}
	return true
}

func (c *celGen) bind(t *celgo.Type, bound map[string]*celgo.Type) *celgo.Type {
	switch {
	case t.Kind() == types.TypeParamKind:
		if bound[t.TypeName()] == nil {
			bound[t.TypeName()] = c.someType(1)
		}
		return bound[t.TypeName()]
	case t.Kind() == types.ListKind:
		return celgo.ListType(c.bind(t.Parameters()[0], bound))
	case t.Kind() == types.MapKind:
		key := t.Parameters()[0]
		if key.Kind() == types.TypeParamKind && bound[key.TypeName()] == nil {
			bound[key.TypeName()] = pick(c.gen, types.StringType, types.IntType, types.BoolType, types.UintType)
		}
		return celgo.MapType(c.bind(key, bound), c.bind(t.Parameters()[1], bound))
	case t.TypeName() == "optional_type":
		return celgo.OptionalType(c.bind(t.Parameters()[0], bound))
	case t.Kind() == types.TypeKind && len(t.Parameters()) == 1:
		return types.TypeType
	}
	return t
}

// textKind says which strings an argument wants.
func textKind(o cel.Overload, i int) string {
	switch o.Function {
	case "quantity", "isQuantity":
		return "quantity"
	case "semver", "isSemver":
		return "semver"
	case "ip", "isIP", "ip.isCanonical", "containsIP":
		return "ip"
	case "cidr", "isCIDR", "containsCIDR":
		return "cidr"
	case "url", "isURL":
		return "url"
	case "duration", "timestamp", "format.named", "int", "bool", "double":
		return o.Function
	case "uint":
		return "int"
	case "matches":
		if i == 1 {
			return "matches"
		}
	case "find", "findAll":
		if i == 1 {
			return "regex"
		}
	case "format":
		return "format"
	case "validate":
		return "validate"
	}
	if strings.HasPrefix(o.Function, "get") && i == 1 {
		return "tz"
	}
	return ""
}

var celInfix = map[string]string{"_!=_": "!=", "_%_": "%", "_&&_": "&&", "_*_": "*", "_+_": "+", "_-_": "-", "_/_": "/", "_<=_": "<=", "_<_": "<", "_==_": "==", "_>=_": ">=", "_>_": ">", "_||_": "||", "_in_": "in"}

func (c *celGen) call(o cel.Overload, bound map[string]*celgo.Type, depth int) string {
	if o.Function == "lists.range" { // upstream really makes the list: 1 << 40 kills the process
		return "lists.range(" + pick(c.gen, "0", "1", "3", "7", "-1") + ")"
	}
	var args []string
	for i, t := range o.ArgTypes() {
		t = c.bind(t, bound)
		if o.Function == "_?._" && i == 0 {
			t = celgo.MapType(types.StringType, c.bind(celgo.TypeParamType("V"), bound))
		}
		args = append(args, c.exprFor(t, depth-1, textKind(o, i)))
	}
	if op := celInfix[o.Function]; op != "" {
		return "(" + args[0] + " " + op + " " + args[1] + ")"
	}
	switch o.Function {
	case "!_":
		return "!" + args[0]
	case "-_":
		return "-(" + args[0] + ")"
	case "_?_:_":
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case "_[_]":
		return args[0] + "[" + args[1] + "]"
	case "_[?_]":
		return args[0] + "[?" + args[1] + "]"
	case "_?._":
		return args[0] + ".?" + pick(c.gen, "a", "a100", "x")
	}
	if o.IsMemberFunction() {
		target := args[0]
		if strings.HasPrefix(target, "-") || strings.HasPrefix(target, "!") || target[0] >= '0' && target[0] <= '9' {
			target = "(" + target + ")"
		}
		return target + "." + o.Function + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return o.Function + "(" + strings.Join(args, ", ") + ")"
}
