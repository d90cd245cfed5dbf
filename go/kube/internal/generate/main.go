// Command generate writes the parts of the flat form that follow the API's types: the writer in Go
// (flat_fields_*.go, later_fields.go) and the reader's table (libsched/ingest/flat/flat_fields.cpp).
//
// It walks k8s.io/api by reflection, so that the writer itself needs none. A field's number is its
// protobuf number, which the API never gives away again. It is built with the newest release of k8s.io/api, and asks
// itself, built with the release of go.mod, which fields exist there: the writer names these, and finds later ones when
// the program starts (later.go). Run it in go/kube: go generate ./...
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// read lists, by type, the fields that libsched reads. A type that is not listed is written whole.
var read = map[string]string{
	"Pod":  "metadata spec status",
	"Node": "metadata spec status",
	"ObjectMeta": "name generateName namespace uid resourceVersion generation creationTimestamp " +
		"deletionTimestamp labels annotations ownerReferences",
	"OwnerReference": "apiVersion kind name uid controller",
	"PodSpec": "volumes initContainers containers nodeSelector nodeName hostNetwork affinity " +
		"schedulerName tolerations priorityClassName priority preemptionPolicy overhead runtimeClassName " +
		"topologySpreadConstraints ephemeralContainers hostUsers schedulingGates resourceClaims resources schedulingGroup",
	"Container":                "name image ports resources volumeMounts restartPolicy restartPolicyRules",
	"EphemeralContainer":       "EphemeralContainerCommon",
	"EphemeralContainerCommon": "volumeMounts",
	"VolumeMount":              "bindMountOptions",
	"ContainerPort":            "hostPort containerPort protocol hostIP",
	"ContainerRestartRule":     "action",
	"PodStatus": "phase conditions nominatedNodeName startTime initContainerStatuses containerStatuses " +
		"resourceClaimStatuses extendedResourceClaimStatus allocatedResources resources " +
		"nodeAllocatableResourceClaimStatuses",
	"PodCondition":    "type status reason message",
	"ContainerStatus": "name allocatedResources resources",
	"NodeSpec":        "unschedulable taints podPreemptionPolicy",
	"NodeStatus":      "capacity allocatable conditions nodeInfo images declaredFeatures",
	"NodeCondition":   "type status",
	"NodeSystemInfo":  "kubeletVersion",
}

// identity lists, by type, the fields that no filter of libsched reads: they make up the second part.
var identity = map[string]string{
	"PodMeta":    "name generateName uid resourceVersion generation creationTimestamp annotations",
	"NodeMeta":   "name generateName uid resourceVersion generation creationTimestamp annotations",
	"PodStatus":  "phase conditions nominatedNodeName startTime",
	"NodeStatus": "conditions nodeInfo",
}

var (
	quantity = reflect.TypeFor[resource.Quantity]()
	when     = reflect.TypeFor[metav1.Time]()
	goText   bytes.Buffer
	table    bytes.Buffer
	ofNode   bool               // the labels are a node's
	numbers  = map[string]int{} // of record types in the table
	pending  []reflect.Type
	done     = map[string]bool{}

	listing   = flag.Bool("fields", false, "print the fields of all types, and write nothing")
	oldest    = map[string]bool{} // "v1.Pod.Spec": the fields of go.mod's release, and "v1.Pod": its types
	laterText bytes.Buffer        // the tables of later fields
)

// tombstoned is a field that k8s.io/api of 1.36 alone has, in the status of a claim that takes resources of its node.
var tombstoned = field{number: 3, json: "resources", goName: "Resources", typ: reflect.TypeFor[v1.ResourceList](), omitempty: true}

type field struct {
	number    int
	json      string
	goName    string
	typ       reflect.Type
	omitempty bool
	inline    bool
}

func has(list, name string) bool {
	for _, f := range strings.Fields(list) {
		if f == name {
			return true
		}
	}
	return false
}

func fieldsOf(t reflect.Type) []field {
	wanted, limited := read[t.Name()]
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		proto := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(proto) < 2 {
			continue // TypeMeta
		}
		number, err := strconv.Atoi(proto[1])
		if err != nil || number < 1 || number > 255 {
			log.Fatalf("%s.%s: no protobuf number", t, f.Name)
		}
		if limited && !has(wanted, name) && (name != "" || !has(wanted, f.Name)) {
			continue
		}
		out = append(out, field{number, name, f.Name, f.Type, strings.Contains(options, "omitempty"), name == ""})
	}
	if limited && !*listing && len(out) != len(strings.Fields(wanted)) {
		log.Fatalf("%s: the list of fields has a name that the API lacks", t)
	}
	if t.Name() == "NodeAllocatableResourceClaimStatus" {
		out = append(out, tombstoned)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].number < out[j].number })
	return out
}

func typeNumber(t reflect.Type) int {
	name := goType(t)
	n, ok := numbers[name]
	if !ok {
		n = len(numbers)
		numbers[name] = n
		pending = append(pending, t)
	}
	return n
}

func goType(t reflect.Type) string {
	if strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
		return "metav1." + t.Name()
	}
	return t.String()
}

// item emits the writing of one value of a list or map, as a text, a record or a quantity.
func item(t reflect.Type, x string) (kind string, record int) {
	switch {
	case t == quantity:
		fmt.Fprintf(&goText, "dst = appendQuantity(dst, &%s)\n", x)
		return "kText", -1
	case t.Kind() == reflect.String:
		fmt.Fprintf(&goText, "dst = appendText(dst, string(%s))\n", x)
		return "kText", -1
	case t.Kind() == reflect.Struct:
		fmt.Fprintf(&goText, "dst, mark = begin(dst)\ndst = append%s(dst, &%s)\nend(dst, mark)\n", t.Name(), x)
		return "kRecord", typeNumber(t)
	}
	log.Fatalf("a list or map of %s", t)
	return "", 0
}

func emit(f field) {
	if f.json == "hostname" && f.goName == "" {
		goText.WriteString("dst = appendHostname(dst, v.Labels)\n")
		return
	}
	if f.json == "volumeMounts" || f.json == "ephemeralContainers" { // nearly all have nothing that is read
		fmt.Fprintf(&goText, "dst = append%s(dst, %d, v.%s)\n", f.goName, f.number, f.goName)
		fmt.Fprintf(&table, "    {%d, FlatKind::kRecords, %d, \"%s\"},\n", f.number, typeNumber(f.typ.Elem()), f.json)
		return
	}
	x := "v." + f.goName
	t := f.typ
	kind, record := "", -1
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
		fmt.Fprintf(&goText, "if %s != nil {\n", x)
	}
	deref := x
	if pointer {
		deref = "*" + x
	}
	switch {
	case t == quantity:
		if !pointer {
			fmt.Fprintf(&goText, "{\n")
		}
		fmt.Fprintf(&goText, "dst = appendQuantity(append(dst, %d, typeBytes), &%s)\n", f.number, strings.Trim("("+deref+")", ""))
		kind = "kText"
		fmt.Fprintf(&goText, "}\n")
	case t == when:
		if !pointer {
			fmt.Fprintf(&goText, "{\n")
		}
		fmt.Fprintf(&goText, "if !(%s).IsZero() {\ndst = appendInt(append(dst, %d, typeInt), (%s).Unix())\n}\n}\n", x, f.number, x)
		kind = "kTime"
	case t.Kind() == reflect.Struct:
		if pointer {
			fmt.Fprintf(&goText, "dst, mark = begin(append(dst, %d, typeBytes))\ndst = append%s(dst, %s)\nend(dst, mark)\n}\n", f.number, t.Name(), x)
		} else {
			// An empty record that is no pointer is as if it were absent.
			fmt.Fprintf(&goText, "dst, mark = begin(append(dst, %d, typeBytes))\ndst = append%s(dst, &%s)\n", f.number, t.Name(), x)
			fmt.Fprintf(&goText, "if len(dst) == mark {\ndst = dst[:mark-6]\n} else {\nend(dst, mark)\n}\n")
		}
		kind, record = "kRecord", typeNumber(t)
		if f.inline {
			kind = "kInline"
		}
	case t.Kind() == reflect.String:
		if !pointer {
			fmt.Fprintf(&goText, "if %s != \"\" {\n", x)
		}
		fmt.Fprintf(&goText, "dst = appendText(append(dst, %d, typeBytes), string(%s))\n}\n", f.number, deref)
		kind = "kText"
	case t.Kind() == reflect.Bool:
		if !pointer {
			fmt.Fprintf(&goText, "if %s {\n", x)
		}
		fmt.Fprintf(&goText, "dst = appendBool(append(dst, %d, typeInt), %s)\n}\n", f.number, deref)
		kind = "kBool"
	case t.Kind() == reflect.Int32 || t.Kind() == reflect.Int64:
		if !pointer {
			if f.omitempty {
				fmt.Fprintf(&goText, "if %s != 0 {\n", x)
			} else {
				fmt.Fprintf(&goText, "{\n")
			}
		}
		fmt.Fprintf(&goText, "dst = appendInt(append(dst, %d, typeInt), int64(%s))\n}\n", f.number, deref)
		kind = "kInt"
	case t.Kind() == reflect.Slice:
		fmt.Fprintf(&goText, "if len(%s) != 0 {\nvar list int\ndst, list = begin(append(dst, %d, typeBytes))\nfor i := range %s {\n", x, f.number, x)
		if t.Elem().Kind() == reflect.Uint8 {
			log.Fatalf("%s: bytes", f.json)
		}
		k, r := item(t.Elem(), x+"[i]")
		fmt.Fprintf(&goText, "}\nend(dst, list)\n}\n")
		kind, record = map[string]string{"kText": "kTexts", "kRecord": "kRecords"}[k], r
	case t.Kind() == reflect.Map:
		fmt.Fprintf(&goText, "if len(%s) != 0 {\n", x)
		if t.Elem() == quantity {
			fmt.Fprintf(&goText, "dst = appendResources(append(dst, %d, typeBytes), %s)\n}\n", f.number, x)
		} else if t.Elem().Kind() == reflect.String {
			name := "appendTexts"
			if ofNode && f.json == "labels" {
				name = "appendNodeLabels"
			}
			fmt.Fprintf(&goText, "dst = %s(append(dst, %d, typeBytes), %s)\n}\n", name, f.number, x)
		} else {
			log.Fatalf("%s: a map of %s", f.json, t.Elem())
		}
		kind = "kMap"
	default:
		log.Fatalf("%s is a %s", f.json, t)
	}
	fmt.Fprintf(&table, "    {%d, FlatKind::%s, %d, \"%s\"},\n", f.number, kind, record, f.json)
}

// emitTable is emit for the reader's table alone.
func emitTable(f field) {
	saved := goText
	goText = bytes.Buffer{}
	emit(f)
	goText = saved
}

// laterFields returns the table of fields that are found when the program starts.
func laterFields(fields []field) string {
	var out strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&out, "{name: %q, number: %d", f.goName, f.number)
		t := f.typ
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		kind, pointer := t.Kind(), f.typ.Kind() == reflect.Pointer
		records := kind == reflect.Slice && t.Elem().Kind() == reflect.Struct
		many := kind == reflect.Map || records || kind == reflect.Slice && t.Elem().Kind() == reflect.String
		switch {
		case t == when || kind == reflect.Slice && !many || pointer && many || !pointer && !many && kind != reflect.String:
			log.Fatalf("%s: later.go writes no %s", f.goName, f.typ)
		case records:
			fmt.Fprintf(&out, ", fields: []laterField{%s}", laterFields(fieldsOf(t.Elem())))
		case t == quantity || kind != reflect.Struct:
		case oldest[goType(t)]:
			fmt.Fprintf(&out, ", write: laterRecord(append%s)", t.Name())
		default:
			fmt.Fprintf(&out, ", fields: []laterField{%s}", laterFields(fieldsOf(t)))
		}
		out.WriteString("},")
	}
	return out.String()
}

func function(name string, t reflect.Type, fields []field) {
	fmt.Fprintf(&goText, "\nfunc append%s(dst []byte, v *%s) []byte {\n", name, goType(t))
	saved := goText
	goText = bytes.Buffer{}
	var later []field
	for _, f := range fields {
		switch {
		case f.goName != "" && !oldest[goType(t)+"."+f.goName]:
			later = append(later, f)
			emitTable(f)
		case len(later) > 0:
			log.Fatalf("%s.%s follows a later field", t, f.goName)
		default:
			emit(f)
		}
	}
	if len(later) > 0 {
		fmt.Fprintf(&goText, "dst = later%s.append(dst, unsafe.Pointer(v))\n", name)
		fmt.Fprintf(&laterText, "\tlater%s = findLater[%s]([]laterField{%s})\n", name, goType(t), laterFields(later))
	}
	body := goText.String()
	goText = saved
	if strings.Contains(body, "mark") {
		goText.WriteString("var mark int\n")
	}
	goText.WriteString(body)
	goText.WriteString("return dst\n}\n")
}

// split writes the two functions of a type that both parts hold a share of.
func split(name string, t reflect.Type) {
	keep := table.Len()
	for i, suffix := range []string{"Content", "Identity"} {
		var fields []field
		for _, f := range fieldsOf(t) {
			// A node's labels are divided: the hostname belongs to the second part.
			hostname := name == "NodeMeta" && f.json == "labels"
			if hostname && i == 1 {
				f.goName, f.json = "", "hostname"
			}
			if hostname || has(identity[name], f.json) == (i == 1) {
				fields = append(fields, f)
			}
		}
		ofNode = name == "NodeMeta"
		function(name+suffix, t, fields)
		ofNode = false
	}
	table.Truncate(keep)
}

// list prints the fields of all types.
func list() {
	for len(pending) > 0 {
		t := pending[0]
		pending = pending[1:]
		fmt.Println(goType(t))
		for _, f := range fieldsOf(t) {
			fmt.Println(goType(t) + "." + f.goName)
			emitTable(f)
		}
	}
}

// askOldest fills `oldest`.
func askOldest() {
	command := exec.Command("go", "run", "./internal/generate", "-fields")
	command.Stderr = os.Stderr
	text, err := command.Output()
	must(err)
	for _, name := range strings.Fields(string(text)) {
		oldest[name] = true
	}
}

func main() {
	flag.Parse()
	typeNumber(reflect.TypeFor[v1.Pod]())
	typeNumber(reflect.TypeFor[v1.Node]())
	if *listing {
		list()
		return
	}
	askOldest()
	var ranges []string
	total := 0
	for len(pending) > 0 {
		t := pending[0]
		pending = pending[1:]
		fields := fieldsOf(t)
		ranges = append(ranges, fmt.Sprintf("    {%d, %d},  // %s\n", total, len(fields), t.Name()))
		total += len(fields)
		saved, savedLater := goText.Len(), laterText.Len()
		if !oldest[goType(t)] { // the table of the record that has it writes it
			for _, f := range fields {
				emitTable(f)
			}
		} else {
			function(t.Name(), t, fields)
		}
		if t.Name() == "Pod" || t.Name() == "Node" || t.Name() == "PodStatus" || t.Name() == "NodeStatus" {
			goText.Truncate(saved)
			laterText.Truncate(savedLater) // the parts have functions of their own
		}
		if done[t.Name()] {
			log.Fatalf("two types are called %s", t.Name())
		}
		done[t.Name()] = true
	}
	meta := reflect.TypeFor[metav1.ObjectMeta]()
	split("PodMeta", meta)
	split("NodeMeta", meta)
	split("PodStatus", reflect.TypeFor[v1.PodStatus]())
	split("NodeStatus", reflect.TypeFor[v1.NodeStatus]())

	writeGo(strings.SplitAfter(goText.String(), "return dst\n}\n"))
	write("later_fields.go", "var (\n"+laterText.String()+")\n")
	var cpp bytes.Buffer
	cpp.WriteString("// Made by go/kube/internal/generate from the API's types: the fields of each record, by number.\n" +
		"#include \"libsched/ingest/flat/flat_fields.hpp\"\n\nnamespace libsched {\nnamespace {\n\n// clang-format off\nconstexpr FlatField kFields[] = {\n")
	cpp.Write(table.Bytes())
	cpp.WriteString("};\n\nconstexpr FlatRecord kRecords[] = {\n")
	for _, r := range ranges {
		cpp.WriteString(r)
	}
	cpp.WriteString("};\n// clang-format on\n\n}  // namespace\n\n" +
		"std::span<const FlatField> flat_fields(int record) {\n" +
		"  const FlatRecord& r = kRecords[record];\n  return std::span(kFields).subspan(r.begin, r.count);\n}\n\n}  // namespace libsched\n")
	must(os.WriteFile("../../libsched/ingest/flat/flat_fields.cpp", cpp.Bytes(), 0o644))
}

// writeGo divides the functions among files of a bearable length.
func writeGo(functions []string) {
	const most = 600
	for number := 1; len(functions) > 0; number++ {
		var body strings.Builder
		for lines := 0; len(functions) > 0 && (lines == 0 || lines+strings.Count(functions[0], "\n") < most); {
			lines += strings.Count(functions[0], "\n")
			body.WriteString(functions[0])
			functions = functions[1:]
		}
		write(fmt.Sprintf("flat_fields_%d.go", number), body.String())
	}
}

// write writes a file in Go.
func write(name, body string) {
	head := "// Code generated by internal/generate. DO NOT EDIT.\n\npackage kube\n\nimport (\n"
	for _, used := range []struct{ sign, path string }{{"unsafe.", `"unsafe"`}, {"v1.", `v1 "k8s.io/api/core/v1"`},
		{"metav1.", `metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"`}} {
		if regexp.MustCompile(`\b` + used.sign).MatchString(body) {
			head += used.path + "\n"
		}
	}
	text, err := format.Source([]byte(head + ")\n" + body))
	if err != nil {
		log.Fatal(err)
	}
	must(os.WriteFile(name, text, 0o644))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
