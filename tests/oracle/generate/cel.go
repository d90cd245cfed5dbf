// Kind cel: expressions made from the declarations of the environment of device selectors.

package generate

import (
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	dracel "k8s.io/dynamic-resource-allocation/cel"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/cel"
)

func init() {
	kinds["cel"] = func(g *gen, o Options) { newCELGen(g).spec() }
	kinds["celany"] = func(g *gen, o Options) {
		c := newCELGen(g)
		c.messages = true
		c.spec()
	}
}

type celGen struct {
	*gen
	byResult []cel.Overload
	vars     []celVar
	fresh    int
	illTyped bool // somewhere a type is wrong on purpose
	messages bool // kind celany: messages of google.protobuf.Any
}

type celVar struct {
	name string
	t    *celgo.Type
}

var celTable = sync.OnceValue(func() []cel.Overload {
	env := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true}).CompileCELExpression("true", dracel.Options{}).Environment
	var out []cel.Overload
	for _, o := range cel.Overloads(env) {
		if strings.HasPrefix(o.Function, "@") || strings.HasPrefix(o.Function, "__") || strings.HasPrefix(o.Function, "cel.@") || o.Function == "in" {
			continue // internal names of operators and macros
		}
		if strings.Contains(o.ResultType().String(), "authorization") || len(o.ArgTypes()) > 0 && strings.Contains(o.ArgTypes()[0].String(), "authorization") {
			continue // no authorizer variable
		}
		out = append(out, o)
	}
	return out
})

func newCELGen(g *gen) *celGen {
	return &celGen{gen: g, byResult: celTable()}
}

const celDomain = "gpu.example.com"

// spec makes the expression first and then the devices, so that literals can
// hit what devices have.
func (c *celGen) spec() {
	s := &cases.CELSpec{}
	c.illTyped = c.chance(c.nasty * 2)
	table := c.byResult
	switch c.r.IntN(8) {
	case 0, 1: // a device selector as people write them
		s.Expression = c.selector()
	case 2, 3, 4: // any value
		s.Any = true
		o := table[c.r.IntN(len(table))]
		s.Expression = c.call(o, map[string]*celgo.Type{}, 2)
	case 5:
		s.Any = true
		s.Expression = c.expr(c.someType(2), 3)
	case 6:
		s.Any = true
		s.Expression = c.macro(3)
	default:
		s.Expression = c.expr(types.BoolType, 4)
	}
	if c.chance(c.nasty) {
		s.Expression = c.garble(s.Expression)
	}
	if c.chance(0.03) {
		s.CostLimit = ptr(uint64(c.r.IntN(40)))
	}
	for range 1 + c.r.IntN(4) {
		s.Devices = append(s.Devices, c.device())
	}
	c.cel = s
}

// garble breaks the syntax.
func (c *celGen) garble(e string) string {
	i := c.r.IntN(len(e) + 1)
	switch c.r.IntN(4) {
	case 0:
		return e[:i]
	case 1:
		return e[:i] + pick(c.gen, "(", ")", "]", "\"", "&", "=", "@", "`", "\x01", "..", "?", ":", "for", "//", "é", "1x", "0x", "'''", "\\") + e[i:]
	case 2:
		j := i + c.r.IntN(min(5, len(e)-i+1))
		return e[:i] + e[j:]
	default:
		return e + pick(c.gen, " &&", " ||", ")", " ? true", "// end", "\n", " in", ".x", "()", "[0]")
	}
}

func (c *celGen) device() cases.CELDevice {
	d := cases.CELDevice{Driver: pick(c.gen, celDomain, celDomain, celDomain, "nic.example.com"), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}, Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{}}
	if c.chance(0.3) {
		d.AllowMultipleAllocations = ptr(c.chance(0.7))
	}
	set := func(name string, a resourcev1.DeviceAttribute) {
		if c.chance(0.8) {
			d.Attributes[resourcev1.QualifiedName(name)] = a
		}
	}
	set("model", resourcev1.DeviceAttribute{StringValue: ptr(pick(c.gen, "a100", "h100", "l4", "", "Ünïcode-ß", "a100-sxm4-80gb"))})
	set("numa", resourcev1.DeviceAttribute{IntValue: ptr(pick(c.gen, int64(0), 1, 7, -1, 9223372036854775807))})
	set("ecc", resourcev1.DeviceAttribute{BoolValue: ptr(c.chance(0.5))})
	set("version", resourcev1.DeviceAttribute{VersionValue: ptr(pick(c.gen, "1.2.3", "2.0.0-rc.1", "2.0.0", "10.0.0+build.5"))})
	set("mixed", pick(c.gen, resourcev1.DeviceAttribute{IntValue: ptr(int64(3))}, resourcev1.DeviceAttribute{StringValue: ptr("3")}, resourcev1.DeviceAttribute{BoolValue: ptr(true)}, resourcev1.DeviceAttribute{VersionValue: ptr("3.0.0")}))
	set("dra.example.org/pcieRoot", resourcev1.DeviceAttribute{StringValue: ptr(pick(c.gen, "pci0000:00", "pci0000:80"))})
	if c.chance(c.nasty / 2) {
		set("broken", pick(c.gen, resourcev1.DeviceAttribute{}, resourcev1.DeviceAttribute{VersionValue: ptr("v1")}, resourcev1.DeviceAttribute{IntValues: []int64{1, 2}}))
	}
	capacity := func(name, q string) {
		if c.chance(0.8) {
			d.Capacity[resourcev1.QualifiedName(name)] = resourcev1.DeviceCapacity{Value: resource.MustParse(q)}
		}
	}
	capacity("memory", pick(c.gen, "24Gi", "40Gi", "80Gi", "0", "42949672960", "1e3"))
	capacity("cores", pick(c.gen, "1", "500m", "108", "9223372036854775807", "1.5"))
	capacity("dra.example.org/bandwidth", pick(c.gen, "10G", "100G"))
	return d
}

// access is an attribute or capacity of the device.
func (c *celGen) attribute() string {
	name := pick(c.gen, "model", "numa", "ecc", "version", "mixed", "missing")
	base := `device.attributes["` + pick(c.gen, celDomain, celDomain, celDomain, "no.example.com") + `"]`
	if c.chance(0.1) {
		return `device.attributes["dra.example.org"].pcieRoot`
	}
	switch c.r.IntN(6) {
	case 0:
		return base + `["` + name + `"]`
	case 1:
		return base + "[?\"" + name + "\"].orValue(" + c.literal(c.scalar()) + ")"
	case 2:
		return base + ".?" + name + pick(c.gen, ".orValue("+c.literal(c.scalar())+")", ".value()", ".hasValue()")
	default:
		return base + "." + name
	}
}

func (c *celGen) capacity() string {
	base := `device.capacity["` + pick(c.gen, celDomain, celDomain, "dra.example.org", "no.example.com") + `"]`
	return base + "." + pick(c.gen, "memory", "cores", "bandwidth", "missing")
}

// selector is what users write.
func (c *celGen) selector() string {
	dev := `device.attributes["gpu.example.com"]`
	str := func() string { return c.literal(types.StringType) }
	atom := func() string {
		switch c.r.IntN(16) {
		case 0:
			return `device.driver == "` + pick(c.gen, celDomain, "nic.example.com") + `"`
		case 1:
			return dev + `.model == "` + pick(c.gen, "a100", "h100") + `"`
		case 2:
			return dev + `.model in ["a100", "` + pick(c.gen, "h100", "l4") + `"]`
		case 3:
			return dev + `.numa ` + pick(c.gen, "==", "<", ">=", "!=") + ` ` + pick(c.gen, "0", "1", "1.5", "1u", `"1"`)
		case 4:
			return dev + ".ecc"
		case 5:
			return "!" + dev + ".ecc"
		case 6:
			return `device.capacity["gpu.example.com"].memory.` + pick(c.gen, `compareTo(quantity("40Gi")) >= 0`, `isGreaterThan(quantity("30Gi"))`, `isLessThan(quantity("80Gi"))`, `asInteger() > 1000`, `sub(quantity("1Gi")).compareTo(quantity("39Gi")) == 0`)
		case 7:
			return dev + `.version.` + pick(c.gen, `isGreaterThan(semver("1.9.0"))`, `compareTo(semver("2.0.0")) < 0`, `isLessThan(semver("v3", true))`, `major() == 2`)
		case 8:
			return "has(" + dev + pick(c.gen, ".model", ".missing", ".numa") + ")"
		case 9:
			return `"` + pick(c.gen, celDomain, "no.example.com") + `" in device.attributes`
		case 10:
			return dev + `.model.` + pick(c.gen, `matches("^[ah]100")`, `startsWith("a")`, `contains("100")`, `lowerAscii().endsWith("gb")`, `size() > 3`)
		case 11:
			return `cel.bind(g, ` + dev + `, g.model == "a100" && g.numa == ` + pick(c.gen, "0", "1") + `)`
		case 12:
			return "device.allowMultipleAllocations"
		case 13:
			return `device.attributes["dra.example.org"].pcieRoot == "pci0000:00"`
		case 14:
			return dev + `.?missing.orValue(` + pick(c.gen, "true", "false", "0", `"x"`) + `) == ` + pick(c.gen, "true", "0", `"x"`)
		default:
			return c.attribute() + pick(c.gen, " == ", " != ", " < ") + pick(c.gen, str(), c.literal(types.IntType), c.attribute())
		}
	}
	e := atom()
	for range c.r.IntN(4) {
		switch c.r.IntN(5) {
		case 0, 1:
			e += " && " + atom()
		case 2:
			e += " || " + atom()
		case 3:
			e = "(" + e + ") && (" + atom() + ")"
		default:
			e = "(" + e + ") ? (" + atom() + ") : (" + atom() + ")"
		}
	}
	return e
}

func (c *celGen) scalar() *celgo.Type {
	return pick(c.gen, types.BoolType, types.IntType, types.StringType, types.IntType, types.StringType, types.UintType, types.DoubleType)
}

func (c *celGen) someType(depth int) *celgo.Type {
	if depth > 0 {
		switch c.r.IntN(8) {
		case 0:
			return celgo.ListType(c.someType(depth - 1))
		case 1:
			return celgo.MapType(pick(c.gen, types.StringType, types.IntType, types.BoolType), c.someType(depth-1))
		case 2:
			return celgo.OptionalType(c.someType(depth - 1))
		}
	}
	return pick(c.gen, types.BoolType, types.IntType, types.StringType, types.UintType, types.DoubleType, types.BytesType, types.DurationType, types.TimestampType,
		celgo.ObjectType("kubernetes.Quantity"), celgo.ObjectType("kubernetes.Semver"), celgo.ObjectType("kubernetes.URL"), celgo.OpaqueType("net.IP"), celgo.OpaqueType("net.CIDR"), celgo.ObjectType("kubernetes.NamedFormat"))
}
