package reference

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	impl "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

var initMetrics = sync.OnceFunc(metrics.InitMetrics)

// Handle is a framework of upstream's own plugins, and the lister that it reads. Snapshots may share
// it; they take turns.
type Handle struct {
	framework impl.Framework
	lister    *delegate
}

// NewHandle builds the framework of a configuration, YAML or JSON; "" is upstream's default. Plugins
// find the objects through informers of a client that has nothing else.
func NewHandle(ctx context.Context, configuration string, objects ...runtime.Object) (*Handle, error) {
	initMetrics()
	config, err := decode(configuration)
	if err != nil {
		return nil, err
	}
	if len(config.Profiles) != 1 {
		return nil, fmt.Errorf("unexpected scheduler config: expected one scheduler profile only (found %d profiles)", len(config.Profiles))
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0)
	lister := &delegate{nobody{}}
	built, err := frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), &config.Profiles[0],
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(lister),
		frameworkruntime.WithSharedDRAManager(lister),
		frameworkruntime.WithSharedCSIManager(lister),
	)
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	sync, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	for kind, ok := range factory.WaitForCacheSync(sync.Done()) {
		if !ok {
			return nil, fmt.Errorf("informer %v did not sync", kind)
		}
	}
	return &Handle{framework: built, lister: lister}, nil
}

func decode(configuration string) (*schedconfig.KubeSchedulerConfiguration, error) {
	if configuration == "" {
		return latest.Default()
	}
	object, kind, err := schedscheme.Codecs.UniversalDecoder().Decode([]byte(configuration), nil, nil)
	if err != nil {
		return nil, err
	}
	config, ok := object.(*schedconfig.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("got %s, want KubeSchedulerConfiguration", kind)
	}
	return config, nil
}

// lend makes the framework read a snapshot until the returned function is called.
func (h *Handle) lend(to framework.SharedLister) func() {
	h.lister.SharedLister = to
	return func() { h.lister.SharedLister = nobody{} }
}
