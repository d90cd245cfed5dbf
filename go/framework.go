package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"fmt"
	"maps"
)

// Framework is one scheduler profile with its plugins. It is immutable and safe for concurrent use.
type Framework struct {
	h *handle[*C.libsched_framework]
	// lent says that the Framework is lent to a plugin, and another one owns the handle.
	lent bool

	parallelism uint32 // of its evaluators; 0: their default
}

// FrameworkOption changes how a framework is made.
type FrameworkOption func(*frameworkOptions) error

type frameworkOptions struct {
	config    *Config
	document  []byte // a configuration, or nil; read when all options are known
	profile   string
	gates     map[string]bool
	semantics string
	registry  *Registry
	several   bool
	ctx       context.Context
	parallel  int
}

// WithConfig takes the profile from a configuration. The default is upstream's default profile.
func WithConfig(config *Config) FrameworkOption {
	return func(o *frameworkOptions) error {
		if config == nil {
			return closedError(config)
		}
		o.config, o.document = config, nil
		return nil
	}
}

// WithConfigYAML takes the profile from a KubeSchedulerConfiguration, YAML or JSON.
func WithConfigYAML(document []byte) FrameworkOption {
	return func(o *frameworkOptions) error {
		o.config, o.document = nil, append([]byte{}, document...)
		return nil
	}
}

// WithProfile chooses a profile by schedulerName; it is needed if the configuration has several.
func WithProfile(schedulerName string) FrameworkOption {
	return func(o *frameworkOptions) error { o.profile = schedulerName; return nil }
}

// WithFeatureGates sets feature gates to values other than their defaults in the release ([WithSemantics]).
func WithFeatureGates(gates map[string]bool) FrameworkOption {
	return func(o *frameworkOptions) error { o.gates = maps.Clone(gates); return nil }
}

// WithSemantics chooses the release whose semantics apply: "1.31" to "1.37" (default: that of the
// configuration, see [ConfigSemantics], else [KubernetesVersion]); a version of one names it, too, as API servers and
// vendors write it ("v1.31.9-eks-1"). Feature gates, default plugins and rules of configurations are those
// of the release, as which plugins judge, score, count requests and ports, and word their reasons. Up to
// 1.34 ties are broken uniformly by CycleOptions.Seed.
func WithSemantics(release string) FrameworkOption {
	return func(o *frameworkOptions) error { o.semantics = release; return nil }
}

// WithRegistry makes custom plugins available. The configuration says which of them are enabled, and at
// which extension points; a plugin that no profile names is enabled in all of them, at all of its points, after
// the profile's own. A profile that should run without it disables it.
func WithRegistry(registry *Registry) FrameworkOption {
	return func(o *frameworkOptions) error {
		if registry == nil {
			return closedError(registry)
		}
		o.registry = registry
		return nil
	}
}

// WithContext sets the context of plugin factories ([PluginFactory]). The default is Background.
func WithContext(ctx context.Context) FrameworkOption {
	return func(o *frameworkOptions) error { o.ctx = ctx; return nil }
}

// WithSeveralQueueSorts allows several QueueSort plugins in a profile: if one finds two pods
// equal, the next one decides. Without it several plugins are upstream's error. Read a Config that lists
// them at queueSort with [SeveralQueueSorts].
func WithSeveralQueueSorts() FrameworkOption {
	return func(o *frameworkOptions) error { o.several = true; return nil }
}

// WithParallelism sets the number of threads of one call (upstream's Parallelizer), including the calling
// thread; the default is 1. With more threads, preemption tries nodes in parallel. The
// answers are the same. Plugins in Go stay on the calling thread, and so does preemption if one of them is
// at PreFilter or Filter.
func WithParallelism(threads int) FrameworkOption {
	return func(o *frameworkOptions) error {
		if threads < 1 || threads > 1024 {
			return &Error{Code: ErrInvalid,
				Msg: fmt.Sprintf("parallelism is a number from 1 to 1024, not %d", threads)}
		}
		o.parallel = threads
		return nil
	}
}

// readConfig reads the document of WithConfigYAML.
func (o *frameworkOptions) readConfig() (err error) {
	o.config, err = parseConfig(o.document, configOptions{several: o.several, gates: o.gates, semantics: o.semantics})
	return err
}

// NewFramework makes the plugins of a profile. Errors: ErrInvalid with upstream's message (also for
// an unknown feature gate, a plugin's factory that failed, or semantics other than the configuration's),
// ErrNotFound (profile), ErrUnsupported (also unknown semantics).
func NewFramework(options ...FrameworkOption) (*Framework, error) {
	o := frameworkOptions{ctx: context.Background()}
	for _, option := range options {
		if err := option(&o); err != nil {
			return nil, err
		}
	}
	if o.document != nil {
		if err := o.readConfig(); err != nil {
			return nil, err
		}
		defer o.config.Close()
	}
	var config *C.libsched_config
	if o.config != nil {
		ptr, ok := o.config.h.acquire()
		if !ok {
			return nil, closedError(o.config)
		}
		defer o.config.h.release()
		config = ptr
	}
	var registry *C.libsched_registry
	at := &home{}
	if o.registry != nil {
		ptr, err := o.registry.lock()
		if err != nil {
			return nil, err
		}
		defer o.registry.unlock()
		*o.registry.making = making{o.ctx, at}
		registry = ptr
	}
	var out *C.libsched_framework
	var failure *C.libsched_error
	var pin pinned
	defer pin.Unpin()
	c := C.libsched_framework_options{
		struct_size: C.sizeof_libsched_framework_options, several_queue_sorts: C.bool(o.several),
		feature_gates: pin.str(gateText(o.gates)), semantics: pin.str(o.semantics),
	}
	rc := C.lsgo_framework_create(config, str(o.profile), registry, c, &out, &failure)
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	fw := &Framework{h: newHandle(out, func(p *C.libsched_framework) { C.libsched_framework_unref(p) }),
		parallelism: uint32(o.parallel)}
	at.fw.Store(fw.h)
	closeWhenUnreachable(fw, fw.h)
	return fw, nil
}

// Close releases the framework.
func (fw *Framework) Close() {
	if fw != nil && !fw.lent {
		fw.h.close()
	}
}

// Profile returns the schedulerName.
func (fw *Framework) Profile() string {
	return ask(fw.h, func(ptr *C.libsched_framework) string { return goString(C.libsched_framework_profile(ptr)) })
}

// PluginWeight is a plugin at an extension point; the weight applies to "score".
type PluginWeight struct {
	Name   string
	Weight int32
}

// Plugins returns the plugins of each extension point ("preFilter", "filter", ...) in their order.
func (fw *Framework) Plugins() (map[string][]PluginWeight, error) {
	ptr, ok := fw.h.acquire()
	if !ok {
		return nil, closedError(fw)
	}
	defer fw.h.release()
	plugins := map[string][]PluginWeight{}
	for p := C.size_t(0); ; p++ {
		point := C.libsched_extension_point_name(p)
		if point.len == 0 {
			return plugins, nil
		}
		count := C.libsched_framework_plugin_count(ptr, point)
		for i := C.size_t(0); i < count; i++ {
			plugins[goString(point)] = append(plugins[goString(point)], PluginWeight{
				Name:   goString(C.libsched_framework_plugin(ptr, point, i)),
				Weight: int32(C.libsched_framework_plugin_weight(ptr, point, i)),
			})
		}
	}
}
