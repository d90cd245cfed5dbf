package libsched_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"libsched"
)

const twoProfiles = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: one
- schedulerName: two
  plugins:
    filter: {disabled: [{name: "*"}], enabled: [{name: NodeName}]}
`

func names(plugins []libsched.PluginWeight) []string {
	var names []string
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	return names
}

func TestFramework(t *testing.T) {
	fw := newFramework(t)
	plugins := must(fw.Plugins())(t)
	if fw.Profile() != "default-scheduler" || plugins["filter"][0].Name != "NodeName" ||
		plugins["score"][0] != (libsched.PluginWeight{Name: "TaintToleration", Weight: 3}) {
		t.Error(fw.Profile(), plugins)
	}
	two := newFramework(t, libsched.WithConfigYAML([]byte(twoProfiles)),
		libsched.WithProfile("two"))
	if plugins := must(two.Plugins())(t); !slices.Equal(names(plugins["filter"]),
		[]string{"NodeName"}) {
		t.Error(plugins)
	}
	newFramework(t, libsched.WithFeatureGates(map[string]bool{"DynamicResourceAllocation": true}))
}

func TestConfig(t *testing.T) {
	config := must(libsched.ParseConfig([]byte(twoProfiles)))(t)
	if !slices.Equal(config.Profiles(), []string{"one", "two"}) {
		t.Error(config.Profiles())
	}
	if !json.Valid(must(config.DescribeJSON())(t)) {
		t.Error("not JSON")
	}
	fw := newFramework(t, libsched.WithConfig(config), libsched.WithProfile("one"))
	config.Close()
	if fw.Profile() != "one" || config.Profiles() != nil {
		t.Error(fw.Profile(), config.Profiles())
	}
}

func TestFrameworkErrors(t *testing.T) {
	for text, c := range map[string]struct {
		kind    libsched.ErrorCode
		options []libsched.FrameworkOption
	}{
		"three": {libsched.ErrNotFound, []libsched.FrameworkOption{
			libsched.WithConfigYAML([]byte(twoProfiles)), libsched.WithProfile("three")}},
		"NoSuchGate": {libsched.ErrInvalid, []libsched.FrameworkOption{
			libsched.WithFeatureGates(map[string]bool{"NoSuchGate": true})}},
		"parallelism": {libsched.ErrInvalid,
			[]libsched.FrameworkOption{libsched.WithConfigYAML([]byte(
				"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"))}},
		"nil Config": {libsched.ErrMisuse, []libsched.FrameworkOption{libsched.WithConfig(nil)}},
	} {
		fw, err := libsched.NewFramework(c.options...)
		if fw != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestVersions(t *testing.T) {
	if !strings.HasPrefix(libsched.Version(), "0.") || libsched.KubernetesVersion() != "1.37" {
		t.Error(libsched.Version(), libsched.KubernetesVersion())
	}
}

func TestStatus(t *testing.T) {
	var success *libsched.Status
	if !success.IsSuccess() || success.Code() != libsched.Success || success.Reasons() != nil ||
		success.Plugin() != "" ||
		success.AsError() != nil || success.String() != "Success" ||
		success.WithPlugin("p") != nil {
		t.Error("nil Status")
	}
	s := libsched.NewStatus(libsched.Unschedulable, "too small", "too far").WithPlugin("Fit")
	if s.Message() != "too small, too far" || s.Plugin() != "Fit" ||
		s.AsError().Error() != s.Message() ||
		s.String() != "Unschedulable: too small, too far" || !s.Equal(s.WithPlugin("Fit")) ||
		s.Equal(nil) || s.Equal(s.WithPlugin("x")) {
		t.Error(s)
	}
	for code, expected := range map[libsched.Code]struct {
		name                            string
		success, rejected, wait, isSkip bool
		isError                         bool
	}{
		libsched.Success:   {name: "Success", success: true},
		libsched.CodeError: {name: "Error", isError: true},
		libsched.Unschedulable: {name: "Unschedulable", rejected: true,
			isError: true},
		libsched.UnschedulableAndUnresolvable: {name: "UnschedulableAndUnresolvable",
			rejected: true, isError: true},
		libsched.Wait:    {name: "Wait", wait: true},
		libsched.Skip:    {name: "Skip", isSkip: true},
		libsched.Pending: {name: "Pending", rejected: true, isError: true},
		libsched.Code(9): {name: "Code(9)", isError: true},
	} {
		s := libsched.NewStatus(code, "why")
		if code.String() != expected.name || s.IsSuccess() != expected.success ||
			s.IsRejected() != expected.rejected ||
			s.IsWait() != expected.wait || s.IsSkip() != expected.isSkip ||
			(s.AsError() != nil) != expected.isError {
			t.Errorf("%v", s)
		}
	}
	failed := &libsched.Error{Code: libsched.ErrState, Msg: "no", Path: "a.b", Plugin: "P"}
	if s := libsched.AsStatus(failed); s.AsError() != failed || s.Plugin() != "P" ||
		s.Message() != "a.b: no" {
		t.Error(s)
	}
	if libsched.AsStatus(nil) != nil {
		t.Error("AsStatus(nil)")
	}
}
