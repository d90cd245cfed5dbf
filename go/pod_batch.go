package libsched

// #include "bridge.h"
import "C"

import (
	"sync"
	"unsafe"
)

// podBatch holds the arguments of one AddPods. The names are concatenated, so that no Go pointer is
// stored in memory that C reads.
type podBatch struct {
	pods    []*C.libsched_pod
	names   []byte
	lengths []C.size_t
}

var podBatches = sync.Pool{New: func() any { return new(podBatch) }}

// newPodBatch acquires the pods; release must follow unless it fails.
func newPodBatch(pods []*Pod, nodes []string) (*podBatch, error) {
	b := podBatches.Get().(*podBatch)
	b.pods, b.names, b.lengths = b.pods[:0], b.names[:0], b.lengths[:0]
	for i, pod := range pods {
		ptr, ok := pod.acquire()
		if !ok {
			b.release(pods[:i])
			return nil, closedError(pod)
		}
		b.pods = append(b.pods, ptr)
		if nodes == nil {
			continue
		}
		before := len(b.names)
		if nodes[i] != "" {
			b.names = append(b.names, nodes[i]...)
		} else {
			b.names = append(b.names, borrowed(C.libsched_pod_node_name(ptr))...)
		}
		b.lengths = append(b.lengths, C.size_t(len(b.names)-before))
	}
	return b, nil
}

func (b *podBatch) release(pods []*Pod) {
	for _, pod := range pods {
		pod.h.release()
	}
	clear(b.pods)
	podBatches.Put(b)
}

func (b *podBatch) list() **C.libsched_pod { return unsafe.SliceData(b.pods) }
func (b *podBatch) text() *C.char          { return (*C.char)(unsafe.Pointer(unsafe.SliceData(b.names))) }

// lengthList returns NULL if every pod uses its own nodeName.
func (b *podBatch) lengthList() *C.size_t {
	if len(b.lengths) == 0 {
		return nil
	}
	return unsafe.SliceData(b.lengths)
}
