// Command probe tells what the release of Kubernetes that it is built with has in its tables: command
// releases builds it with each. Without arguments it prints the feature gates and the default plugins
// as JSON. With an argument, a text for --feature-gates, it judges the configuration that it reads.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	"k8s.io/component-base/metrics/legacyregistry"
	configv1 "k8s.io/kube-scheduler/config/v1"
	_ "k8s.io/kubernetes/pkg/features"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	schedconfigv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	schedmetrics "k8s.io/kubernetes/pkg/scheduler/metrics"
)

func main() {
	// The command kube-scheduler adds these two itself.
	gates := utilfeature.DefaultMutableFeatureGate
	err := errors.Join(logsapi.AddFeatureGates(gates), metricsfeatures.AddFeatureGates(gates))
	var out any
	if err == nil && len(os.Args) > 1 {
		out, err = judge(os.Args[1])
	} else if err == nil {
		out, err = tables()
	}
	if err == nil {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		err = enc.Encode(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Tables is what releases.json has of a release.
type Tables struct {
	Gates          map[string]string          `json:"gates"`
	Needs          map[string][]string        `json:"needs"`
	DefaultPlugins []string                   `json:"defaultPlugins"`
	DefaultArgs    map[string]json.RawMessage `json:"defaultArgs"`
	Metrics        map[string]string          `json:"metrics"`
}

func tables() (*Tables, error) {
	gates := utilfeature.DefaultMutableFeatureGate
	out := Tables{map[string]string{}, map[string][]string{}, nil, map[string]json.RawMessage{}, map[string]string{}}
	for name, spec := range gates.GetAll() {
		if name != "AllAlpha" && name != "AllBeta" {
			out.Gates[string(name)] = words(spec)
		}
	}
	if with, ok := gates.(interface { // since 1.35
		Dependencies() map[featuregate.Feature][]featuregate.Feature
	}); ok {
		for name, needs := range with.Dependencies() {
			for _, need := range needs {
				out.Needs[string(name)] = append(out.Needs[string(name)], string(need))
			}
		}
	}
	var config configv1.KubeSchedulerConfiguration
	schedconfigv1.SetDefaults_KubeSchedulerConfiguration(&config)
	out.DefaultPlugins = plugins(config.Profiles[0].Plugins.MultiPoint.Enabled)
	for _, c := range config.Profiles[0].PluginConfig {
		args, err := json.Marshal(c.Args.Object)
		if err != nil {
			return nil, err
		}
		out.DefaultArgs[c.Name] = args
	}
	return &out, metrics(out.Metrics)
}

// metricGates are those that the scheduler asks before it registers metrics.
var metricGates = []featuregate.Feature{"SchedulerQueueingHints", "SchedulerAsyncPreemption", "SchedulerAsyncAPICalls",
	"DRAExtendedResource", "GenericWorkload", "TopologyAwareWorkloadScheduling", "DRADeviceBindingConditions"}

var described = regexp.MustCompile(`^Desc\{fqName: "(scheduler_[^"]*)", help: (".*?")(?:, unit: "[^"]*")?, constLabels: \{\}, variableLabels: \{(.*)\}\}$`)

// metrics adds the help text, which begins with the stability, and the labels of each metric that the
// scheduler has with all gates.
func metrics(out map[string]string) error {
	gates := utilfeature.DefaultMutableFeatureGate
	known := gates.GetAll()
	on := map[string]bool{}
	for _, gate := range metricGates {
		if _, ok := known[gate]; ok {
			on[string(gate)] = true
		}
	}
	if err := gates.SetFromMap(on); err != nil {
		return err
	}
	schedmetrics.Register()
	registry, ok := legacyregistry.Registerer().(prometheus.Collector)
	if !ok {
		return errors.New("the registry does not describe its metrics")
	}
	all := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(all)
		close(all)
	}()
	for desc := range all {
		if m := described.FindStringSubmatch(desc.String()); m != nil {
			help, err := strconv.Unquote(m[2])
			if err != nil {
				return err
			}
			labels := strings.Split(m[3], ",")
			slices.Sort(labels)
			out[m[1]] = help + " {" + strings.Join(labels, ",") + "}"
		}
	}
	return nil
}

// plugins writes plugins with their weights.
func plugins(list []configv1.Plugin) (out []string) {
	for _, p := range list {
		entry := p.Name
		if p.Weight != nil && *p.Weight != 0 {
			entry += fmt.Sprint(" ", *p.Weight)
		}
		out = append(out, entry)
	}
	return out
}

// Answer is what the release says of a configuration: the error and the step that it comes from, or
// what the first profile has otherwise than without a configuration, of the plugins for all points
// and of the arguments.
type Answer struct {
	Stage      string                     `json:"stage,omitempty"`
	Error      string                     `json:"error,omitempty"`
	MultiPoint []string                   `json:"multiPoint,omitempty"`
	Args       map[string]json.RawMessage `json:"args,omitempty"`
}

func judge(gates string) (*Answer, error) {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	usual, err := latest.Default()
	if err != nil {
		return nil, err
	}
	without, err := firstProfile(usual)
	if err != nil {
		return nil, err
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		return &Answer{Stage: "gates", Error: err.Error()}, nil
	}
	obj, gvk, err := schedscheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return &Answer{Stage: "decode", Error: err.Error()}, nil
	}
	config, ok := obj.(*schedconfig.KubeSchedulerConfiguration)
	if !ok { // in the words of the command kube-scheduler
		return &Answer{Stage: "decode", Error: fmt.Sprintf("couldn't decode as KubeSchedulerConfiguration, got %s: ", gvk)}, nil
	}
	config.APIVersion = gvk.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(config); err != nil {
		return &Answer{Stage: "validate", Error: err.Error()}, nil
	}
	for _, c := range config.Profiles[0].PluginConfig {
		// The plugin's factory asks this.
		if args, ok := c.Args.(*schedconfig.NodeResourcesFitArgs); ok {
			if err := validation.ValidateNodeResourcesFitArgs(nil, args); err != nil {
				return &Answer{Stage: "framework", Error: fmt.Sprintf("initializing plugin %q: %v", c.Name, err)}, nil
			}
		}
	}
	with, err := firstProfile(config)
	if err != nil {
		return nil, err
	}
	if slices.Equal(with.MultiPoint, without.MultiPoint) {
		with.MultiPoint = nil
	}
	maps.DeleteFunc(with.Args, func(name string, args json.RawMessage) bool {
		return bytes.Equal(args, without.Args[name])
	})
	return with, nil
}

// firstProfile returns the plugins and the arguments of the first profile.
func firstProfile(config *schedconfig.KubeSchedulerConfiguration) (*Answer, error) {
	info, _ := runtime.SerializerInfoForMediaType(schedscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	var written bytes.Buffer
	if err := schedscheme.Codecs.EncoderForVersion(info.Serializer, configv1.SchemeGroupVersion).Encode(config, &written); err != nil {
		return nil, err
	}
	var read struct {
		Profiles []struct {
			Plugins struct {
				MultiPoint struct{ Enabled []configv1.Plugin }
			}
			PluginConfig []struct {
				Name string
				Args json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(written.Bytes(), &read); err != nil {
		return nil, err
	}
	out := Answer{MultiPoint: plugins(read.Profiles[0].Plugins.MultiPoint.Enabled), Args: map[string]json.RawMessage{}}
	for _, c := range read.Profiles[0].PluginConfig {
		out.Args[c.Name] = c.Args
	}
	return &out, nil
}

// words writes a gate as "beta on" or "ga on locked".
func words(spec featuregate.FeatureSpec) string {
	out := strings.ToLower(string(spec.PreRelease))
	if out == "" {
		out = "ga"
	}
	if spec.Default {
		out += " on"
	} else {
		out += " off"
	}
	if spec.LockToDefault {
		out += " locked"
	}
	return out
}
