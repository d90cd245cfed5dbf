package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"

	"libsched"
)

// LeftOut is a part of a configuration that this release of the library does not know.
type LeftOut struct {
	Path   string          // as in errors: "profiles[0].pluginConfig[1].args.newArg"
	Value  json.RawMessage // what stood there
	Plugin string          // the plugin that does not exist; "" for a field
	// Empty says that nothing is lost: the value is null, {}, [] or made of these alone, as an extension point
	// of a newer release that has no plugins.
	Empty bool
}

func (l LeftOut) String() string {
	if l.Plugin != "" {
		return fmt.Sprintf("%s: plugin %q does not exist", l.Path, l.Plugin)
	}
	return fmt.Sprintf("%s: unknown field, with %s", l.Path, l.Value)
}

// LenientConfig makes a KubeSchedulerConfiguration, YAML or JSON, of a newer release one that this release
// understands. It takes out fields that this release does not know, such as extension points and arguments, and
// plugins that do not exist, and returns all of them: the caller decides whether the rest still means the
// same. Nothing else is forgiven. The options are those of the frameworks that will be made, as a registry
// with plugins of the program. The result is JSON, for libsched.ParseConfig and libsched.WithConfigYAML.
// Errors: those of libsched.ParseConfig and libsched.NewFramework.
func LenientConfig(document []byte, options ...libsched.FrameworkOption) ([]byte, []LeftOut, error) {
	text, err := yaml.ToJSON(document)
	if err != nil {
		return nil, nil, &libsched.Error{Code: libsched.ErrInvalid, Msg: err.Error()}
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, nil, &libsched.Error{Code: libsched.ErrInvalid, Msg: err.Error()}
	}
	if tree == nil {
		return document, nil, checkConfig(document, nil, options)
	}
	var left []LeftOut
	for {
		failed := checkConfig(text, tree, options)
		var e *libsched.Error
		if failed == nil || !errors.As(failed, &e) {
			return text, left, failed
		}
		var taken []LeftOut
		switch {
		case strings.Contains(e.Msg, "unknown field"):
			taken = takeField(&tree, e.Path)
		case e.Plugin != "" && strings.Contains(e.Msg, "does not exist"):
			taken = takePlugin(tree, e.Plugin)
		}
		if taken == nil {
			return nil, left, failed
		}
		left = append(left, taken...)
		if text, err = json.Marshal(tree); err != nil {
			return nil, left, err
		}
	}
}

// checkConfig makes a framework of each profile.
func checkConfig(text []byte, tree any, options []libsched.FrameworkOption) error {
	config, err := libsched.ParseConfig(text)
	if err != nil {
		return err
	}
	defer config.Close()
	options = append(slices.Clip(options), libsched.WithConfig(config))
	profiles := items(field(tree, "profiles"))
	if len(profiles) == 0 {
		return makeFramework(options)
	}
	for _, profile := range profiles {
		name, _ := field(profile, "schedulerName").(string)
		if name == "" {
			name = "default-scheduler"
		}
		if err := makeFramework(append(slices.Clip(options), libsched.WithProfile(name))); err != nil {
			return err
		}
	}
	return nil
}

func makeFramework(options []libsched.FrameworkOption) error {
	fw, err := libsched.NewFramework(options...)
	if err != nil {
		return err
	}
	fw.Close()
	return nil
}

func field(object any, name string) any {
	fields, _ := object.(map[string]any)
	return fields[name]
}

func items(list any) []any {
	all, _ := list.([]any)
	return all
}

// takeField removes the field at a path. It returns nil if there is none.
func takeField(tree *any, path string) []LeftOut {
	at, parts := *tree, strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
	for i, part := range parts {
		if strings.HasPrefix(part, "[") {
			n, err := strconv.Atoi(strings.Trim(part, "[]"))
			list := items(at)
			if err != nil || n < 0 || n >= len(list) {
				return nil
			}
			at = list[n]
			continue
		}
		fields, _ := at.(map[string]any)
		value, ok := fields[part]
		if !ok {
			return nil
		}
		if i == len(parts)-1 {
			delete(fields, part)
			return []LeftOut{newLeftOut(path, value, "")}
		}
		at = value
	}
	return nil
}

// takePlugin removes a plugin from all lists, and its arguments. It returns nil if it is nowhere.
func takePlugin(tree any, plugin string) []LeftOut {
	var left []LeftOut
	named := func(fields map[string]any, list, path string) {
		var kept []any
		for i, item := range items(fields[list]) {
			if field(item, "name") == plugin {
				left = append(left, newLeftOut(fmt.Sprintf("%s.%s[%d]", path, list, i), item, plugin))
			} else {
				kept = append(kept, item)
			}
		}
		if len(kept) != len(items(fields[list])) {
			fields[list] = kept
		}
	}
	for i, item := range items(field(tree, "profiles")) {
		profile, _ := item.(map[string]any)
		path := fmt.Sprintf("profiles[%d]", i)
		plugins, _ := profile["plugins"].(map[string]any)
		for _, point := range sortedKeys(plugins) {
			if set, ok := plugins[point].(map[string]any); ok {
				named(set, "enabled", path+".plugins."+point)
			}
		}
		if profile != nil {
			named(profile, "pluginConfig", path)
		}
	}
	return left
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func newLeftOut(path string, value any, plugin string) LeftOut {
	text, _ := json.Marshal(value) // of a decoded document
	return LeftOut{Path: path, Value: text, Plugin: plugin, Empty: plugin == "" && isEmpty(value)}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, inner := range v {
			if !isEmpty(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}
