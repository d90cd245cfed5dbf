package libsched

// #include "plugin_bridge.h"
import "C"

import "sync/atomic"

// Handle is what a [PluginFactory] gets for its plugin to keep: upstream's, as far as a library has
// it. A framework is for any number of clusters, so View and Services are those of the plugin's call
// that runs on the goroutine. They are nil outside of a query's calls; OnEvent and ForkFollower are told.
type Handle interface {
	// Framework is the one that the plugin belongs to, for RunFilterPlugins and the like; nil until
	// NewFramework has returned. Closing it does nothing.
	Framework() *Framework
	// View is what the plugin is asked about: upstream's SnapshotSharedLister. It is lent to the call.
	View() View
	// Services are those of the view: clock, API client, nominated and waiting pods.
	Services() *Services
}

// home is the framework of plugins, which must not keep it from being collected.
type home struct {
	fw atomic.Pointer[handle[*C.libsched_framework]]
}

type pluginHandle struct{ home *home }

func (h *pluginHandle) Framework() *Framework {
	fw := h.home.fw.Load()
	if fw == nil {
		return nil
	}
	return &Framework{h: fw, lent: true}
}

func (h *pluginHandle) View() View {
	if c := running(); c != nil {
		return c.state.View()
	}
	return nil
}

func (h *pluginHandle) Services() *Services {
	if c := running(); c != nil {
		return c.state.Services()
	}
	return nil
}

// running is the call of a plugin, by a query, that runs on this goroutine: its thread runs nothing else.
func running() *call {
	frame := C.lsgo_asking()
	if frame == nil || frame.evaluator == nil {
		return nil
	}
	return askerOf(frame).running
}
