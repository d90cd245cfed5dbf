package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"encoding/json"
	"runtime/cgo"
	"sync"
)

// Services holds what a scheduler has besides its cluster: the clock, the API client, and the nominated
// and waiting pods. Every cluster has Services ([Cluster.Services]); several clusters may share them. They
// are safe for concurrent use.
type Services struct {
	core *servicesCore
}

// servicesCore is the part of Services that the cleanup closes; it must not point to its Services.
type servicesCore struct {
	handle[*C.libsched_services]
	// Queries that read nominated pods share mu, changes lock it; waiting pods do not need it.
	mu sync.RWMutex
}

// openServices holds the open services, for plugins that get them from C.
var openServices = struct {
	sync.Mutex
	by map[*C.libsched_services]*servicesCore
}{by: map[*C.libsched_services]*servicesCore{}}

// ServicesOptions says how services are made. The zero value has a virtual clock that stands still in the
// year 2200 (deadlines of calls then use the machine's time), and an API client that only records requests.
type ServicesOptions struct {
	Clock *Clock
	API   APIClient
	// RandomPreemption makes preemption start at a node drawn by Seed, as upstream does. By default it
	// starts at PreemptionOffset.
	RandomPreemption bool
	Seed             uint64
	// PreemptionOffset is where preemption starts among the nodes where it might help, counted from the
	// first one in the node order and going round.
	PreemptionOffset uint64
}

// NewServices returns new services. Errors: ErrMisuse (a closed clock).
func NewServices(options ServicesOptions) (*Services, error) {
	var clock *C.libsched_clock
	if options.Clock != nil {
		ptr, ok := options.Clock.h.acquire()
		if !ok {
			return nil, closedError(options.Clock)
		}
		defer options.Clock.h.release()
		clock = ptr
	}
	var api cgo.Handle
	if options.API != nil {
		api = cgo.NewHandle(options.API)
	}
	var ptr *C.libsched_services
	var failure *C.libsched_error
	if rc := C.lsgo_services_create(C.bool(options.RandomPreemption), C.uint64_t(options.Seed),
		C.uint64_t(options.PreemptionOffset), clock, C.uintptr_t(api), &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownServices(ptr), nil
}

func ownServices(ptr *C.libsched_services) *Services {
	core := &servicesCore{}
	core.ptr = ptr
	core.free = func(p *C.libsched_services) {
		openServices.Lock()
		delete(openServices.by, p)
		openServices.Unlock()
		C.libsched_services_unref(p)
	}
	openServices.Lock()
	openServices.by[ptr] = core
	openServices.Unlock()
	s := &Services{core}
	closeWhenUnreachable(s, core)
	return s
}

// refServices finds or registers services that C lends.
func refServices(ptr *C.libsched_services) *Services {
	openServices.Lock()
	core := openServices.by[ptr]
	openServices.Unlock()
	if core != nil {
		return &Services{core}
	}
	return ownServices(C.libsched_services_ref(ptr))
}

// Close releases the services. Clusters that use them must not be queried any more.
func (s *Services) Close() {
	if s != nil {
		s.core.close()
	}
}

func (s *Services) acquire() (*C.libsched_services, error) {
	if s == nil {
		return nil, closedError(s)
	}
	return acquired(s, &s.core.handle)
}

// alone is acquire for changes. A plugin of a call that holds the lock is part of that call.
func (s *Services) alone() (ptr *C.libsched_services, done func(), err error) {
	if ptr, err = s.acquire(); err != nil {
		return nil, nil, err
	}
	if nested, err := s.core.lock(); err != nil {
		s.core.release()
		return nil, nil, err
	} else if nested {
		return ptr, s.core.release, nil
	}
	return ptr, func() { s.core.mu.Unlock(); s.core.release() }, nil
}

func (k *servicesCore) lock() (nested bool, err error) {
	if k.mu.TryLock() {
		return false, nil
	}
	switch C.lsgo_holds(k.ptr) {
	case C.LSGO_HOLDS_ALONE:
		return true, nil
	case C.LSGO_HOLDS_SHARED:
		return false, &Error{Code: ErrMisuse, Msg: "the call that asks the plugin reads the nominations: " +
			"PostFilter may change them"}
	}
	k.mu.Lock()
	return false, nil
}

// hold is a lock that a query holds until its end.
type hold struct {
	core  *servicesCore // nil if an outer query holds the lock
	frame *C.lsgo_frame
	alone bool
}

func (h hold) end() {
	switch {
	case h.core == nil:
	case h.alone:
		h.frame.holds = C.LSGO_HOLDS_NOT
		h.core.mu.Unlock()
	default:
		h.frame.holds = C.LSGO_HOLDS_NOT
		h.core.mu.RUnlock()
	}
}

// share locks the services for a query, and notes it in the C frame.
func (k *servicesCore) share(frame *C.lsgo_frame) hold {
	if !k.mu.TryRLock() {
		if C.lsgo_holds(k.ptr) != C.LSGO_HOLDS_NOT {
			return hold{}
		}
		k.mu.RLock()
	}
	frame.holds = C.LSGO_HOLDS_SHARED
	return hold{k, frame, false}
}

// have is share for a query that may change nominations.
func (k *servicesCore) have(frame *C.lsgo_frame) (hold, error) {
	nested, err := k.lock()
	if nested || err != nil {
		return hold{}, err
	}
	frame.holds = C.LSGO_HOLDS_ALONE
	return hold{k, frame, true}, nil
}

// Clock returns the services' clock; nil after Close.
func (s *Services) Clock() *Clock {
	ptr, err := s.acquire()
	if err != nil {
		return nil
	}
	defer s.core.release()
	return ownClock(C.libsched_clock_ref(C.libsched_services_clock(ptr)))
}

// Request is a request to the API client that only records requests.
type Request struct {
	Verb      string          `json:"verb"` // "bind", "deletePod", "patchPodStatus", "patchObject" or "event"
	Pod       string          `json:"pod"`  // "namespace/name"
	Node      string          `json:"node"`
	Kind      string          `json:"kind"` // and Namespace, Name: of patchObject
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	Patch     json.RawMessage `json:"patch"`
	Type      string          `json:"type"` // and Reason, Action, Note: of event
	Reason    string          `json:"reason"`
	Action    string          `json:"action"`
	Note      string          `json:"note"`
}

// Requests returns the requests to the API client that only records them. Errors: ErrState
// (another client).
func (s *Services) Requests() ([]Request, error) {
	ptr, err := s.acquire()
	if err != nil {
		return nil, err
	}
	defer s.core.release()
	api := C.libsched_services_memory_api(ptr)
	if api == nil {
		return nil, errOtherClient
	}
	return requestsOf(api)
}

func requestsOf(api *C.libsched_memory_api) ([]Request, error) {
	document, err := textOfObject(api, func(p *C.libsched_memory_api, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_memory_api_requests_json(p, text, err)
	})
	return readJSON[[]Request]("requests", document, err)
}

// Deliver changes the cluster as the API server would in response to the requests, and forgets the
// requests: bound pods run on their nodes, deleted pods are removed. Errors: ErrState (another client),
// and the errors of the changes; the failed request and those after it are then kept.
func (s *Services) Deliver(cluster *Cluster) error {
	var other bool
	err := cluster.change(func(k *C.libsched_cluster, err **C.libsched_error) C.libsched_rc {
		ptr, done, failed := s.alone()
		if failed != nil {
			return C.LIBSCHED_ERR_MISUSE
		}
		defer done()
		api := C.libsched_services_memory_api(ptr)
		if api == nil {
			other = true
			return C.LIBSCHED_ERR_STATE
		}
		return C.libsched_memory_api_deliver(api, k, err)
	})
	if other {
		return errOtherClient
	}
	return err
}

var errOtherClient = &Error{Code: ErrState, Msg: "these services have another API client, which keeps no requests"}

// NominatingMode says what a Nomination does. The numbers are those of the C API.
type NominatingMode uint32

const (
	NominationNone     NominatingMode = C.LIBSCHED_NOMINATION_NONE     // no nomination
	NominationNoop     NominatingMode = C.LIBSCHED_NOMINATION_NOOP     // the nomination stays as it is
	NominationOverride NominatingMode = C.LIBSCHED_NOMINATION_OVERRIDE // the nomination becomes Node; "" removes it
)

// Nomination is upstream's NominatingInfo: the node on which a pod waits for room.
type Nomination struct {
	Mode NominatingMode
	Node string // for NominationOverride
}

// Nominate makes a pod wait for room on a node, and filters take it into account. Without a
// NominationOverride (or with nil) the pod's own status.nominatedNodeName applies. Errors: ErrUnsupported
// (mode); ErrMisuse in a plugin that is not at PostFilter.
func (s *Services) Nominate(pod *Pod, nomination *Nomination) error {
	var pin pinned
	defer pin.Unpin()
	var n *C.libsched_nomination
	if nomination != nil {
		n = &C.libsched_nomination{struct_size: C.sizeof_libsched_nomination, mode: C.uint32_t(nomination.Mode),
			node: pin.str(nomination.Node)}
	}
	return s.change(pod, func(s *C.libsched_services, p *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
		return C.libsched_services_nominate(s, p, n, err)
	})
}

// RemoveNomination removes the nomination of a pod, by its uid. Errors: ErrMisuse as Nominate.
func (s *Services) RemoveNomination(pod *Pod) error {
	return s.change(pod, func(s *C.libsched_services, p *C.libsched_pod, _ **C.libsched_error) C.libsched_rc {
		C.libsched_services_remove_nomination(s, p)
		return C.LIBSCHED_OK
	})
}

func (s *Services) change(pod *Pod, call func(*C.libsched_services, *C.libsched_pod,
	**C.libsched_error) C.libsched_rc) error {
	p, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	ptr, done, err := s.alone()
	if err != nil {
		return err
	}
	defer done()
	var failure *C.libsched_error
	return takeError(call(ptr, p, &failure), failure)
}

// NominatedNode returns the node on which a pod waits for room; "" if it has no nomination.
func (s *Services) NominatedNode(pod *Pod) string {
	p, ok := pod.acquire()
	if !ok {
		return ""
	}
	defer pod.h.release()
	ptr, err := s.acquire()
	if err != nil {
		return ""
	}
	defer s.core.release()
	defer s.core.read(ptr)()
	return goString(C.libsched_services_nominated_node(ptr, p))
}

// read locks mu for reading nominations, unless a call holds it that asks a plugin on this goroutine.
func (k *servicesCore) read(ptr *C.libsched_services) (done func()) {
	if !k.mu.TryRLock() {
		if C.lsgo_holds(ptr) != C.LSGO_HOLDS_NOT {
			return func() {}
		}
		k.mu.RLock()
	}
	return k.mu.RUnlock
}
