// Reading of a KubeSchedulerConfiguration with upstream's decoder and validation.

package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// DecodeConfig decodes, defaults and validates a KubeSchedulerConfiguration.
// The error is upstream's own; stage says which step it comes from.
func DecodeConfig(data []byte) (cfg *schedconfig.KubeSchedulerConfiguration, stage string, err error) {
	obj, gvk, err := schedscheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, "decode", err
	}
	cfg, ok := obj.(*schedconfig.KubeSchedulerConfiguration)
	if !ok {
		return nil, "decode", fmt.Errorf("got %s, want KubeSchedulerConfiguration", gvk)
	}
	cfg.TypeMeta.APIVersion = gvk.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		return nil, "validate", err
	}
	return cfg, "", nil
}

// LoadConfig reads the configuration of a case: absent (upstream's default), a JSON
// object, or a JSON string that holds YAML.
func LoadConfig(raw json.RawMessage) (*schedconfig.KubeSchedulerConfiguration, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return latest.Default()
	}
	data := []byte(raw)
	if raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		data = []byte(s)
	}
	cfg, _, err := DecodeConfig(data)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if len(cfg.Extenders) > 0 {
		return nil, errors.New("config: extenders are not supported by the oracle")
	}
	return cfg, nil
}

// ProfileError says that upstream cannot build a profile's framework.
type ProfileError struct {
	Profile string
	Err     error
}

func (e *ProfileError) Error() string { return fmt.Sprintf("profile %q: %v", e.Profile, e.Err) }

func (e *ProfileError) Unwrap() error { return e.Err }
