package libsched

// #include "runtime_bridge.h"
import "C"

import "sync"

// NodeStatuses holds the reason why each node does not take a pod: upstream's NodeToStatus. A plugin's
// NodeStatuses is lent to its call.
type NodeStatuses struct {
	h    *handle[*C.libsched_node_statuses]
	mu   sync.Mutex
	lent bool
}

// NewNodeStatuses returns NodeStatuses without a status for any node.
func NewNodeStatuses() *NodeStatuses {
	var ptr *C.libsched_node_statuses
	if rc := C.libsched_node_statuses_create(&ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	n := &NodeStatuses{h: newHandle(ptr, func(p *C.libsched_node_statuses) {
		C.libsched_node_statuses_unref(p)
	})}
	closeWhenUnreachable(n, n.h)
	return n
}

func lendStatuses(ptr *C.libsched_node_statuses) *NodeStatuses {
	return &NodeStatuses{h: newHandle(ptr, func(*C.libsched_node_statuses) {}), lent: true}
}

// Close releases the statuses.
func (n *NodeStatuses) Close() {
	if n != nil && !n.lent {
		n.h.close()
	}
}

// use calls `call` with the statuses and a scratch status; it returns false after Close.
func (n *NodeStatuses) use(call func(*C.libsched_node_statuses, *C.libsched_status)) bool {
	if n == nil {
		return false
	}
	ptr, ok := n.h.acquire()
	if !ok {
		return false
	}
	defer n.h.release()
	var status *C.libsched_status
	if rc := C.libsched_status_create(&status, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc))
	}
	defer C.libsched_status_unref(status)
	n.mu.Lock()
	defer n.mu.Unlock()
	call(ptr, status)
	return true
}

// Set sets the status of a node with its code, reasons, error and plugin. Errors: ErrMisuse, also for
// lent statuses.
func (n *NodeStatuses) Set(row Row, status *Status) error {
	return n.set(status, func(ptr *C.libsched_node_statuses, s *C.libsched_status, failure **C.libsched_error) C.libsched_rc {
		return C.libsched_node_statuses_set(ptr, C.uint32_t(row), s, failure)
	})
}

// SetAbsent sets the status of all nodes without one. The default is
// UnschedulableAndUnresolvable.
func (n *NodeStatuses) SetAbsent(status *Status) error {
	return n.set(status, func(ptr *C.libsched_node_statuses, s *C.libsched_status, failure **C.libsched_error) C.libsched_rc {
		return C.libsched_node_statuses_set_absent(ptr, s, failure)
	})
}

func (n *NodeStatuses) set(status *Status, set func(*C.libsched_node_statuses, *C.libsched_status,
	**C.libsched_error) C.libsched_rc) error {
	if n != nil && n.lent {
		return &Error{Code: ErrMisuse, Msg: "the NodeStatuses of a plugin's call cannot be changed"}
	}
	var err error
	if !n.use(func(ptr *C.libsched_node_statuses, s *C.libsched_status) {
		C.libsched_status_set(s, C.libsched_code(status.Code()))
		answer(s, status)
		C.libsched_status_set_plugin(s, str(status.Plugin()))
		var failure *C.libsched_error
		err = takeError(set(ptr, s, &failure), failure)
	}) {
		return closedError(n)
	}
	return err
}

// Get returns the status of a node; nil for Success.
func (n *NodeStatuses) Get(row Row) (status *Status) {
	n.use(func(ptr *C.libsched_node_statuses, s *C.libsched_status) {
		C.libsched_node_statuses_get(ptr, C.uint32_t(row), s)
		status = copyStatus(s)
	})
	return status
}

// Code returns the code of a node's status; CodeError after Close.
func (n *NodeStatuses) Code(row Row) Code {
	if n == nil {
		return CodeError
	}
	ptr, ok := n.h.acquire()
	if !ok {
		return CodeError
	}
	defer n.h.release()
	n.mu.Lock()
	defer n.mu.Unlock()
	return Code(C.libsched_node_statuses_code(ptr, C.uint32_t(row)))
}
