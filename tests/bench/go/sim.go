package main

// An autoscaler's questions through the Go packages: the same clusters and pods as bench_sim.cpp, which
// wrote the documents.

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"libsched"
	"libsched/kube"
)

// simDocuments is what `libsched_bench sim-documents` prints. The last of Nodes is not in the cluster.
type simDocuments struct {
	Nodes, Apps, Shapes []json.RawMessage
	Probe               json.RawMessage
	Big                 map[string]json.RawMessage
	Pack                struct{ Old, Template, Small, Large json.RawMessage }
	Drain               struct {
		Node, Ghost json.RawMessage
		Apps        []json.RawMessage
	}
}

// world is a Sim with its catalog.
type world struct {
	sim   *libsched.Sim
	nodes []libsched.NodeID
	err   error // the first error of pod and node
}

func newWorld() (*world, error) {
	fw, err := libsched.NewFramework()
	if err != nil {
		return nil, err
	}
	catalog, err := libsched.NewCatalog()
	if err != nil {
		return nil, err
	}
	sim, err := libsched.NewSim(fw, catalog)
	return &world{sim: sim}, err
}

func (w *world) pod(document json.RawMessage) libsched.PodRef {
	var ref [1]libsched.PodRef
	if err := w.sim.Catalog().AddPods([][]byte{document}, ref[:], libsched.ContentOptions{Placed: true}); err != nil && w.err == nil {
		w.err = err
	}
	return ref[0]
}

func (w *world) pods(documents []json.RawMessage) (refs []libsched.PodRef) {
	for _, document := range documents {
		refs = append(refs, w.pod(document))
	}
	return refs
}

func (w *world) node(document json.RawMessage) libsched.NodeRef {
	var ref [1]libsched.NodeRef
	if err := w.sim.Catalog().AddNodes([][]byte{document}, ref[:], libsched.ContentOptions{}); err != nil && w.err == nil {
		w.err = err
	}
	return ref[0]
}

func (w *world) reset(refs []libsched.NodeRef, pods []libsched.SimPod) error {
	if w.err != nil {
		return w.err
	}
	names := make([]string, len(refs))
	for i := range names {
		names[i] = fmt.Sprintf("node-%05d", i)
	}
	w.nodes = make([]libsched.NodeID, len(refs))
	return w.sim.Reset(refs, names, pods, w.nodes, nil)
}

func (b *bench) simulate() error {
	text, err := os.ReadFile(b.simDocuments)
	if err != nil {
		return err
	}
	var d simDocuments
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s: %w", b.simDocuments, err)
	}
	for _, part := range []func(*simDocuments) error{b.questions, b.lookUp, b.pack, b.drain} {
		if err := part(&d); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) questions(d *simDocuments) error {
	ctx := context.Background()
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.sim.Close()
	nodes := len(d.Nodes) - 1
	refs, apps := make([]libsched.NodeRef, nodes), w.pods(d.Apps)
	for i := range refs {
		refs[i] = w.node(d.Nodes[i])
	}
	pods := make([]libsched.SimPod, 0, 10*nodes)
	for i := range 10 * nodes {
		pods = append(pods, libsched.SimPod{Pod: apps[i%20], Node: i % nodes})
	}
	if err := w.reset(refs, pods); err != nil {
		return err
	}
	group := fmt.Sprintf("sim/go/%d/", nodes)
	// Before any selector is asked for: followed counts would cost each pod that comes or goes.
	if err := b.whatIf(w, d, group); err != nil {
		return err
	}
	var why libsched.Verdict
	for _, kind := range []string{"basic", "anti-app"} {
		pod := w.pod(d.Big[kind])
		for _, change := range []bool{false, true} {
			name, i := group+"nothing fits, "+kind, 0
			if change {
				name += ", after a change"
			}
			if err := b.timed(name, 100, func() error {
				if change {
					i = (i + 7919) % nodes
					if err := w.sim.Fork(); err != nil {
						return err
					}
					if _, err := w.sim.AddPod(apps[1], w.nodes[i]); err != nil {
						return err
					}
				}
				_, found, err := w.sim.First(ctx, pod, nil, &why)
				if err == nil && (found || why.Stage != libsched.NoNode) {
					err = fmt.Errorf("the big pod fits")
				}
				if change && err == nil {
					err = w.sim.Revert()
				}
				return err
			}); err != nil {
				return err
			}
		}
	}
	probe, extra := w.pod(d.Probe), w.node(d.Nodes[nodes])
	if err := b.timed(group+"fork, add node, check, revert", 100, func() error {
		if err := w.sim.Fork(); err != nil {
			return err
		}
		node, err := w.sim.AddNode(extra, "another")
		if err != nil {
			return err
		}
		if ok, err := w.sim.Check(ctx, probe, node, &why); err != nil || !ok {
			return fmt.Errorf("the new node rejects the pod: %v", err)
		}
		return w.sim.Revert()
	}); err != nil {
		return err
	}
	i := 0
	if err := b.timed(group+"fork, schedule, revert", 100, func() error {
		i = (i + 7919) % nodes
		if err := w.sim.Fork(); err != nil {
			return err
		}
		if ok, err := w.sim.Check(ctx, probe, w.nodes[i], &why); err != nil || !ok {
			return fmt.Errorf("a node rejects the pod: %v", err)
		}
		if _, err := w.sim.AddPod(probe, w.nodes[i]); err != nil {
			return err
		}
		return w.sim.Revert()
	}); err != nil {
		return err
	}
	return nil
}

// whatIf adds 100 nodes and 1,000 pods of twenty contents in a fork.
func (b *bench) whatIf(w *world, d *simDocuments, group string) error {
	nodes := len(w.nodes)
	extra := w.node(d.Nodes[nodes])
	shapes, names := w.pods(d.Shapes), make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprint("new-", i)
	}
	many, on, added := make([]libsched.PodRef, 1000), make([]libsched.NodeID, 1000), make([]libsched.NodeID, 100)
	random := uint64(nodes)
	if w.err != nil {
		return w.err
	}
	return b.timed(group+"fork, 100 nodes, 1000 pods, revert", 1, func() error {
		if err := w.sim.Fork(); err != nil {
			return err
		}
		if err := w.sim.AddNodes(extra, names, added); err != nil {
			return err
		}
		for i := range many {
			random = random*6364136223846793005 + 1442695040888963407
			pick := int(random>>33) % (nodes + len(added))
			many[i] = shapes[i%20]
			if on[i] = added[max(0, pick-nodes)]; pick < nodes {
				on[i] = w.nodes[pick]
			}
		}
		if err := w.sim.AddPods(many, on, nil); err != nil {
			return err
		}
		return w.sim.Revert()
	})
}

// lookUp asks a kube.Catalog for pods that it knows.
func (b *bench) lookUp(d *simDocuments) error {
	catalog, err := kube.NewCatalog(kube.CatalogOptions{})
	if err != nil {
		return err
	}
	defer catalog.Close()
	pods := make([]*v1.Pod, len(d.Shapes))
	for i, document := range d.Shapes {
		pods[i] = &v1.Pod{}
		if err := json.Unmarshal(document, pods[i]); err != nil {
			return err
		}
		if _, err := catalog.Pod(pods[i]); err != nil {
			return err
		}
	}
	i := 0
	return b.timed("sim/go/look up a pod", 1000, func() error {
		i = (i + 1) % len(pods)
		_, err := catalog.Pod(pods[i])
		return err
	})
}

func (b *bench) pack(d *simDocuments) error {
	ctx := context.Background()
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.sim.Close()
	like := w.node(d.Pack.Template)
	groups := []libsched.Group{{Pod: w.pod(d.Pack.Small), Count: 50_000}, {Pod: w.pod(d.Pack.Large), Count: 1000}}
	if err := w.reset([]libsched.NodeRef{w.node(d.Pack.Old)}, nil); err != nil {
		return err
	}
	return b.timed("sim/go/pack", 1, func() error {
		packing, err := w.sim.BinPack(ctx, groups, like, libsched.PackOptions{Prefix: "template-", MaxNodes: 3000, Ring: &libsched.Ring{}})
		if err != nil {
			return err
		}
		if len(packing.Nodes) != 2595 || packing.Placed != 51_000 {
			return fmt.Errorf("%d pods on %d nodes", packing.Placed, len(packing.Nodes))
		}
		return w.sim.Revert()
	})
}

func (b *bench) drain(d *simDocuments) error {
	ctx := context.Background()
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.sim.Close()
	const candidates, onNode = 2000, 40
	refs, apps, ghost := make([]libsched.NodeRef, candidates), w.pods(d.Drain.Apps), w.node(d.Drain.Ghost)
	var pods []libsched.SimPod
	for i := range refs {
		if refs[i] = refs[0]; i == 0 {
			refs[i] = w.node(d.Drain.Node)
		}
		for k := range onNode {
			pods = append(pods, libsched.SimPod{Pod: apps[k%20], Node: i})
		}
	}
	if err := w.reset(refs, pods); err != nil {
		return err
	}
	var move []libsched.PodID
	hits := make([]libsched.Hit, candidates*onNode)
	return b.timed("sim/go/drain", 1, func() error {
		if err := w.sim.Fork(); err != nil {
			return err
		}
		query := libsched.Query{Ring: &libsched.Ring{}, SkipUnschedulable: true}
		gone := 0
		for _, node := range w.nodes {
			move = w.sim.PodsOn(node, move[:0])
			removed, err := w.sim.Remove(ctx, node, move, &query, libsched.RemoveOptions{Keep: true, Ghost: ghost}, hits[:len(move)])
			if err != nil {
				return err
			}
			if removed {
				gone++
			}
		}
		if gone != 1200 {
			return fmt.Errorf("%d nodes are gone", gone)
		}
		return w.sim.Revert()
	})
}
