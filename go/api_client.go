package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
)

// APIClient sends the requests of plugins to the API server. Its methods may be called on any
// goroutine. The text of an error becomes part of a Status. Pods stay valid after a call returns.
type APIClient interface {
	Bind(ctx context.Context, pod *Pod, node string) error
	DeletePod(ctx context.Context, pod *Pod) error
	// PatchPodStatus gets a strategic merge patch: {"status": {"conditions": [...],
	// "nominatedNodeName": ...}}.
	PatchPodStatus(ctx context.Context, pod *Pod, patch []byte) error
	// PatchObject gets a JSON merge patch of any other object; cluster-scoped kinds have namespace "".
	PatchObject(ctx context.Context, kind, namespace, name string, patch []byte) error
	Event(ctx context.Context, pod *Pod, event Event)
}

// ObjectClient is an APIClient that creates and deletes objects. Pods whose extended resources a DeviceClass
// provides need it: for an APIClient without these methods, their PreBind is an Error.
type ObjectClient interface {
	APIClient
	// CreateObject gets the JSON of an object that has metadata.generateName instead of a name, a ResourceClaim,
	// and returns that of the object as the API server has created it.
	CreateObject(ctx context.Context, kind, namespace string, object []byte) ([]byte, error)
	DeleteObject(ctx context.Context, kind, namespace, name string) error
}

// Event is an event about a pod for the API server to record.
type Event struct{ Type, Reason, Action, Note string }

func clientOf(h C.uintptr_t, frame *C.lsgo_frame) (APIClient, *call) {
	return cgo.Handle(h).Value().(APIClient), apiClient.begin(frame, nil)
}

// apiClient is the instance to which panics of clients are reported.
var apiClient = &instance{name: "API client"}

//export lsgoApiBind
func lsgoApiBind(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod, node C.libsched_str,
	status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	return c.answer(status, AsStatus(client.Bind(c.ctx, refPod(pod), goString(node))))
}

//export lsgoApiDeletePod
func lsgoApiDeletePod(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod,
	status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	return c.answer(status, AsStatus(client.DeletePod(c.ctx, refPod(pod))))
}

//export lsgoApiPatchPodStatus
func lsgoApiPatchPodStatus(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod, patch C.libsched_str,
	status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	return c.answer(status, AsStatus(client.PatchPodStatus(c.ctx, refPod(pod), []byte(goString(patch)))))
}

//export lsgoApiPatchObject
func lsgoApiPatchObject(h C.uintptr_t, frame *C.lsgo_frame, kind, namespace, name, patch C.libsched_str,
	status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	return c.answer(status, AsStatus(client.PatchObject(c.ctx, goString(kind), goString(namespace),
		goString(name), []byte(goString(patch)))))
}

//export lsgoApiCreateObject
func lsgoApiCreateObject(h C.uintptr_t, frame *C.lsgo_frame, kind, namespace, object C.libsched_str,
	created **C.libsched_objects, status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	creator, can := client.(ObjectClient)
	if !can {
		return c.answer(status, AsStatus(errors.New("the API client has no method CreateObject")))
	}
	made, err := creator.CreateObject(c.ctx, goString(kind), goString(namespace), []byte(goString(object)))
	if err != nil {
		return c.answer(status, AsStatus(err))
	}
	var failure *C.libsched_error
	rc := C.libsched_objects_parse(strOfBytes(made), nil, created, &failure)
	return c.answer(status, AsStatus(takeError(rc, failure)))
}

//export lsgoApiDeleteObject
func lsgoApiDeleteObject(h C.uintptr_t, frame *C.lsgo_frame, kind, namespace, name C.libsched_str,
	status *C.libsched_status) (code C.libsched_code) {
	client, c := clientOf(h, frame)
	defer apiClient.end(c, status, &code)
	deleter, can := client.(ObjectClient)
	if !can {
		return c.answer(status, AsStatus(errors.New("the API client has no method DeleteObject")))
	}
	return c.answer(status, AsStatus(deleter.DeleteObject(c.ctx, goString(kind), goString(namespace), goString(name))))
}

//export lsgoApiEvent
func lsgoApiEvent(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod, kind, reason, action,
	note C.libsched_str) {
	client, c := clientOf(h, frame)
	defer apiClient.endWithout(c)
	client.Event(c.ctx, refPod(pod), Event{goString(kind), goString(reason), goString(action), goString(note)})
	c.returned = true
}
