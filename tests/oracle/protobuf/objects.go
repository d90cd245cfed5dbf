package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var texts = []string{"", "a", "zone", "In", "Exists", "NoSchedule", "Always", "true", "Guaranteed",
	"kubernetes.io/hostname", "tab\tquote\"slash\\", "gr\u00fc\u00dfe \u65e5\u672c", "line\nline"}
var amounts = []string{"0", "1", "250m", "1Gi", "100M", "3e3", "500"}

// fill gives a value random contents, less of them the deeper it lies.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*p = resource.MustParse(amounts[r.Intn(len(amounts))])
		return
	case *metav1.Time:
		*p = metav1.NewTime(time.Unix(r.Int63n(2000000000), 0).UTC())
		return
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.Unix(r.Int63n(2000000000), r.Int63n(1000000)*1000).UTC())
		return
	case *intstr.IntOrString:
		*p = intstr.FromInt32(r.Int31n(100))
		if r.Intn(2) == 0 {
			*p = intstr.FromString("30%")
		}
		return
	case *runtime.RawExtension:
		p.Raw = []byte(`{"a":[1,{"b":null}]}`)
		return
	case *metav1.FieldsV1, *metav1.TypeMeta:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.Intn(len(texts))])
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(int64(r.Intn(200) - 50))
	case reflect.Pointer:
		if r.Intn(4+3*depth) < 3 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 || r.Intn(4+3*depth) >= 3 {
			return
		}
		n := r.Intn(3)
		if n == 0 {
			return // a list without elements is no list in protobuf
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := 0; i < n; i++ {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		n := r.Intn(3)
		if n == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for i := 0; i < n; i++ {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key, depth)
			fill(r, value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), depth)
			}
		}
	}
}

type marshaler interface{ Marshal() ([]byte, error) }

func writeObjects(seed int64, count int) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	r := rand.New(rand.NewSource(seed))
	for i := 0; i < count; i++ {
		k := kinds[i/2%len(kinds)]
		if i%2 == 0 {
			k = kinds[r.Intn(2)] // half of them are pods and nodes
		}
		object := reflect.New(reflect.TypeOf(k.object).Elem())
		fill(r, object.Elem(), 0)
		meta := object.Elem().FieldByName("ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
		meta.Name = fmt.Sprintf("object-%d", i)
		meta.ManagedFields = nil
		value := object.Interface().(runtime.Object)
		name := object.Elem().Type().Name()
		value.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(k.apiVersion, name))
		text, err := json.Marshal(value)
		fail(err)
		raw, err := value.(marshaler).Marshal()
		fail(err)
		unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: k.apiVersion, Kind: name}, Raw: raw}
		encoded, err := unknown.Marshal()
		fail(err)
		envelope := bytes.Join([][]byte{[]byte("k8s\x00"), encoded}, nil)
		fmt.Fprintf(out, "%s\t%s\n", text, base64.StdEncoding.EncodeToString(envelope))
	}
}
