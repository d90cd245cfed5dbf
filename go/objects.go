package libsched

// #include "bridge.h"
import "C"

// Objects holds all objects of one input: a single object, a List, or a stream of documents,
// JSON or YAML, plain or gzip, xz or zstd. It is immutable.
type Objects struct{ h *handle[*C.libsched_objects] }

// Workload is the pod template of a Deployment, StatefulSet, DaemonSet, ReplicaSet, Job or CronJob.
type Workload struct {
	Kind     string
	Replicas int64
	Pod      *Pod // named after the workload
}

// ParseObjects parses a document and accepts all of it or nothing.
// Errors: ErrInvalid with the path, ErrLimit, ErrUnsupported.
func ParseObjects(document []byte, options ...ParseOption) (*Objects, error) {
	return parsed(options, ownObjects, func(o *C.libsched_parse_options, out **C.libsched_objects,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_objects_parse(strOfBytes(document), o, out, err)
	})
}

// LoadObjects reads a file. Errors: as ParseObjects, and ErrIO.
func LoadObjects(path string, options ...ParseOption) (*Objects, error) {
	return parsed(options, ownObjects, func(o *C.libsched_parse_options, out **C.libsched_objects,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_objects_load(str(path), o, out, err)
	})
}

func ownObjects(ptr *C.libsched_objects) *Objects {
	o := &Objects{newHandle(ptr, func(p *C.libsched_objects) { C.libsched_objects_unref(p) })}
	closeWhenUnreachable(o, o.h)
	return o
}

// Close releases the document. Pods and nodes obtained from it stay valid.
func (o *Objects) Close() {
	if o != nil {
		o.h.close()
	}
}

// Pods returns the pods in the document's order; nil after Close.
func (o *Objects) Pods() []*Pod {
	return ask(o.h, func(ptr *C.libsched_objects) []*Pod {
		return listed(C.libsched_objects_pod_count(ptr), func(i C.size_t) *Pod {
			return refPod(C.libsched_objects_get_pod(ptr, i))
		})
	})
}

// Nodes returns the nodes in the document's order; nil after Close.
func (o *Objects) Nodes() []*Node {
	return ask(o.h, func(ptr *C.libsched_objects) []*Node {
		return listed(C.libsched_objects_node_count(ptr), func(i C.size_t) *Node {
			return refNode(C.libsched_objects_get_node(ptr, i))
		})
	})
}

// Workloads returns the pod templates in the document's order; nil after Close.
func (o *Objects) Workloads() []Workload {
	ptr, ok := o.h.acquire()
	if !ok {
		return nil
	}
	defer o.h.release()
	workloads := make([]Workload, C.libsched_objects_workload_count(ptr))
	for i := range workloads {
		var kind C.libsched_str
		var replicas C.int64_t
		pod := C.libsched_objects_get_workload(ptr, C.size_t(i), &kind, &replicas)
		workloads[i] = Workload{goString(kind), int64(replicas), refPod(pod)}
	}
	return workloads
}

// ReportJSON describes the document: {"counts": {kind: n}, "skipped": [{"kind", "count"}],
// "warnings": [{"path", "message"}], "unknownFields": n}.
func (o *Objects) ReportJSON() ([]byte, error) {
	return readText(o, o.h, func(p *C.libsched_objects, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_objects_report_json(p, text, err)
	})
}
