package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// envelope starts every message that has its kind beside it.
var envelope = []byte("k8s\x00")

func unmarshalProto(message []byte, pod *v1.Pod) error {
	if rest, ok := bytes.CutPrefix(message, envelope); ok {
		var unknown runtime.Unknown
		if err := unknown.Unmarshal(rest); err != nil {
			return err
		}
		message = unknown.Raw
	}
	return pod.Unmarshal(message)
}

// kinds has the kinds that are kept, by the folder of their group in k8s.io/api. A type is recognised by the path of
// its package, so that this package imports no version of a group that some release of k8s.io/api lacks.
var kinds = map[string]struct {
	group string
	names []string
}{
	"core": {"", []string{"LimitRange", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod",
		"ReplicationController", "Service"}},
	"storage": {"storage.k8s.io/", []string{"CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass",
		"VolumeAttachment"}},
	"apps": {"apps/", []string{"ReplicaSet", "StatefulSet"}},
	"resource": {"resource.k8s.io/", []string{"DeviceClass", "DeviceTaintRule", "ResourceClaim",
		"ResourceClaimTemplate", "ResourceSlice"}},
	"scheduling": {"scheduling.k8s.io/", []string{"CompositePodGroup", "PodGroup", "PriorityClass"}},
	"node":       {"node.k8s.io/", []string{"RuntimeClass"}},
	"policy":     {"policy/", []string{"PodDisruptionBudget"}},
}

// typeOf returns the apiVersion and kind of an object, which objects from an API server mostly lack.
func typeOf(object runtime.Object) (metav1.TypeMeta, error) {
	version, kind := object.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if kind != "" {
		return metav1.TypeMeta{APIVersion: version, Kind: kind}, nil
	}
	t := reflect.TypeOf(object)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if folder, ok := strings.CutPrefix(t.PkgPath(), "k8s.io/api/"); ok {
		known := kinds[path.Dir(folder)]
		if slices.Contains(known.names, t.Name()) {
			return metav1.TypeMeta{APIVersion: known.group + path.Base(folder), Kind: t.Name()}, nil
		}
	}
	return metav1.TypeMeta{}, &libsched.Error{Code: libsched.ErrUnsupported,
		Msg: fmt.Sprintf("a %T without apiVersion and kind", object)}
}

// appendObject appends an object as JSON, with its apiVersion and kind.
func appendObject(dst []byte, object runtime.Object) ([]byte, error) {
	if object == nil {
		return dst, &libsched.Error{Code: libsched.ErrMisuse, Msg: "a nil object"}
	}
	kind, err := typeOf(object)
	if err != nil {
		return dst, err
	}
	text, err := json.Marshal(object)
	if err != nil {
		return dst, &libsched.Error{Code: libsched.ErrInvalid, Msg: err.Error()}
	}
	if object.GetObjectKind().GroupVersionKind().Kind != "" {
		return append(append(dst, text...), '\n'), nil
	}
	dst = fmt.Appendf(dst, `{"apiVersion":%q,"kind":%q`, kind.APIVersion, kind.Kind)
	if len(text) > 2 {
		dst = append(dst, ',')
	}
	return append(append(dst, text[1:]...), '\n'), nil
}

// parseObjects makes a document of objects. It refuses kinds that the library does not keep.
func parseObjects(objects []runtime.Object) (*libsched.Objects, error) {
	var text []byte
	var err error
	if len(objects) == 0 {
		text = []byte(`{"apiVersion":"v1","kind":"List","items":[]}`) // an empty document is an error
	}
	for i, object := range objects {
		if text, err = appendObject(text, object); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
	}
	parsed, err := libsched.ParseObjects(text, libsched.WithoutDefaults())
	if err != nil {
		return nil, err
	}
	report, err := parsed.ReportJSON()
	if err != nil {
		parsed.Close()
		return nil, err
	}
	var skipped struct{ Skipped []struct{ Kind string } }
	if err := json.Unmarshal(report, &skipped); err != nil {
		parsed.Close()
		return nil, err
	}
	if len(skipped.Skipped) > 0 {
		parsed.Close()
		return nil, &libsched.Error{Code: libsched.ErrUnsupported,
			Msg: "a simulated cluster keeps no objects of kind " + skipped.Skipped[0].Kind}
	}
	return parsed, nil
}
