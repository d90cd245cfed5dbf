package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"libsched"
)

type (
	team       struct{}
	pointless  struct{ team }
	ofPointers struct{ team }
	typo       struct{ team }
	// answering gives the status it has, or panics without one.
	answering struct {
		team
		status *libsched.Status
	}
)

func (team) Name() string { return "Team" }

func (*ofPointers) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	return nil
}

func (*typo) Fliter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	return nil
}

func (a *answering) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	if a.status == nil {
		panic("boom")
	}
	return a.status
}

// Bends has names that look like those of points by chance alone.
type bends struct{ ofPointers }

func (*bends) Filters() int          { return 0 }
func (*bends) Find(string) bool      { return true }
func (*bends) Scored(a, b int) error { return nil }

// mistakeRows returns the rows of Go in the plugin guide's table of mistakes: the mistakes in order, and what is said.
func mistakeRows(t *testing.T) (order []string, said map[string]string) {
	t.Helper()
	guide, err := os.ReadFile("../docs/manual/pages/plugins.md")
	check(t, err)
	_, table, _ := strings.Cut(string(guide), "\n## Mistakes\n")
	table, _, _ = strings.Cut(table, "\n## ")
	said = map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (.+?) \\| (.+?) \\| `(.+)` \\|$").FindAllStringSubmatch(table, -1) {
		if slices.Contains(strings.Split(row[2], ", "), "Go") {
			order, said[row[1]] = append(order, row[1]), row[3]
		}
	}
	return order, said
}

// added tries to add a plugin, as a program calls it.
func added[P libsched.Plugin](t *testing.T, plugin P) error {
	t.Helper()
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	return libsched.AddPlugin(r, "Team", func(json.RawMessage) (P, error) { return plugin, nil })
}

// asked asks a plugin that no configuration names.
func asked[P libsched.Plugin](t *testing.T, plugin P) (*libsched.Decision, error) {
	t.Helper()
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	check(t, libsched.AddPlugin(r, "Team", func(json.RawMessage) (P, error) { return plugin, nil }))
	fw := newFramework(t, libsched.WithRegistry(r))
	return fw.CheckPodFits(ctx, fiveNodes(t), newPod(t, "p", 500, ""), libsched.CheckOptions{})
}

// TestMistakes makes each mistake of the plugin guide, and compares what is said.
func TestMistakes(t *testing.T) {
	ask := func(status *libsched.Status) func() (libsched.ErrorCode, error) {
		return func() (libsched.ErrorCode, error) {
			fit, err := asked(t, &answering{team{}, status})
			if fit != nil {
				t.Error("a decision beside an error", fit)
			}
			return libsched.ErrPlugin, err
		}
	}
	mistakes := []struct {
		name string
		make func() (libsched.ErrorCode, error)
	}{
		{"no method of an extension point", func() (libsched.ErrorCode, error) {
			return libsched.ErrInvalid, added(t, &pointless{})
		}},
		{"methods of the pointer, and a factory of values", func() (libsched.ErrorCode, error) {
			return libsched.ErrInvalid, added(t, ofPointers{})
		}},
		{"a misspelt method", func() (libsched.ErrorCode, error) { return libsched.ErrInvalid, added(t, &typo{}) }},
		{"other parameters", func() (libsched.ErrorCode, error) { return libsched.ErrInvalid, added(t, &wrongFilter{}) }},
		{"a code that the point does not know", ask(libsched.NewStatus(libsched.Skip))},
		{"an unknown code", ask(libsched.NewStatus(77))},
		{"Error without a reason", ask(libsched.NewStatus(libsched.CodeError))},
		{"a panic", ask(nil)},
	}
	order, said := mistakeRows(t)
	if len(order) != len(mistakes) {
		t.Error(order)
	}
	types := regexp.MustCompile(`libsched_test\.\w+`)
	for i, mistake := range mistakes {
		code, err := mistake.make()
		if !errors.Is(err, code) || order[i] != mistake.name ||
			!strings.Contains(types.ReplaceAllString(err.Error(), "main.Team"), said[mistake.name]) {
			t.Errorf("%s: %v\nwanted %s: %s", mistake.name, err, order[i], said[mistake.name])
		}
		var failed *libsched.Error
		if !errors.As(err, &failed) || failed.Plugin != "Team" {
			t.Errorf("%#v", err)
		}
	}
	check(t, added(t, &bends{}))
}

// TestPluginThatNoProfileNames checks where a plugin is enabled that the configuration does not name.
func TestPluginThatNoProfileNames(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	never := libsched.NewStatus(libsched.Unschedulable, "never")
	check(t, libsched.AddPlugin(r, "Team", func(json.RawMessage) (*answering, error) {
		return &answering{team{}, never}, nil
	}))
	for _, one := range []struct {
		profiles, profile string
		fits              bool
	}{
		{`[{schedulerName: a}, {schedulerName: b}]`, "b", false},
		{`[{schedulerName: a, plugins: {filter: {enabled: [{name: Team}]}}}, {schedulerName: b}]`, "a", false},
		{`[{schedulerName: a, plugins: {filter: {enabled: [{name: Team}]}}}, {schedulerName: b}]`, "b", true},
		{`[{schedulerName: a, plugins: {multiPoint: {disabled: [{name: Team}]}}}]`, "a", true},
	} {
		fw := newFramework(t, libsched.WithRegistry(r), libsched.WithProfile(one.profile), libsched.WithConfigYAML([]byte(
			"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: "+one.profiles)))
		fit := must(fw.CheckPodFits(ctx, fiveNodes(t), newPod(t, "p", 500, ""), libsched.CheckOptions{}))(t)
		if fit.Fits() != one.fits {
			t.Error(one, fit)
		}
	}
}

// TestDecisionString checks the line that %v prints.
func TestDecisionString(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	for _, one := range []struct {
		cpu        int
		spec, line string
	}{
		{500, "", "fits 2 of 5 nodes"},
		{1000000, "", "0/5 nodes are available: "},
		{500, `schedulingGates: [{name: example.com/wait}]`,
			"kept out of the queue by SchedulingGates: waiting for scheduling gates: [example.com/wait]"},
	} {
		fit := must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", one.cpu, one.spec), libsched.CheckOptions{}))(t)
		if line := fit.String(); !strings.HasPrefix(line, one.line) {
			t.Error(line)
		}
		fit.Close()
		if line := fit.String(); line != "no answer: Decision is closed" {
			t.Error(line)
		}
	}
}
