// The device variable of an expression whose result is of any type.

package cel

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	resourcev1 "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// variables makes the activation as DeviceMatches does.
func variables(env *celgo.Env, d dracel.Device, lists bool) (map[string]any, error) {
	attributes, capacity := map[string]any{}, map[string]any{}
	split := func(name resourcev1.QualifiedName) (string, string) {
		if domain, id, found := strings.Cut(string(name), "/"); found {
			return domain, id
		}
		return d.Driver, string(name)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Attributes)) {
		value, err := attribute(d.Attributes[name], lists)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		domain, id := split(name)
		if attributes[domain] == nil {
			attributes[domain] = map[string]any{}
		}
		attributes[domain].(map[string]any)[id] = value
	}
	for name, c := range d.Capacity {
		domain, id := split(name)
		if capacity[domain] == nil {
			capacity[domain] = map[string]apiservercel.Quantity{}
		}
		capacity[domain].(map[string]apiservercel.Quantity)[id] = apiservercel.Quantity{Quantity: &c.Value}
	}
	adapter := env.CELTypeAdapter()
	empty := adapter.NativeToValue(map[string]any{})
	return map[string]any{"device": map[string]any{
		"driver":                   d.Driver,
		"allowMultipleAllocations": d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations,
		"attributes":               mapper{types.NewStringInterfaceMap(adapter, attributes), empty},
		"capacity":                 mapper{types.NewStringInterfaceMap(adapter, capacity), empty},
	}}, nil
}

type mapper struct {
	traits.Mapper
	missing ref.Val
}

func (m mapper) Find(key ref.Val) (ref.Val, bool) {
	if v, found := m.Mapper.Find(key); found {
		return v, true
	}
	return m.missing, true
}

func attribute(a resourcev1.DeviceAttribute, lists bool) (any, error) {
	version := func(s string) (apiservercel.Semver, error) {
		v, err := semver.Parse(s)
		if err != nil {
			err = fmt.Errorf("parse semantic version: %w", err)
		}
		return apiservercel.Semver{Version: v}, err
	}
	if lists {
		if list, err := listAttribute(a, version); list != nil || err != nil {
			return list, err
		}
	}
	switch {
	case a.IntValue != nil:
		return *a.IntValue, nil
	case a.BoolValue != nil:
		return *a.BoolValue, nil
	case a.StringValue != nil:
		return *a.StringValue, nil
	case a.VersionValue != nil:
		v, err := version(*a.VersionValue)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
	return nil, errors.New("unsupported attribute value")
}
