package kube

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"libsched"
)

// CatalogOptions says how a Catalog works. The zero value serves libsched's own plugins.
type CatalogOptions struct {
	// Extra appends what plugins of the program read beside the fields that libsched keeps, an annotation for
	// instance: pods for which it appends different bytes have different contents. It is called by any
	// goroutine, must not keep the slice, and must allocate nothing if lookups are to allocate nothing.
	Extra func(pod *v1.Pod, key []byte) []byte
	// Remember looks each pod and node up once in an age: later lookups of the same *v1.Pod or *v1.Node with the same
	// resource version find its reference by its address, in a tenth of the time. It is for programs that never change an
	// object which they have looked up, but for its resource version, as those that read informers' caches.
	Remember bool
}

// Catalog is a libsched.Catalog for objects of k8s.io/api. It looks a content up by what plugins read of
// the object, in Go; only new contents cross to C. Any number of goroutines may use it.
type Catalog struct {
	catalog *libsched.Catalog
	extra   func(*v1.Pod, []byte) []byte
	age     atomic.Uint32
	aging   sync.RWMutex // held by Age; shared by what adds contents
	holds   holds
	// Tables of references: of pods as they are, of placed pods and of nodes.
	pods, placed, nodes *table
	requests            sync.Map // by reference: what pods of the content request
	remember            bool
	seen, seenPlaced    remembered[v1.Pod]
	seenNodes           remembered[v1.Node]
	buffers             sync.Pool
}

type buffer struct{ bytes []byte }

// NewCatalog returns an empty catalog.
func NewCatalog(options CatalogOptions) (*Catalog, error) {
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return nil, err
	}
	return &Catalog{
		catalog: catalog, extra: options.Extra, remember: options.Remember, pods: newTable(), placed: newTable(), nodes: newTable(),
		buffers: sync.Pool{New: func() any { return &buffer{make([]byte, 0, 2048)} }},
	}, nil
}

// Catalog returns the libsched.Catalog that holds the contents, for libsched.NewSim.
func (c *Catalog) Catalog() *libsched.Catalog {
	if c == nil {
		return nil
	}
	return c.catalog
}

// Close releases the catalog. Sims that use it keep the contents.
func (c *Catalog) Close() { c.Catalog().Close() }

var errNilCatalog = &libsched.Error{Code: libsched.ErrMisuse, Msg: "nil Catalog"}

// Pod returns the reference of a pod's content, with the names of the nodes that it runs on or is nominated
// to. For a content that is known it allocates nothing. Errors: libsched.ErrInvalid with the place,
// ErrLimit, ErrMisuse (a nil pod, a closed catalog).
func (c *Catalog) Pod(pod *v1.Pod) (libsched.PodRef, error) { return c.pod(pod, false) }

// Placed is Pod without the names of nodes, for pods that are put onto nodes, and for pods that move: all
// pods of a workload have one reference, wherever they run.
func (c *Catalog) Placed(pod *v1.Pod) (libsched.PodRef, error) { return c.pod(pod, true) }

func (c *Catalog) pod(pod *v1.Pod, placed bool) (libsched.PodRef, error) {
	if c == nil {
		return 0, errNilCatalog
	}
	if pod == nil {
		return 0, &libsched.Error{Code: libsched.ErrMisuse, Msg: "nil Pod"}
	}
	b := c.buffers.Get().(*buffer)
	defer c.buffers.Put(b)
	if ref := c.lookUp(b, pod, placed, c.age.Load()); ref != 0 {
		return ref, nil
	}
	var refs [1]libsched.PodRef
	_, err := c.addPods([]*v1.Pod{pod}, placed, refs[:])
	return refs[0], err
}

// lookUp returns the reference of a content that is known, and otherwise 0 and the key in the buffer.
func (c *Catalog) lookUp(b *buffer, pod *v1.Pod, placed bool, age uint32) libsched.PodRef {
	memory := c.memory(placed)
	if c.remember {
		if ref := memory.find(pod, pod.ResourceVersion, age); ref != 0 {
			return libsched.PodRef(ref)
		}
	}
	b.bytes, _ = c.appendKey(b.bytes[:0], pod, placed)
	t := c.table(placed)
	ref := t.find(t.hash(b.bytes), b.bytes, age)
	if c.remember && ref != 0 {
		memory.put(pod, pod.ResourceVersion, ref, age)
	}
	return libsched.PodRef(ref)
}

func (c *Catalog) memory(placed bool) *remembered[v1.Pod] {
	if placed {
		return &c.seenPlaced
	}
	return &c.seen
}

func (c *Catalog) table(placed bool) *table {
	if placed {
		return c.placed
	}
	return c.pods
}

// appendKey writes the key of a pod, which ends with what Extra appends from `extra` on.
func (c *Catalog) appendKey(dst []byte, pod *v1.Pod, placed bool) (key []byte, extra int) {
	dst = appendPodKey(dst, pod, placed)
	extra = len(dst)
	if c.extra != nil {
		dst = c.extra(pod, dst)
	}
	return dst, extra
}

// Pods is Pod for many pods, with a single call of the library for all contents that are new. It uses the
// memory of `into`, which may be nil. After an error nothing is known of the new ones.
func (c *Catalog) Pods(pods []*v1.Pod, into []libsched.PodRef) ([]libsched.PodRef, error) {
	return c.many(pods, false, into)
}

// PlacedPods is Placed for many pods, as Pods.
func (c *Catalog) PlacedPods(pods []*v1.Pod, into []libsched.PodRef) ([]libsched.PodRef, error) {
	return c.many(pods, true, into)
}

func (c *Catalog) many(pods []*v1.Pod, placed bool, into []libsched.PodRef) ([]libsched.PodRef, error) {
	if c == nil {
		return nil, errNilCatalog
	}
	if cap(into) < len(pods) {
		into = make([]libsched.PodRef, len(pods))
	}
	into = into[:len(pods)]
	b := c.buffers.Get().(*buffer)
	defer c.buffers.Put(b)
	age := c.age.Load()
	var missing []int           // indexes of pods whose contents are new, each content once
	var same map[string]int     // the index in `missing` by key
	waiting := map[int]int(nil) // pods of new contents: index in `missing`
	for i, pod := range pods {
		if pod == nil {
			return nil, &libsched.Error{Code: libsched.ErrMisuse, Msg: fmt.Sprintf("pod %d is nil", i)}
		}
		if into[i] = c.lookUp(b, pod, placed, age); into[i] != 0 {
			continue
		}
		if same == nil {
			same, waiting = map[string]int{}, map[int]int{}
		}
		at, ok := same[string(b.bytes)]
		if !ok {
			at = len(missing)
			same[string(b.bytes)] = at
			missing = append(missing, i)
		}
		waiting[i] = at
	}
	if len(missing) == 0 {
		return into, nil
	}
	added, refs := make([]*v1.Pod, len(missing)), make([]libsched.PodRef, len(missing))
	for i, at := range missing {
		added[i] = pods[at]
	}
	addedIn, err := c.addPods(added, placed, refs)
	if err != nil {
		return nil, atIndex(err, missing)
	}
	for i, at := range waiting {
		into[i] = refs[at]
		if c.remember {
			c.memory(placed).put(pods[i], pods[i].ResourceVersion, uint64(refs[at]), addedIn)
		}
	}
	return into, nil
}

// addPods adds new contents and remembers their keys. It returns the age in which that was done.
func (c *Catalog) addPods(pods []*v1.Pod, placed bool, refs []libsched.PodRef) (age uint32, err error) {
	options := libsched.ContentOptions{Form: libsched.FormFlat, Placed: placed}
	documents, keys := make([][]byte, len(pods)), make([][]byte, len(pods))
	if c.extra != nil {
		options.Extras = make([][]byte, len(pods))
	}
	for i, pod := range pods {
		var extra int
		documents[i] = AppendPod(nil, pod)
		keys[i], extra = c.appendKey(nil, pod, placed)
		if c.extra != nil {
			options.Extras[i] = keys[i][extra:]
		}
	}
	c.aging.RLock()
	defer c.aging.RUnlock()
	age = c.age.Load()
	if err := c.catalog.AddPods(documents, refs, options); err != nil {
		return age, err
	}
	t := c.table(placed)
	for i, ref := range refs {
		t.put(t.hash(keys[i]), keys[i], uint64(ref), age)
		if c.remember {
			c.memory(placed).put(pods[i], pods[i].ResourceVersion, uint64(ref), age)
		}
	}
	return age, nil
}

// Requests returns what pods of a content request: of CPU in thousandths, of memory and storage in bytes. The map is
// shared by all callers, and must not be changed. It is made once in an age. Errors: libsched.ErrStale.
func (c *Catalog) Requests(ref libsched.PodRef) (map[v1.ResourceName]int64, error) {
	if c == nil {
		return nil, errNilCatalog
	}
	if known, ok := c.requests.Load(ref); ok {
		return known.(map[v1.ResourceName]int64), nil
	}
	amounts, err := c.catalog.Requests(ref)
	if err != nil {
		return nil, err
	}
	made := make(map[v1.ResourceName]int64, len(amounts))
	for name, amount := range amounts {
		made[v1.ResourceName(name)] = amount
	}
	known, _ := c.requests.LoadOrStore(ref, made)
	return known.(map[v1.ResourceName]int64), nil
}

// atIndex makes the index at the start of an error's path one of the caller's list.
func atIndex(err error, indexes []int) error {
	var e *libsched.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Path, "[") {
		return err
	}
	number, rest, ok := strings.Cut(e.Path[1:], "]")
	i, wrong := strconv.Atoi(number)
	if !ok || wrong != nil || i < 0 || i >= len(indexes) {
		return err
	}
	moved := *e
	moved.Path = fmt.Sprintf("[%d]%s", indexes[i], rest)
	return &moved
}

// Node returns the reference of a node's content, which does not depend on its name. For a content that is
// known it allocates nothing. Errors: as Pod.
func (c *Catalog) Node(node *v1.Node) (libsched.NodeRef, error) {
	if c == nil {
		return 0, errNilCatalog
	}
	if node == nil {
		return 0, &libsched.Error{Code: libsched.ErrMisuse, Msg: "nil Node"}
	}
	b := c.buffers.Get().(*buffer)
	defer c.buffers.Put(b)
	if ref := c.lookUpNode(b, node, c.age.Load()); ref != 0 {
		return ref, nil
	}
	var refs [1]libsched.NodeRef
	err := c.addNodes([]*v1.Node{node}, refs[:])
	return refs[0], err
}

// lookUpNode is lookUp for a node.
func (c *Catalog) lookUpNode(b *buffer, node *v1.Node, age uint32) libsched.NodeRef {
	if c.remember {
		if ref := c.seenNodes.find(node, node.ResourceVersion, age); ref != 0 {
			return libsched.NodeRef(ref)
		}
	}
	b.bytes = appendNodeKey(b.bytes[:0], node)
	ref := c.nodes.find(c.nodes.hash(b.bytes), b.bytes, age)
	if c.remember && ref != 0 {
		c.seenNodes.put(node, node.ResourceVersion, ref, age)
	}
	return libsched.NodeRef(ref)
}

// Nodes is Node for many nodes, with a single call of the library for all contents that are new. It uses the
// memory of `into`, which may be nil.
func (c *Catalog) Nodes(nodes []*v1.Node, into []libsched.NodeRef) ([]libsched.NodeRef, error) {
	if c == nil {
		return nil, errNilCatalog
	}
	if cap(into) < len(nodes) {
		into = make([]libsched.NodeRef, len(nodes))
	}
	into = into[:len(nodes)]
	b := c.buffers.Get().(*buffer)
	defer c.buffers.Put(b)
	var missing []int
	for i, node := range nodes {
		if node == nil {
			return nil, &libsched.Error{Code: libsched.ErrMisuse, Msg: fmt.Sprintf("node %d is nil", i)}
		}
		if into[i] = c.lookUpNode(b, node, c.age.Load()); into[i] == 0 {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return into, nil
	}
	added, refs := make([]*v1.Node, len(missing)), make([]libsched.NodeRef, len(missing))
	for i, at := range missing {
		added[i] = nodes[at]
	}
	if err := c.addNodes(added, refs); err != nil {
		return nil, atIndex(err, missing)
	}
	for i, at := range missing {
		into[at] = refs[i]
	}
	return into, nil
}

func (c *Catalog) addNodes(nodes []*v1.Node, refs []libsched.NodeRef) error {
	documents := make([][]byte, len(nodes))
	for i, node := range nodes {
		documents[i] = AppendNode(nil, node)
	}
	c.aging.RLock()
	defer c.aging.RUnlock()
	age := c.age.Load()
	if err := c.catalog.AddNodes(documents, refs, libsched.ContentOptions{Form: libsched.FormFlat}); err != nil {
		return err
	}
	for i, ref := range refs {
		key := appendNodeKey(nil, nodes[i])
		c.nodes.put(c.nodes.hash(key), key, uint64(ref), age)
	}
	return nil
}

// Hold is the time between a lookup and the use of what was found.
type Hold struct {
	catalog *Catalog
	age     uint32
}

// Hold begins a time in which Age, called by any goroutine, forgets no content that was looked up in it; Release ends
// it. The methods of Sim, Follower and snapshot.Snapshot hold the catalog by themselves. A program that keeps a
// reference while another goroutine calls Age needs it.
func (c *Catalog) Hold() Hold {
	if c == nil {
		return Hold{}
	}
	return Hold{c, c.holds.begin(&c.age)}
}

// Release ends the time. It is called once.
func (h Hold) Release() {
	if h.catalog != nil {
		h.catalog.holds.end(h.age)
	}
}

// holds counts the Holds by the age in which they began.
type holds struct {
	mu      sync.Mutex
	age     uint32         // the latest one
	count   int            // of that age
	earlier map[uint32]int // of ages before it; none is 0
}

func (h *holds) begin(age *atomic.Uint32) uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turn(age.Load())
	h.count++
	return h.age
}

// turn makes an age the latest one.
func (h *holds) turn(now uint32) {
	if now == h.age {
		return
	}
	if h.count != 0 {
		if h.earlier == nil {
			h.earlier = map[uint32]int{}
		}
		h.earlier[h.age] = h.count
	}
	h.age, h.count = now, 0
}

func (h *holds) end(age uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if age == h.age {
		h.count--
	} else if h.earlier[age]--; h.earlier[age] == 0 {
		delete(h.earlier, age)
	}
}

// oldest is the age in which the oldest Hold began, or `now`.
func (h *holds) oldest(now uint32) uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.first(now)
}

func (h *holds) first(now uint32) uint32 {
	if h.count != 0 {
		now = min(now, h.age)
	}
	for began := range h.earlier {
		now = min(now, began)
	}
	return now
}

// next begins the next age unless forget fails, which gets the number of ages to keep: at least all since the oldest Hold.
func (h *holds) next(age *atomic.Uint32, keep int, forget func(keep int) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := age.Load()
	keep = max(keep, int(now-h.first(now)))
	if err := forget(keep); err != nil {
		return err
	}
	age.Store(now + 1)
	return nil
}

// Age begins a new age, and forgets the contents that were not looked up in the latest `keep` ages; 0 stands
// for this one alone. Contents of which a Sim has a pod or a node are kept, and so are those that a call of another
// goroutine has looked up and not used yet (Hold). It returns the number of contents
// forgotten. Call it once in a loop. Errors: libsched.ErrInvalid (a negative number).
func (c *Catalog) Age(keep int) (int, error) {
	if c == nil {
		return 0, errNilCatalog
	}
	c.aging.Lock()
	defer c.aging.Unlock()
	for _, t := range []*table{c.pods, c.placed, c.nodes} {
		t.lock()
		defer t.unlock()
	}
	c.seen.clear()
	c.seenPlaced.clear()
	c.seenNodes.clear()
	c.requests.Clear()
	age := c.age.Load()
	// The library has not seen the lookups. One that waited for an Age before has the age from before it.
	oldest := c.holds.oldest(age)
	var pods []libsched.PodRef
	var nodes []libsched.NodeRef
	for _, t := range []*table{c.pods, c.placed} {
		t.each(func(e *entry) bool {
			if e.age.Load() >= oldest {
				pods = append(pods, libsched.PodRef(e.ref))
			}
			return true
		})
	}
	c.nodes.each(func(e *entry) bool {
		if e.age.Load() >= oldest {
			nodes = append(nodes, libsched.NodeRef(e.ref))
		}
		return true
	})
	if err := errors.Join(c.catalog.TouchPods(pods), c.catalog.TouchNodes(nodes)); err != nil {
		return 0, err
	}
	var forgotten int
	err := c.holds.next(&c.age, keep, func(held int) (err error) {
		if keep >= 0 { // the library refuses a negative number
			keep = held
		}
		forgotten, err = c.catalog.Age(keep)
		return err
	})
	if err != nil {
		return 0, err
	}
	return forgotten, c.dropForgotten(age, keep)
}

// dropForgotten drops the entries of contents that the library has forgotten, and those that were not looked
// up in so many ages. The tables are locked.
func (c *Catalog) dropForgotten(age uint32, keep int) error {
	for _, t := range []*table{c.pods, c.placed, c.nodes} {
		var refs []uint64
		t.each(func(e *entry) bool {
			if int64(age-e.age.Load()) > int64(keep) {
				return false
			}
			refs = append(refs, e.ref)
			return true
		})
		known, err := c.known(t, refs)
		if err != nil {
			return err
		}
		t.each(func(e *entry) bool { return known[e.ref] })
	}
	return nil
}

// known returns which references the library still has.
func (c *Catalog) known(t *table, refs []uint64) (map[uint64]bool, error) {
	has := make([]bool, len(refs))
	var err error
	if t == c.nodes {
		err = c.catalog.HasNodes(convert[libsched.NodeRef](refs), has)
	} else {
		err = c.catalog.HasPods(convert[libsched.PodRef](refs), has)
	}
	known := make(map[uint64]bool, len(refs))
	for i, ref := range refs {
		known[ref] = has[i]
	}
	return known, err
}

func convert[T ~uint64](numbers []uint64) []T {
	out := make([]T, len(numbers))
	for i, n := range numbers {
		out[i] = T(n)
	}
	return out
}
