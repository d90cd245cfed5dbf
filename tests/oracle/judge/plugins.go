// The plugin lists of finished profiles.

package judge

import (
	"context"
	"io"
	"reflect"
	"strings"

	"k8s.io/klog/v2"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"libsched.dev/tests/oracle/cases"
)

// PluginWeight is a plugin in a finished profile.
type PluginWeight struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight,omitempty"`
}

// PluginLists lists the plugins that run at each extension point of this minor release.
func PluginLists(p *schedconfig.Plugins) map[string][]PluginWeight {
	out := map[string][]PluginWeight{}
	for field, value := range reflect.ValueOf(*p).Fields() {
		set, ok := value.Interface().(schedconfig.PluginSet)
		if !ok || field.Name == "MultiPoint" { // it is expanded into the others
			continue
		}
		name := strings.ToLower(field.Name[:1]) + field.Name[1:]
		for _, pl := range set.Enabled {
			out[name] = append(out[name], PluginWeight{pl.Name, pl.Weight})
		}
	}
	return out
}

// Profiles builds the framework of every profile of a configuration in an empty
// cluster and lists its plugins per extension point.
func Profiles(ctx context.Context, cfg *schedconfig.KubeSchedulerConfiguration) (map[string]map[string][]PluginWeight, error) {
	e, err := newEngineWith(ctx, &cases.Case{}, cfg)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	out := map[string]map[string][]PluginWeight{}
	for name, env := range e.profiles {
		out[name] = PluginLists(env.fw.ListPlugins())
	}
	return out, nil
}

// Quiet keeps klog silent.
func Quiet() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
