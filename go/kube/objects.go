package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	storagev1 "k8s.io/api/storage/v1"
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

// typeOf returns the apiVersion and kind of an object, which objects from an API server mostly lack.
func typeOf(object runtime.Object) (metav1.TypeMeta, error) {
	version, kind := object.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if kind != "" {
		return metav1.TypeMeta{APIVersion: version, Kind: kind}, nil
	}
	switch object.(type) {
	case *v1.Namespace, *v1.PersistentVolume, *v1.PersistentVolumeClaim, *v1.ReplicationController, *v1.Service,
		*v1.Pod, *v1.Node:
		version = "v1"
	case *storagev1.CSIDriver, *storagev1.CSINode, *storagev1.CSIStorageCapacity, *storagev1.StorageClass,
		*storagev1.VolumeAttachment:
		version = "storage.k8s.io/v1"
	case *appsv1.ReplicaSet, *appsv1.StatefulSet:
		version = "apps/v1"
	case *resourcev1.DeviceClass, *resourcev1.ResourceClaim, *resourcev1.ResourceClaimTemplate,
		*resourcev1.ResourceSlice:
		version = "resource.k8s.io/v1"
	case *resourcev1beta2.DeviceClass, *resourcev1beta2.ResourceClaim, *resourcev1beta2.ResourceClaimTemplate,
		*resourcev1beta2.ResourceSlice, *resourcev1beta2.DeviceTaintRule:
		version = "resource.k8s.io/v1beta2"
	case *resourcev1beta1.DeviceClass, *resourcev1beta1.ResourceClaim, *resourcev1beta1.ResourceClaimTemplate,
		*resourcev1beta1.ResourceSlice:
		version = "resource.k8s.io/v1beta1"
	case *resourcev1alpha3.DeviceTaintRule:
		version = "resource.k8s.io/v1alpha3"
	case *schedulingv1.PriorityClass:
		version = "scheduling.k8s.io/v1"
	case *schedulingv1alpha2.PodGroup:
		version = "scheduling.k8s.io/v1alpha2"
	case *policyv1.PodDisruptionBudget:
		version = "policy/v1"
	default:
		return metav1.TypeMeta{}, &libsched.Error{Code: libsched.ErrUnsupported,
			Msg: fmt.Sprintf("a %T without apiVersion and kind", object)}
	}
	name := fmt.Sprintf("%T", object)
	return metav1.TypeMeta{APIVersion: version, Kind: name[strings.LastIndexByte(name, '.')+1:]}, nil
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
