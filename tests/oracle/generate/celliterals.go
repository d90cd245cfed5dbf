// Literals of expressions: texts that mean something to a function, good ones and odd ones.

package generate

import (
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

func (c *celGen) literal(t *celgo.Type) string { return c.literalFor(t, "") }

// celTexts are strings that mean something to a function: good ones, odd ones.
var celTexts = map[string][2][]string{
	"quantity":     {{"1", "40Gi", "1.5", "500m", "-3k", "1e3", "0.1n", "1E", "100Ei", "+1", ".5", "9223372036854775808", "12345678901234567890.123456789012"}, {"x", "", "1Ki "}},
	"semver":       {{"1.2.3", "2.0.0-rc.1", "1.2.3+b", "1.10.0", "2.0.0"}, {"1.0", "v1.2.3", "01.2.3", "", "x", "99999999999999999999.0.0", "1.2.3-01", "1.2.3-a..b"}},
	"ip":           {{"10.0.0.1", "::1", "127.0.0.1", "fe80::1", "0.0.0.0", "::", "2001:DB8::1", "224.0.0.1", "169.254.1.1", "ff02::1"}, {"::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3", "x", "010.0.0.1"}},
	"cidr":         {{"10.0.0.0/8", "192.168.1.5/24", "::/0", "2001:db8::/32", "1.2.3.4/32"}, {"10.0.0.0/33", "10.0.0.0", "x/8", "::ffff:1.2.3.4/96", "10.0.0.0/08"}},
	"url":          {{"https://example.com:8080/a/b?x=1&y=2&x=3#f", "http://user:p@h/", "/path?q", "https://[::1]:443/", "http://ex.com/a%20b", "ftp://h"}, {"x", "", "http://a b/", "https://h/%zz", "http://:80", "http://h:x/"}},
	"duration":     {{"1h", "1h30m", "1.5s", "-2ms", "100us", "5ns", "+5s", "0", "2562047h"}, {"", "x", "1d", "300000h", "9999999h", "1h1"}},
	"timestamp":    {{"2026-01-02T03:04:05Z", "2024-02-29T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "2026-01-01T00:00:00+05:30", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}, {"x", "2026-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "10000-01-01T00:00:00Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05"}},
	"matches":      {{"^a[0-9]+$", "h1|a1", "", ".*", "[[:alpha:]]+", `\\d{3}`, "(?i)A100", "ß", `\\pL+`, "(a)(b)?", "^$", `\\bx`}, {"(", "a{1001}"}},
	"regex":        {{"^a[0-9]+$", "[0-9]", "", "a*", "b|c", `\\w+`, "x?"}, {"("}},
	"format.named": {{"dns1123Label", "uuid", "date", "qualifiedName", "byte", "datetime", "uri", "labelValue"}, {"x"}},
	"validate":     {{"my-name", "a.b.c", "x/y", "550e8400-e29b-41d4-a716-446655440000", "aGVsbG8=", "2026-01-02", "2026-01-02T03:04:05Z", "https://h/p", "My_Name"}, {"", "-a", "1abc"}},
	"tz":           {{"UTC", "Europe/Berlin", "-08:00", "+05:30", "America/New_York", "02:00", "23:59"}, {"x", "", "-0:30"}},
	"format":       {{"%s", "%d and %s", "%.2f", "%x", "%X", "%o", "%b", "%e", "%%", "%s%s", "%.3e", "abc", "%f", "%.0f"}, {"%z", "%", "%5d", "%.1s"}},
	"int":          {{"1", "-5", "007", "+3"}, {"9223372036854775808", "x", "", "1.5", " 1", "0x10"}},
	"bool":         {{"true", "false", "TRUE", "True", "1", "0", "t", "f"}, {"yes", "T", "tRue", ""}},
	"double":       {{"1.5", "NaN", "Infinity", "-inf", ".5", "5.", "0x1p-2"}, {"1e400", "x", "", "1_0"}},
}

var celPlain = []string{"", "a", "a100", "h100", "gpu.example.com", "Ünïcode-ß", "日本語", "hello world", "a,b,,c", "  trim \\t", "😀x", "AbC", "aaa", "x\\n", "\\u00a0y"}

func (c *celGen) text(kind string) string {
	list := celTexts[kind][0]
	if list != nil && c.chance(0.15) {
		list = celTexts[kind][1]
	}
	if list == nil || c.chance(0.05) {
		list = celPlain
	}
	return `"` + list[c.r.IntN(len(list))] + `"`
}

func (c *celGen) literalFor(t *celgo.Type, kind string) string {
	switch t.Kind() {
	case types.BoolKind:
		return pick(c.gen, "true", "false")
	case types.IntKind:
		return pick(c.gen, "0", "1", "2", "3", "-1", "7", "10", "100", "9223372036854775807", "-9223372036854775808", "0x1F", "-0", "4294967296", "253402300800")
	case types.UintKind:
		return pick(c.gen, "0u", "1u", "2u", "7u", "18446744073709551615u", "0xFFu", "9223372036854775808u")
	case types.DoubleKind:
		return pick(c.gen, "0.0", "1.0", "-1.5", "2.5", "1e3", "1e308", "0.1", "-0.0", "9.2233720368547758e18", "3.0", "1e-7", "123456789.125")
	case types.StringKind:
		return c.text(kind)
	case types.BytesKind:
		return pick(c.gen, `b""`, `b"abc"`, `b"\xff\x00"`, `b"ü"`, `b'a'`, `b"\303\274"`)
	case types.NullTypeKind:
		return "null"
	case types.DurationKind:
		return "duration(" + c.text("duration") + ")"
	case types.TimestampKind:
		return "timestamp(" + c.text("timestamp") + ")"
	case types.ListKind:
		var out []string
		for range c.r.IntN(4) {
			out = append(out, c.literal(t.Parameters()[0]))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case types.MapKind:
		var out []string
		for range c.r.IntN(3) {
			out = append(out, c.literal(t.Parameters()[0])+": "+c.literal(t.Parameters()[1]))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case types.DynKind, types.AnyKind:
		if c.chance(0.3) {
			return c.attribute()
		}
		if c.messages && c.chance(0.5) {
			return c.anyMessage()
		}
		return "dyn(" + c.literal(c.scalar()) + ")"
	case types.TypeKind:
		return pick(c.gen, "int", "string", "type(1.0)", "bool", "type(null)", "type([1])", "type({})", "list", "map", "type", "null_type", "google.protobuf.Timestamp", `type(quantity("1"))`, `type(optional.none())`)
	}
	switch t.TypeName() {
	case "optional_type":
		if c.chance(0.4) {
			return "optional.none()"
		}
		return pick(c.gen, "optional.of(", "optional.ofNonZeroValue(") + c.literal(t.Parameters()[0]) + ")"
	case "kubernetes.Quantity":
		if c.chance(0.3) {
			return c.capacity()
		}
		return "quantity(" + c.text("quantity") + ")"
	case "kubernetes.Semver":
		if c.chance(0.3) {
			return "semver(" + c.text("semver") + ", " + pick(c.gen, "true", "false") + ")"
		}
		return "semver(" + c.text("semver") + ")"
	case "kubernetes.URL":
		return "url(" + c.text("url") + ")"
	case "net.IP":
		return "ip(" + c.text("ip") + ")"
	case "net.CIDR":
		return "cidr(" + c.text("cidr") + ")"
	case "kubernetes.NamedFormat":
		return "format." + pick(c.gen, "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime") + "()"
	case "kubernetes.DRADevice":
		return "device"
	}
	return "null"
}
