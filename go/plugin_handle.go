package libsched

// #include "plugin_bridge.h"
import "C"

import "sync/atomic"

// Handle is upstream's handle, as far as it applies to a library; a [PluginFactory] gets it for its
// plugin. A framework serves any number of clusters, so View and Services belong to the plugin call
// that runs on the goroutine. They are nil outside of a query; OnEvent and ForkFollower get them as arguments.
type Handle interface {
	// Framework returns the plugin's framework, for RunFilterPlugins and similar calls; nil until
	// NewFramework has returned. Closing it does nothing.
	Framework() *Framework
	// View returns the view that the plugin is asked about: upstream's SnapshotSharedLister. It is lent
	// to the call.
	View() View
	// Services returns the view's services: clock, API client, nominated and waiting pods.
	Services() *Services
}

// home refers from plugins to their framework without keeping it from being collected.
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

// running returns the plugin call of a query on this goroutine, whose thread runs nothing else.
func running() *call {
	frame := C.lsgo_asking()
	if frame == nil || frame.evaluator == nil {
		return nil
	}
	return askerOf(frame).running
}
