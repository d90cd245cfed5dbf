package libsched

// #include "plugin_bridge.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/cgo"
	"sync"
)

// Registry is the plugins that a framework may use: the in-tree ones, and those of [AddPlugin].
type Registry struct {
	h  *handle[*C.libsched_registry]
	mu sync.Mutex // fills and reads it
}

// NewRegistry makes a registry of the in-tree plugins.
func NewRegistry() (*Registry, error) {
	var ptr *C.libsched_registry
	var failure *C.libsched_error
	if rc := C.libsched_registry_create(&ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	r := &Registry{h: newHandle(ptr, func(p *C.libsched_registry) { C.libsched_registry_unref(p) })}
	closeWhenUnreachable(r, r.h)
	return r, nil
}

// Close releases the registry. Frameworks that were made with it stay.
func (r *Registry) Close() {
	if r != nil {
		r.h.close()
	}
}

// lock needs unlock unless it fails.
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

// PluginOption says how a plugin is called.
type PluginOption func(*registration)

// Concurrent allows calls on several goroutines at once. Without it a lock lets one call of the
// plugin run at a time, over all frameworks of the registry.
func Concurrent() PluginOption {
	return func(r *registration) { r.flags |= C.LIBSCHED_PLUGIN_CONCURRENT }
}

// WithReasons gives the reasons that a FilterBatchPlugin's verdicts point into.
func WithReasons(reasons ...string) PluginOption {
	return func(r *registration) { r.reasons = append(r.reasons, reasons...) }
}

// registration is a plugin as it was added; C holds it by a handle.
type registration struct {
	name    string
	make    func(args json.RawMessage) (Plugin, error)
	flags   C.uint32_t
	reasons []string
}

// AddPlugin adds a plugin of one's own under a name; a configuration then enables it as any other.
// The factory makes an instance for each framework; args is the plugin's pluginConfig, "null" if it
// has none. The extension points are those whose interfaces P implements ([FilterPlugin],
// [ScorePlugin], ...), so the factory must return the plugin's own type.
//
// Errors: ErrExists; ErrInvalid without a name, and for a P with a method that has the name of an
// extension point, but another signature.
func AddPlugin[P Plugin](r *Registry, name string, factory func(args json.RawMessage) (P, error),
	options ...PluginOption) error {
	return r.add(&registration{name: name, make: func(args json.RawMessage) (Plugin, error) {
		plugin, err := factory(args)
		if err != nil {
			return nil, err
		}
		if v := reflect.ValueOf(plugin); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("the factory of plugin %q gave nil", name)
		}
		return plugin, nil
	}}, reflect.TypeFor[P](), options)
}

func (r *Registry) add(g *registration, plugin reflect.Type, options []PluginOption) error {
	slots, err := slotsOf(plugin)
	if err != nil {
		return &Error{Code: ErrInvalid, Msg: fmt.Sprintf("plugin %q: %v", g.name, err), Plugin: g.name}
	}
	for _, option := range options {
		option(g)
	}
	ptr, err := r.lock()
	if err != nil {
		return err
	}
	defer r.unlock()
	name, nameLen := textOf(g.name)
	list := listOf(g.reasons)
	var failure *C.libsched_error
	rc := C.lsgo_registry_add(ptr, name, nameLen, g.flags, slots, list.text(), list.lengthList(),
		C.size_t(len(g.reasons)), C.uintptr_t(cgo.NewHandle(g)), &failure)
	return takeError(rc, failure)
}
