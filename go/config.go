package libsched

// #include "bridge.h"
import "C"

// Config is a KubeSchedulerConfiguration v1, decoded, defaulted and validated. It is immutable.
type Config struct{ h *handle[*C.libsched_config] }

// ConfigOption changes how a configuration is read.
type ConfigOption func(*C.libsched_config_options)

// SeveralQueueSorts allows several queueSort plugins. All profiles must list the same ones.
// Frameworks of the configuration accept them without WithSeveralQueueSorts.
func SeveralQueueSorts() ConfigOption {
	return func(o *C.libsched_config_options) { o.several_queue_sorts = true }
}

// ParseConfig reads a configuration, YAML or JSON; an empty document gives upstream's defaults.
// Errors: ErrInvalid with upstream's message.
func ParseConfig(document []byte, options ...ConfigOption) (*Config, error) {
	var ptr *C.libsched_config
	var failure *C.libsched_error
	o := C.libsched_config_options{struct_size: C.sizeof_libsched_config_options}
	for _, option := range options {
		option(&o)
	}
	if rc := C.libsched_config_parse(strOfBytes(document), &o, &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownConfig(ptr), nil
}

// ParseProfile reads one KubeSchedulerProfile alone and uses it unchanged, without default plugins or
// validation, as upstream's NewFramework gets it. Errors: ErrInvalid.
func ParseProfile(document []byte) (*Config, error) {
	var ptr *C.libsched_config
	var failure *C.libsched_error
	o := C.libsched_config_options{struct_size: C.sizeof_libsched_config_options, profile: true}
	if rc := C.libsched_config_parse(strOfBytes(document), &o, &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownConfig(ptr), nil
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
	ptr, ok := c.h.acquire()
	if !ok {
		return nil
	}
	defer c.h.release()
	names := make([]string, C.libsched_config_profile_count(ptr))
	for i := range names {
		names[i] = goString(C.libsched_config_profile_name(ptr, C.size_t(i)))
	}
	return names
}

// DescribeJSON returns the plugins of each extension point of each profile with their weights, and the
// defaulted arguments. Errors: upstream's construction errors.
func (c *Config) DescribeJSON() ([]byte, error) {
	return readText(c, c.h, func(p *C.libsched_config, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_config_describe_json(p, text, err)
	})
}
