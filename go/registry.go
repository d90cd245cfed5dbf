package libsched

// #include "plugin_bridge.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/cgo"
	"sync"
)

// Registry holds the plugins that a framework may use: the in-tree plugins, and those added by
// [Registry.Register], [AddPlugin] and [Registry.Load].
type Registry struct {
	h      *handle[*C.libsched_registry]
	mu     sync.Mutex // guards the registry
	making *making    // for factories, while a framework is made
}

// NewRegistry returns a registry of the in-tree plugins.
func NewRegistry() (*Registry, error) {
	var ptr *C.libsched_registry
	var failure *C.libsched_error
	if rc := C.libsched_registry_create(&ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	r := &Registry{h: newHandle(ptr, func(p *C.libsched_registry) { C.libsched_registry_unref(p) }),
		making: &making{}}
	closeWhenUnreachable(r, r.h)
	return r, nil
}

// Close releases the registry. Frameworks made with it stay valid.
func (r *Registry) Close() {
	if r != nil {
		r.h.close()
	}
}

// lock locks the registry; unlock must follow unless it fails.
func (r *Registry) lock() (*C.libsched_registry, error) {
	if r == nil {
		return nil, closedError(r)
	}
	ptr, ok := r.h.acquire()
	if !ok {
		return nil, closedError(r)
	}
	r.mu.Lock()
	return ptr, nil
}

func (r *Registry) unlock() {
	r.mu.Unlock()
	r.h.release()
}

// PluginOption changes how a plugin is called.
type PluginOption func(*registration)

// Concurrent allows concurrent calls of the plugin. Without it a lock serialises its calls over all
// frameworks of the registry. In both cases a plugin is called on the goroutines that call the
// library, never on the library's own threads ([WithParallelism]).
func Concurrent() PluginOption {
	return func(r *registration) { r.flags |= C.LIBSCHED_PLUGIN_CONCURRENT }
}

// WithReasons sets the reasons to which a FilterBatchPlugin's verdicts refer by index.
func WithReasons(reasons ...string) PluginOption {
	return func(r *registration) { r.reasons = append(r.reasons, reasons...) }
}

// registration is an added plugin; C holds it by a handle.
type registration struct {
	name    string
	of      reflect.Type // the plugin's type
	make    PluginFactory
	making  *making // the registry's
	flags   C.uint32_t
	reasons []string
}

// making is the framework that is being made from a registry, which is locked meanwhile.
type making struct {
	ctx  context.Context
	home *home
}

// PluginFactory makes an instance of a plugin for each framework, as upstream's PluginFactory. The
// context is that of [WithContext]; args is the plugin's pluginConfig as JSON, "null" if it has none.
type PluginFactory func(ctx context.Context, args json.RawMessage, h Handle) (Plugin, error)

// Register adds a custom plugin under a name, with a factory of upstream's form; see [WithRegistry] for where it
// is enabled. The type of `like`, which may be a nil pointer, determines the
// extension points by its interfaces ([FilterPlugin], [ScorePlugin], ...); the factory returns that type.
//
//	err := registry.Register("Mine", New, (*Mine)(nil))
//
// Errors: as [AddPlugin].
func (r *Registry) Register(name string, factory PluginFactory, like Plugin, options ...PluginOption) error {
	if factory == nil || like == nil {
		return &Error{Code: ErrMisuse, Plugin: name,
			Msg: fmt.Sprintf("plugin %q needs a PluginFactory, and a value of its type", name)}
	}
	return r.add(&registration{name: name, of: reflect.TypeOf(like), make: factory}, options)
}

// AddPlugin is [Registry.Register] with a factory that takes only the arguments and whose result
// determines the plugin's type P.
//
// Errors: ErrExists; ErrInvalid without a name, and if P has no extension point, a method with the name of one
// but another signature, or a method whose name looks like that of one.
func AddPlugin[P Plugin](r *Registry, name string, factory func(args json.RawMessage) (P, error),
	options ...PluginOption) error {
	return r.add(&registration{name: name, of: reflect.TypeFor[P](),
		make: func(_ context.Context, args json.RawMessage, _ Handle) (Plugin, error) { return factory(args) }},
		options)
}

// instance makes an instance for the framework that is being made.
func (g *registration) instance(args json.RawMessage) (*instance, error) {
	plugin, err := g.make(g.making.ctx, args, &pluginHandle{g.making.home})
	if err != nil {
		return nil, err
	}
	v := reflect.ValueOf(plugin)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("the factory of plugin %q gave nil", g.name)
	}
	if g.of.Kind() != reflect.Interface && v.Type() != g.of {
		return nil, fmt.Errorf("the factory of plugin %q gave a %v, but it was registered as %v", g.name,
			v.Type(), g.of)
	}
	i := newInstance(g.name, plugin)
	i.home = g.making.home
	return i, nil
}

func (r *Registry) add(g *registration, options []PluginOption) error {
	slots, err := slotsOf(g.of)
	if err != nil {
		return &Error{Code: ErrInvalid, Msg: fmt.Sprintf("plugin %q: %v", g.name, err), Plugin: g.name}
	}
	g.flags |= C.LIBSCHED_PLUGIN_CALLER_THREAD // only this thread has the frame of the caller and its locks
	for _, option := range options {
		option(g)
	}
	ptr, err := r.lock()
	if err != nil {
		return err
	}
	defer r.unlock()
	g.making = r.making
	var pin pinned
	defer pin.Unpin()
	var failure *C.libsched_error
	rc := C.lsgo_registry_add(ptr, str(g.name), g.flags, slots, pin.strs(g.reasons), C.size_t(len(g.reasons)),
		C.uintptr_t(cgo.NewHandle(g)), &failure)
	return takeError(rc, failure)
}

// Load adds the plugins of a shared object, in C or C++: all that its libsched_plugin_init adds, or
// none. Errors: ErrInvalid (an empty path), ErrIO (with the loader's text), ErrUnsupported (not a
// shared object of plugins, or the program is linked to the static library, which loads none), and the errors
// of the plugins.
func (r *Registry) Load(path string) error {
	ptr, err := r.lock()
	if err != nil {
		return err
	}
	defer r.unlock()
	var failure *C.libsched_error
	return takeError(C.libsched_registry_load(ptr, str(path), &failure), failure)
}
