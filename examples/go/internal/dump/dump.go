// Package dump makes a simulated cluster of a file that keeps the names of its nodes and pods.
package dump

import (
	"encoding/json"

	"libsched"
)

// Owner is what a pod belongs to.
type Owner string

// Pods of these stay on their nodes.
const (
	DaemonSet Owner = "DaemonSet" // on every node
	Static    Owner = "Node"      // of the kubelet's files
)

// Dump is a cluster from a file. Nodes and NodeIDs, and Pods and PodIDs, lie side by side.
type Dump struct {
	*libsched.Sim
	Nodes   []*libsched.Node
	NodeIDs []libsched.NodeID
	Pods    []*libsched.Pod // that run
	PodIDs  []libsched.PodID
	Refs    []libsched.PodRef
	Owners  map[libsched.PodID]Owner // the kind of the controller; "": none
}

// Load reads a file (JSON or YAML, plain or compressed). Simulated clusters of one file share a catalog, so
// that what they know of contents is kept once.
func Load(path string, fw *libsched.Framework, catalog *libsched.Catalog) (*Dump, error) {
	objects, err := libsched.LoadObjects(path)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	sim, err := libsched.NewSim(fw, catalog)
	if err != nil {
		return nil, err
	}
	d := &Dump{Sim: sim, Nodes: objects.Nodes()}
	var names []string
	var nodes []libsched.NodeRef
	place := map[string]int{}
	for i, node := range d.Nodes {
		ref, err := catalog.Node(node)
		if err != nil {
			return nil, err
		}
		place[node.Name()] = i
		names, nodes = append(names, node.Name()), append(nodes, ref)
	}
	var pods []libsched.SimPod
	for _, pod := range objects.Pods() {
		on, runs := place[pod.NodeName()]
		if !runs || pod.Phase() == "Succeeded" || pod.Phase() == "Failed" {
			continue
		}
		ref, err := catalog.Pod(pod, true)
		if err != nil {
			return nil, err
		}
		d.Pods, d.Refs = append(d.Pods, pod), append(d.Refs, ref)
		pods = append(pods, libsched.SimPod{Pod: ref, Node: on})
	}
	d.NodeIDs, d.PodIDs = make([]libsched.NodeID, len(nodes)), make([]libsched.PodID, len(pods))
	// The other objects are needed first: claims, namespaces, classes.
	if err := sim.Load(objects); err != nil {
		return nil, err
	}
	if err := sim.Reset(nodes, names, pods, d.NodeIDs, d.PodIDs); err != nil {
		return nil, err
	}
	return d, d.readOwners()
}

func (d *Dump) readOwners() error {
	d.Owners = map[libsched.PodID]Owner{}
	for i, pod := range d.Pods {
		raw, err := pod.JSON()
		if err != nil {
			return err
		}
		var document struct {
			Metadata struct {
				OwnerReferences []struct {
					Kind       Owner
					Controller bool
				}
			}
		}
		if err := json.Unmarshal(raw, &document); err != nil {
			return err
		}
		for _, owner := range document.Metadata.OwnerReferences {
			if owner.Controller {
				d.Owners[d.PodIDs[i]] = owner.Kind
			}
		}
	}
	return nil
}
