package libsched

// #include "loop_bridge.h"
// static inline libsched_rc add_fault(libsched_api_server *server, libsched_str verb, libsched_str key,
//                                     libsched_str text, uint32_t times, int64_t slow_ns,
//                                     libsched_error **error) {
//   libsched_api_fault fault = LIBSCHED_API_FAULT_INIT;
//   fault.verb = verb;
//   fault.key = key;
//   fault.error = text;
//   fault.times = times;
//   fault.slow_ns = slow_ns;
//   return libsched_api_server_add_fault(server, &fault, error);
// }
import "C"

import (
	"encoding/json"
	"time"
)

// APIServer is an API server in memory, as far as a scheduler sees one: it keeps objects, tells schedulers of
// each change, binds pods with the conflicts of a real server, deletes pods gracefully, and fails or delays
// requests on demand. It is safe for concurrent use. Errors have the API server's texts.
type APIServer struct {
	h *handle[*C.libsched_api_server]
}

// APIServerOptions says how an API server works. The zero value has no faults and deletes at once.
type APIServerOptions struct {
	Clock *Clock // nil: the machine's. A scheduler on the server must have the same clock
	// Grace is the time after which a deleted pod that has a node leaves; it is terminating meanwhile.
	Grace                 time.Duration
	KeepCalls, KeepEvents bool // for TakeCalls and TakeEvents
	// Of a scheduler's requests FaultRate fail, and SlowRate take up to MostSlow, at random by FaultSeed.
	FaultSeed           uint64
	FaultRate, SlowRate float64 // between 0 and 1
	MostSlow            time.Duration
	// BindVolumes adds a controller that binds PersistentVolumeClaims while a scheduler on the server runs,
	// as upstream's PersistentVolume controller and CSI's provisioners do: to volumes that are there, or to
	// volumes that it makes where the class, the selected node and its CSINode want them. No volume is
	// deleted, whatever the reclaim policy; no claim becomes Lost; CSIStorageCapacities stay as they are.
	// Claims of generic ephemeral volumes are made, and go with their pods.
	BindVolumes   bool
	ProvisionTime time.Duration // with BindVolumes: how long it takes to make a volume
	// ReleaseClaims adds a controller that takes ResourceClaims back while a scheduler on the server runs: pods
	// that have gone or ended reserve none, a claim that nobody reserves any more loses its devices, and one that
	// was made for such a pod is deleted. It makes no claims: MissingClaims does.
	ReleaseClaims bool
}

// APIFault lets requests of a scheduler fail or take time.
type APIFault struct {
	Verb string // "bind", "deletePod", "patchPodStatus" or "patchObject"; "": any
	Key  string // "namespace/name", or the name of an object without namespace; "": any
	// Error is "conflict", "notFound", "timeout", or the error's text; "": the request succeeds.
	Error string
	Times uint32        // how many requests; 0: all
	Slow  time.Duration // the request takes so long, by a virtual clock
}

// APICall is a request that a scheduler has made.
type APICall struct {
	At    int64           `json:"at"` // nanoseconds since 1970 by the server's clock
	Verb  string          `json:"verb"`
	Key   string          `json:"key"`
	Node  string          `json:"node"`  // of "bind"
	Patch json.RawMessage `json:"patch"` // of "patchPodStatus"
	Error string          `json:"error"` // "": it succeeded
}

// APIEvent is an event that was recorded about a pod, or about a claim.
type APIEvent struct {
	At     int64  `json:"at"`
	Key    string `json:"key"`
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Action string `json:"action"`
	Note   string `json:"note"`
	Kind   string `json:"kind"` // "": a pod; "PersistentVolumeClaim" with BindVolumes
}

// NewAPIServer makes an API server without objects. Errors: ErrInvalid (a negative time; a rate that is not
// between 0 and 1; ProvisionTime without BindVolumes).
func NewAPIServer(options APIServerOptions) (*APIServer, error) {
	o := C.libsched_api_server_options{
		struct_size: C.sizeof_libsched_api_server_options, keep_calls: C.bool(options.KeepCalls),
		keep_events: C.bool(options.KeepEvents), grace_ns: C.int64_t(options.Grace),
		fault_seed: C.uint64_t(options.FaultSeed), fault_rate: C.double(options.FaultRate),
		slow_rate: C.double(options.SlowRate), most_slow_ns: C.int64_t(options.MostSlow),
		bind_volumes: C.bool(options.BindVolumes), provision_ns: C.int64_t(options.ProvisionTime),
		release_claims: C.bool(options.ReleaseClaims),
	}
	if options.Clock != nil {
		clock, ok := options.Clock.h.acquire()
		if !ok {
			return nil, closedError(options.Clock)
		}
		defer options.Clock.h.release()
		o.clock = clock
	}
	var ptr *C.libsched_api_server
	var failure *C.libsched_error
	if rc := C.libsched_api_server_create(&o, &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	s := &APIServer{newHandle(ptr, func(p *C.libsched_api_server) { C.libsched_api_server_unref(p) })}
	closeWhenUnreachable(s, s.h)
	return s, nil
}

// Close releases the server. Schedulers on it keep it alive.
func (s *APIServer) Close() {
	if s != nil {
		s.h.close()
	}
}

type serverFunc func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc

func (s *APIServer) call(f serverFunc) error {
	if s == nil {
		return closedError(s)
	}
	ptr, ok := s.h.acquire()
	if !ok {
		return closedError(s)
	}
	defer s.h.release()
	var failure *C.libsched_error
	rc := f(ptr, &failure)
	return takeError(rc, failure)
}

// serverPut has the C functions that put each kind of object.
type serverPut struct {
	pod     func(*C.libsched_api_server, *C.libsched_pod, **C.libsched_error) C.libsched_rc
	node    func(*C.libsched_api_server, *C.libsched_node, **C.libsched_error) C.libsched_rc
	objects func(*C.libsched_api_server, *C.libsched_objects, **C.libsched_error) C.libsched_rc
}

func (s *APIServer) put(object EventObject, put serverPut) error {
	var lent eventObject
	if object == nil {
		return &Error{Code: ErrMisuse, Msg: "no object"}
	}
	if err := object.lend(&lent); err != nil {
		return err
	}
	defer lent.release()
	return s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		switch {
		case lent.pod != nil:
			return put.pod(p, lent.pod, err)
		case lent.node != nil:
			return put.node(p, lent.node, err)
		default:
			return put.objects(p, lent.objects, err)
		}
	})
}

// Create creates a Pod, a Node, or all of Objects, or none; workloads are left out. Errors: ErrExists.
func (s *APIServer) Create(object EventObject) error {
	return s.put(object, serverPut{
		func(p *C.libsched_api_server, pod *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_create_pod(p, pod, err)
		},
		func(p *C.libsched_api_server, node *C.libsched_node, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_create_node(p, node, err)
		},
		func(p *C.libsched_api_server, objects *C.libsched_objects, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_create_objects(p, objects, err)
		},
	})
}

// Update replaces objects by new versions, all or none. Errors: ErrNotFound.
func (s *APIServer) Update(object EventObject) error {
	return s.put(object, serverPut{
		func(p *C.libsched_api_server, pod *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_update_pod(p, pod, err)
		},
		func(p *C.libsched_api_server, node *C.libsched_node, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_update_node(p, node, err)
		},
		func(p *C.libsched_api_server, objects *C.libsched_objects, err **C.libsched_error) C.libsched_rc {
			return C.libsched_api_server_update_objects(p, objects, err)
		},
	})
}

// Delete deletes an object of a kind such as "Pod" or "PersistentVolumeClaim"; the namespace is "" for kinds
// without one. Errors: ErrNotFound, ErrInvalid (another kind).
func (s *APIServer) Delete(kind, namespace, name string) error {
	return s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_delete(p, str(kind), str(namespace), str(name), err)
	})
}

// Bind binds a pod as another scheduler would. Errors: ErrNotFound, ErrExists (a conflict: the pod is being
// deleted or has a node already).
func (s *APIServer) Bind(namespace, name, node string) error {
	return s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_bind(p, str(namespace), str(name), str(node), err)
	})
}

// FinishPod removes a pod that has run to its end. Errors: ErrNotFound.
func (s *APIServer) FinishPod(namespace, name string) error {
	return s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_finish_pod(p, str(namespace), str(name), err)
	})
}

// AddFault adds a fault; the first that fits a request is used. Errors: ErrInvalid (the verb; a negative
// time).
func (s *APIServer) AddFault(fault APIFault) error {
	return s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.add_fault(p, str(fault.Verb), str(fault.Key), str(fault.Error), C.uint32_t(fault.Times),
			C.int64_t(fault.Slow), err)
	})
}

// ClearFaults removes all faults that were added; random ones stay.
func (s *APIServer) ClearFaults() error {
	return s.call(func(p *C.libsched_api_server, _ **C.libsched_error) C.libsched_rc {
		C.libsched_api_server_clear_faults(p)
		return C.LIBSCHED_OK
	})
}

// Pod returns the pod as it is now. Errors: ErrNotFound.
func (s *APIServer) Pod(namespace, name string) (*Pod, error) {
	var ptr *C.libsched_pod
	err := s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_find_pod(p, str(namespace), str(name), &ptr, err)
	})
	if err != nil {
		return nil, err
	}
	return ownPod(ptr), nil
}

// Node returns the node as it is now. Errors: ErrNotFound.
func (s *APIServer) Node(name string) (*Node, error) {
	var ptr *C.libsched_node
	err := s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_find_node(p, str(name), &ptr, err)
	})
	if err != nil {
		return nil, err
	}
	return ownNode(ptr), nil
}

// Objects returns all nodes and pods, in the order of their creation.
func (s *APIServer) Objects() (*Objects, error) {
	var ptr *C.libsched_objects
	err := s.call(func(p *C.libsched_api_server, err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_objects(p, &ptr, err)
	})
	if err != nil {
		return nil, err
	}
	return ownObjects(ptr), nil
}

// Version returns the number of changes, which is the resource version of the latest; 0 after Close.
func (s *APIServer) Version() uint64 {
	var version uint64
	_ = s.call(func(p *C.libsched_api_server, _ **C.libsched_error) C.libsched_rc {
		version = uint64(C.libsched_api_server_version(p))
		return C.LIBSCHED_OK
	})
	return version
}

// TakeCalls returns the requests of schedulers since the last time, with KeepCalls.
func (s *APIServer) TakeCalls() ([]APICall, error) {
	document, err := readText(s, s.h, func(p *C.libsched_api_server, text **C.libsched_text,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_take_calls_json(p, text, err)
	})
	return readJSON[[]APICall]("calls", document, err)
}

// TakeEvents returns the events recorded about pods since the last time, with KeepEvents.
func (s *APIServer) TakeEvents() ([]APIEvent, error) {
	document, err := readText(s, s.h, func(p *C.libsched_api_server, text **C.libsched_text,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_api_server_take_events_json(p, text, err)
	})
	return readJSON[[]APIEvent]("events", document, err)
}
