// Mode config: what upstream makes of a configuration.

package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	schedconfigv1 "k8s.io/kube-scheduler/config/v1"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"libsched.dev/tests/oracle/cases"
)

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
	Plugins map[string][]PluginWeight `json:"plugins,omitempty"`
	// PluginConfig holds the defaulted arguments in upstream's order.
	PluginConfig []json.RawMessage `json:"pluginConfig"`
}

// Fill asks upstream about the text.
func (e *ConfigEntry) Fill() error {
	cfg, stage, err := DecodeConfig([]byte(e.Text))
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
	lists, err := Profiles(context.Background(), cfg)
	var pe *ProfileError
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
	if err := e.Fill(); err != nil {
		return nil, err
	}
	if e.Stage == "framework" {
		return nil, &ProfileError{Profile: e.Profile, Err: errors.New(e.Error)}
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
