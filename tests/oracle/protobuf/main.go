// Command protobuf writes what libsched/ingest/protobuf is made from and tested with: the table of
// messages, drawn from the tags of the real Go types, and random objects in both encodings. What 1.37 has
// added to the types of 1.36 stands in added.go.
//
//	protobuf table                 the messages, as C++ initializers
//	protobuf objects SEED COUNT    one line per object: JSON, a tab, base64 of the envelope
package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	batchv1 "k8s.io/api/batch/v1"
	batchv1beta1 "k8s.io/api/batch/v1beta1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	nodev1beta1 "k8s.io/api/node/v1beta1"
	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type kind struct {
	apiVersion string
	object     runtime.Object
}

var kinds = []kind{
	{"v1", &corev1.Pod{}}, {"v1", &corev1.Node{}}, {"v1", &corev1.Namespace{}},
	{"v1", &corev1.ReplicationController{}}, {"v1", &corev1.Service{}},
	{"v1", &corev1.PersistentVolume{}}, {"v1", &corev1.PersistentVolumeClaim{}},
	{"scheduling.k8s.io/v1", &schedulingv1.PriorityClass{}},
	{"scheduling.k8s.io/v1beta1", &schedulingv1beta1.PriorityClass{}},
	{"scheduling.k8s.io/v1alpha1", &schedulingv1.PriorityClass{}},
	{"scheduling.k8s.io/v1alpha2", &schedulingv1alpha2.PodGroup{}},
	{"apps/v1", &appsv1.Deployment{}}, {"apps/v1beta1", &appsv1beta1.Deployment{}},
	{"apps/v1beta2", &appsv1beta2.Deployment{}},
	{"apps/v1", &appsv1.StatefulSet{}}, {"apps/v1beta1", &appsv1beta1.StatefulSet{}},
	{"apps/v1beta2", &appsv1beta2.StatefulSet{}},
	{"apps/v1", &appsv1.DaemonSet{}}, {"apps/v1beta2", &appsv1beta2.DaemonSet{}},
	{"apps/v1", &appsv1.ReplicaSet{}}, {"apps/v1beta2", &appsv1beta2.ReplicaSet{}},
	{"extensions/v1beta1", &extensionsv1beta1.Deployment{}},
	{"extensions/v1beta1", &extensionsv1beta1.DaemonSet{}},
	{"extensions/v1beta1", &extensionsv1beta1.ReplicaSet{}},
	{"batch/v1", &batchv1.Job{}}, {"batch/v1", &batchv1.CronJob{}},
	{"batch/v1beta1", &batchv1beta1.CronJob{}},
	{"storage.k8s.io/v1", &storagev1.StorageClass{}},
	{"storage.k8s.io/v1beta1", &storagev1beta1.StorageClass{}},
	{"storage.k8s.io/v1", &storagev1.CSIDriver{}}, {"storage.k8s.io/v1beta1", &storagev1beta1.CSIDriver{}},
	{"storage.k8s.io/v1", &storagev1.CSIStorageCapacity{}},
	{"storage.k8s.io/v1beta1", &storagev1beta1.CSIStorageCapacity{}},
	{"storage.k8s.io/v1alpha1", &storagev1alpha1.CSIStorageCapacity{}},
	{"storage.k8s.io/v1", &storagev1.CSINode{}}, {"storage.k8s.io/v1beta1", &storagev1beta1.CSINode{}},
	{"storage.k8s.io/v1", &storagev1.VolumeAttachment{}},
	{"storage.k8s.io/v1beta1", &storagev1beta1.VolumeAttachment{}},
	{"storage.k8s.io/v1alpha1", &storagev1alpha1.VolumeAttachment{}},
	{"resource.k8s.io/v1", &resourcev1.DeviceClass{}},
	{"resource.k8s.io/v1beta1", &resourcev1beta1.DeviceClass{}},
	{"resource.k8s.io/v1beta2", &resourcev1beta2.DeviceClass{}},
	{"policy/v1", &policyv1.PodDisruptionBudget{}}, {"policy/v1beta1", &policyv1beta1.PodDisruptionBudget{}},
	{"resource.k8s.io/v1", &resourcev1.ResourceClaim{}},
	{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceClaim{}},
	{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceClaim{}},
	{"resource.k8s.io/v1", &resourcev1.ResourceClaimTemplate{}},
	{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceClaimTemplate{}},
	{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceClaimTemplate{}},
	{"resource.k8s.io/v1", &resourcev1.ResourceSlice{}},
	{"resource.k8s.io/v1beta1", &resourcev1beta1.ResourceSlice{}},
	{"resource.k8s.io/v1beta2", &resourcev1beta2.ResourceSlice{}},
	{"resource.k8s.io/v1beta2", &resourcev1beta2.DeviceTaintRule{}},
	{"node.k8s.io/v1", &nodev1.RuntimeClass{}},
	{"node.k8s.io/v1beta1", &nodev1beta1.RuntimeClass{}},
	{"node.k8s.io/v1alpha1", &nodev1alpha1.RuntimeClass{}},
	{"v1", &corev1.LimitRange{}},
}

// The messages made so far, by their text, so that equal messages of several versions are one.
var (
	messages [][]string
	byText   = map[string]int{}
	byType   = map[reflect.Type]int{}
)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(1)
	}
}

// value names the wire form of a type and the message of a struct.
func value(t reflect.Type) (string, int) {
	switch t {
	case reflect.TypeOf(resource.Quantity{}):
		return "Quantity", 0
	case reflect.TypeOf(metav1.Time{}):
		return "Time", 0
	case reflect.TypeOf(metav1.MicroTime{}):
		return "MicroTime", 0
	case reflect.TypeOf(intstr.IntOrString{}):
		return "IntOrString", 0
	case reflect.TypeOf(metav1.FieldsV1{}):
		return "Skip", 0
	case reflect.TypeOf(runtime.RawExtension{}):
		return "Json", 0
	}
	switch t.Kind() {
	case reflect.String:
		return "String", 0
	case reflect.Bool:
		return "Bool", 0
	case reflect.Int32:
		return "Int32", 0
	case reflect.Int64, reflect.Int:
		return "Int64", 0
	case reflect.Struct:
		return "Message", message(t)
	}
	panic("no wire form of " + t.String())
}

// number is the number of a written field.
func number(field string) int {
	n, err := strconv.Atoi(field[1:strings.IndexByte(field, ',')])
	fail(err)
	return n
}

func message(t reflect.Type) int {
	if n, ok := byType[t]; ok {
		return n
	}
	var fields []string
	all := reflect.VisibleFields(t)
	if more := added[t]; more != nil {
		all = append(all, reflect.VisibleFields(more)...)
	}
	for _, f := range all {
		if len(f.Index) > 1 { // of an embedded struct
			continue
		}
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(tag) < 3 {
			continue
		}
		number := tag[1]
		json := strings.Split(f.Tag.Get("json"), ",")
		flags := []string{}
		of := f.Type
		if of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8 {
			fields = append(fields, fmt.Sprintf("{%s, %q, kSkip, 0, 0}", number, json[0]))
			continue
		}
		switch of.Kind() {
		case reflect.Pointer:
			of = of.Elem()
		case reflect.Slice:
			of = of.Elem()
			flags = append(flags, "kRepeated")
		case reflect.Map:
			of = of.Elem()
			flags = append(flags, "kMap")
		default:
			if strings.Contains(f.Tag.Get("json"), "omitempty") && of.Kind() != reflect.Struct {
				flags = append(flags, "kOmitEmpty")
			}
		}
		if of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			panic("nested list in " + t.String() + "." + f.Name)
		}
		if json[0] == "" {
			if !strings.Contains(f.Tag.Get("json"), "inline") {
				panic("no name: " + t.String() + "." + f.Name)
			}
			flags = append(flags, "kInline")
		}
		form, index := value(of)
		if len(flags) == 0 {
			flags = append(flags, "0")
		}
		fields = append(fields, fmt.Sprintf("{%s, %q, k%s, %s, %d}", number, json[0], form,
			strings.Join(flags, " | "), index))
	}
	sort.SliceStable(fields, func(i, j int) bool { return number(fields[i]) < number(fields[j]) })
	text := strings.Join(fields, ", ")
	n, ok := byText[text]
	if !ok {
		n = len(messages)
		messages = append(messages, fields)
		byText[text] = n
	}
	byType[t] = n
	return n
}

// packed writes items in lines of at most 100 columns.
func packed(items []string) {
	line := "   "
	for _, item := range items {
		if len(line)+len(item)+2 > 100 {
			fmt.Println(line)
			line = "   "
		}
		line += " " + item + ","
	}
	fmt.Println(line)
}

func writeTable() {
	fmt.Print(tableHead)
	fmt.Println("constexpr MessageKind kKinds[] = {")
	for _, k := range kinds {
		t := reflect.TypeOf(k.object).Elem()
		fmt.Printf("    {%q, %q, %d},\n", k.apiVersion, t.Name(), message(t))
	}
	for _, k := range addedKinds {
		fmt.Printf("    {%q, %q, %d},\n", k.apiVersion, k.object.Name(), message(k.object))
	}
	fmt.Println("};\n\nconstexpr MessageField kFields[] = {")
	begins, fields := []string{}, []string{}
	for _, m := range messages {
		begins = append(begins, strconv.Itoa(len(fields)))
		fields = append(fields, m...)
	}
	packed(fields)
	fmt.Println("};\n\nconstexpr uint16_t kBegins[] = {")
	packed(append(begins, strconv.Itoa(len(fields))))
	fmt.Print("};\n" + tableTail)
}

const tableHead = `// The messages of the Kubernetes API that libsched reads. Written by tests/oracle/protobuf from the
// tags of the Go types; messages that are equal in several versions are one.
#include "libsched/ingest/protobuf/message_table.hpp"

namespace libsched {
namespace {

using enum MessageForm;
constexpr uint8_t kRepeated = MessageField::kRepeated, kMap = MessageField::kMap,
                  kOmitEmpty = MessageField::kOmitEmpty, kInline = MessageField::kInline;

// clang-format off
`

const tableTail = `// clang-format on

}  // namespace

std::span<const MessageField> message_fields(uint16_t message) {
  return std::span(kFields).subspan(kBegins[message], kBegins[message + 1] - kBegins[message]);
}

const MessageKind* find_message_kind(Str api_version, Str kind) {
  for (const MessageKind& k : kKinds)
    if (k.kind == kind && k.api_version == api_version) return &k;
  return nullptr;
}

}  // namespace libsched
`

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "table":
		writeTable()
	case len(os.Args) == 4 && os.Args[1] == "objects":
		seed, err := strconv.ParseInt(os.Args[2], 10, 64)
		fail(err)
		count, err := strconv.Atoi(os.Args[3])
		fail(err)
		writeObjects(seed, count)
	default:
		fmt.Fprintln(os.Stderr, "usage: protobuf table | protobuf objects SEED COUNT")
		os.Exit(2)
	}
}
