package main

// What crossing between Go and C costs: a call that does next to nothing, and plugins in Go that
// accept every node, asked node by node and once for all.

import (
	"context"
	"encoding/json"
	"fmt"

	"libsched"
)

const boundaryNodes = 5000

type idle struct{}

func (idle) Name() string { return "Mine" }
func (idle) PreFilter(context.Context, *libsched.CycleState, *libsched.Pod) (*libsched.PreFilterResult, *libsched.Status) {
	return nil, nil
}

type acceptEach struct{ idle }

func (acceptEach) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	return nil
}

type acceptAll struct{ idle }

func (acceptAll) FilterBatch(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.Nodes, *libsched.Verdicts) *libsched.Status {
	return nil
}

func (b *bench) boundary() error {
	cluster, err := libsched.NewCluster()
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := b.timed("boundary/go/call", 10000, func() error {
		if cluster.ForkDepth() != 0 {
			return fmt.Errorf("a fork is open")
		}
		return nil
	}); err != nil {
		return err
	}
	for i := range boundaryNodes {
		node, err := libsched.ParseNode(fmt.Appendf(nil, `{"metadata": {"name": "n%d"}, "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}}`, i))
		if err != nil {
			return err
		}
		if err := cluster.AddNode(node); err != nil {
			return err
		}
	}
	if err := callbacks(b, "without", cluster, idle{}); err != nil {
		return err
	}
	if err := callbacks(b, "filter", cluster, acceptEach{}); err != nil {
		return err
	}
	return callbacks(b, "filter_batch", cluster, acceptAll{})
}

// callbacks measures Filter over all nodes with a plugin alone.
func callbacks[P libsched.Plugin](b *bench, name string, cluster *libsched.Cluster, plugin P) error {
	ctx := context.Background()
	registry, err := libsched.NewRegistry()
	if err != nil {
		return err
	}
	if err := libsched.AddPlugin(registry, "Mine", func(json.RawMessage) (P, error) { return plugin, nil }, libsched.Concurrent()); err != nil {
		return err
	}
	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: Mine}]
`)))
	if err != nil {
		return err
	}
	pod, err := libsched.ParsePod([]byte(`{"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}`))
	if err != nil {
		return err
	}
	state := libsched.NewCycleState()
	if _, status := fw.RunPreFilterPlugins(ctx, state, cluster, pod); !status.IsSuccess() {
		return status.AsError()
	}
	into := libsched.NewNodeSet(cluster)
	return b.timed("boundary/go/"+name, 10, func() error {
		found, err := fw.FilterNodes(ctx, state, cluster, pod, libsched.FilterOptions{Into: into})
		if err == nil && found.Count != boundaryNodes {
			err = fmt.Errorf("%d nodes accept the pod", found.Count)
		}
		return err
	})
}
