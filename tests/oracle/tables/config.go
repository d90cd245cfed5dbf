// The table of configurations: upstream's errors, or the expanded profiles.

package tables

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"

	"k8s.io/apimachinery/pkg/runtime"
	schedconfigv1 "k8s.io/kube-scheduler/config/v1"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

//go:embed configs.txt
var configTexts string

// ConfigEntry is upstream's result for one configuration.
type ConfigEntry struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Stage is where Error comes from: decode, validate or framework (the
	// construction of the framework of Profile).
	Stage   string `json:"stage,omitempty"`
	Profile string `json:"profile,omitempty"`
	Error   string `json:"error,omitempty"`
	// Config is the configuration with all defaults, without its profiles.
	Config   json.RawMessage `json:"config,omitempty"`
	Profiles []ProfileEntry  `json:"profiles,omitempty"`
}

// ProfileEntry is a finished profile.
type ProfileEntry struct {
	SchedulerName string `json:"schedulerName"`
	// Plugins holds the expanded list of each extension point that has plugins.
	Plugins map[string][]judge.PluginWeight `json:"plugins,omitempty"`
	// PluginConfig holds the defaulted arguments in upstream's order.
	PluginConfig []json.RawMessage `json:"pluginConfig"`
}

// configCases takes configs.txt apart and writes its short forms out.
func configCases() (list []ConfigEntry) {
	const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for _, part := range strings.Split(configTexts, "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		var text strings.Builder
		for _, line := range strings.SplitAfter(body+"\n", "\n") {
			word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch word {
			case "@v1":
				text.WriteString(header)
			case "@args":
				plugin, args, _ := strings.Cut(rest, " ")
				fmt.Fprintf(&text, "%sprofiles: [{pluginConfig: [{name: %s, args: %s}]}]\n", header, plugin, args)
			case "@plugins":
				fmt.Fprintf(&text, "%sprofiles: [{plugins: %s}]\n", header, rest)
			default:
				text.WriteString(line)
			}
		}
		list = append(list, ConfigEntry{Name: name, Text: strings.TrimRight(text.String(), "\n") + "\n"})
	}
	return list
}

func configTable() (any, error) {
	list := configCases()
	seen := map[string]bool{}
	for i := range list {
		e := &list[i]
		if seen[e.Name] {
			return nil, fmt.Errorf("%q is there twice", e.Name)
		}
		seen[e.Name] = true
		if err := e.fill(); err != nil {
			return nil, fmt.Errorf("%q: %w", e.Name, err)
		}
		// Errors that depend on the order of a map or on addresses are not recorded.
		for range 10 {
			again := ConfigEntry{Name: e.Name, Text: e.Text}
			if err := again.fill(); err != nil {
				return nil, err
			}
			if again.Error != e.Error {
				return nil, fmt.Errorf("%q: upstream's answer varies:\n%s\n%s", e.Name, e.Error, again.Error)
			}
		}
	}
	return map[string]any{"kubernetes": judge.Kubernetes, "cases": list}, nil
}

// fill asks upstream about the text.
func (e *ConfigEntry) fill() error {
	cfg, stage, err := judge.DecodeConfig([]byte(e.Text))
	if err != nil {
		e.Stage, e.Error = stage, err.Error()
		return nil
	}
	raw, err := encodeConfig(cfg)
	if err != nil {
		return err
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return err
	}
	var profiles []struct {
		PluginConfig []json.RawMessage `json:"pluginConfig"`
	}
	if err := json.Unmarshal(top["profiles"], &profiles); err != nil {
		return err
	}
	delete(top, "profiles")
	if e.Config, err = json.Marshal(top); err != nil {
		return err
	}
	for i, p := range cfg.Profiles {
		e.Profiles = append(e.Profiles, ProfileEntry{SchedulerName: p.SchedulerName, PluginConfig: profiles[i].PluginConfig})
	}
	lists, err := judge.Profiles(context.Background(), cfg)
	var pe *judge.ProfileError
	if errors.As(err, &pe) {
		e.Stage, e.Profile, e.Error = "framework", pe.Profile, pe.Err.Error()
		return nil
	}
	for i := range e.Profiles {
		e.Profiles[i].Plugins = lists[e.Profiles[i].SchedulerName]
	}
	return err
}

// configResult is the answer of mode "config".
type configResult struct {
	Name     string          `json:"name,omitempty"`
	Mode     string          `json:"mode"`
	Config   json.RawMessage `json:"config"`
	Profiles []ProfileEntry  `json:"profiles"`
}

// RunConfig runs a case of mode "config": the configuration alone is judged. The
// error is upstream's, of reading the configuration or of making a profile's framework.
func RunConfig(c *cases.Case) (any, error) {
	text := string(bytes.TrimSpace(c.Config))
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(c.Config, &text); err != nil {
			return nil, err
		}
	}
	e := ConfigEntry{Text: text}
	if err := e.fill(); err != nil {
		return nil, err
	}
	if e.Stage == "framework" {
		return nil, &judge.ProfileError{Profile: e.Profile, Err: errors.New(e.Error)}
	}
	if e.Stage != "" {
		return nil, errors.New("config: " + e.Error)
	}
	for i := range e.Profiles {
		if e.Profiles[i].PluginConfig == nil {
			e.Profiles[i].PluginConfig = []json.RawMessage{}
		}
	}
	return configResult{c.Name, "config", e.Config, e.Profiles}, nil
}

// encodeConfig gives the versioned form of a decoded configuration.
func encodeConfig(cfg *schedconfig.KubeSchedulerConfiguration) ([]byte, error) {
	info, ok := runtime.SerializerInfoForMediaType(schedscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		return nil, fmt.Errorf("no JSON serializer")
	}
	var buf bytes.Buffer
	err := schedscheme.Codecs.EncoderForVersion(info.Serializer, schedconfigv1.SchemeGroupVersion).Encode(cfg, &buf)
	return buf.Bytes(), err
}
