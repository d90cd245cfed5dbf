package libsched

// #include "bridge.h"
import "C"

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Config is a KubeSchedulerConfiguration v1, decoded, defaulted and validated. It is immutable.
type Config struct{ h *handle[*C.libsched_config] }

// ConfigOption changes how a configuration is read.
type ConfigOption func(*configOptions)

type configOptions struct {
	several   bool
	profile   bool
	gates     map[string]bool
	semantics string
}

// SeveralQueueSorts allows several queueSort plugins. All profiles must list the same ones.
// Frameworks of the configuration accept them without WithSeveralQueueSorts.
func SeveralQueueSorts() ConfigOption {
	return func(o *configOptions) { o.several = true }
}

// ConfigFeatureGates sets feature gates, which decide on defaults and on what is valid. A framework sets the
// defaults anew, and validates, with those of WithFeatureGates.
func ConfigFeatureGates(gates map[string]bool) ConfigOption {
	return func(o *configOptions) { o.gates = maps.Clone(gates) }
}

// ConfigSemantics chooses the release whose fields, defaults, rules and texts apply, as [WithSemantics] does for
// a framework. Frameworks of the configuration follow it; with other semantics they are an error. Without it
// [KubernetesVersion] applies, and a framework of another release reads the document anew.
func ConfigSemantics(release string) ConfigOption {
	return func(o *configOptions) { o.semantics = release }
}

// ParseConfig reads a configuration, YAML or JSON; an empty document gives upstream's defaults.
// Errors: ErrInvalid with upstream's message, ErrUnsupported (also unknown semantics).
func ParseConfig(document []byte, options ...ConfigOption) (*Config, error) {
	var o configOptions
	for _, option := range options {
		option(&o)
	}
	return parseConfig(document, o)
}

// ParseProfile reads one KubeSchedulerProfile alone and uses it unchanged, without default plugins or
// validation, as upstream's NewFramework gets it. Errors: ErrInvalid.
func ParseProfile(document []byte) (*Config, error) {
	return parseConfig(document, configOptions{profile: true})
}

func parseConfig(document []byte, o configOptions) (*Config, error) {
	var ptr *C.libsched_config
	var failure *C.libsched_error
	var pin pinned
	defer pin.Unpin()
	c := C.libsched_config_options{
		struct_size: C.sizeof_libsched_config_options, several_queue_sorts: C.bool(o.several),
		profile: C.bool(o.profile), feature_gates: pin.str(gateText(o.gates)),
		semantics: pin.str(o.semantics),
	}
	rc := C.libsched_config_parse(strOfBytes(document), &c, &ptr, &failure)
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownConfig(ptr), nil
}

// gateText returns the gates as "A=true,B=false", sorted.
func gateText(gates map[string]bool) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		texts = append(texts, name+"="+strconv.FormatBool(gates[name]))
	}
	return strings.Join(texts, ",")
}

func ownConfig(ptr *C.libsched_config) *Config {
	c := &Config{newHandle(ptr, func(p *C.libsched_config) { C.libsched_config_unref(p) })}
	closeWhenUnreachable(c, c.h)
	return c
}

// Close releases the configuration. Frameworks made from it stay valid.
func (c *Config) Close() {
	if c != nil {
		c.h.close()
	}
}

// Profiles returns the schedulerName of every profile.
func (c *Config) Profiles() []string {
	return ask(c.h, func(ptr *C.libsched_config) []string {
		return listed(C.libsched_config_profile_count(ptr), func(i C.size_t) string {
			return goString(C.libsched_config_profile_name(ptr, i))
		})
	})
}

// DescribeJSON returns the plugins of each extension point of each profile with their weights, and the
// defaulted arguments. Errors: upstream's construction errors.
func (c *Config) DescribeJSON() ([]byte, error) {
	return readText(c, c.h, func(p *C.libsched_config, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_config_describe_json(p, text, err)
	})
}
