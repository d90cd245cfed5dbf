//go:build !k134 && !k135

package cel

import (
	resourcev1 "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

func compilerOf(lists bool) compiler {
	return dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: lists})
}

// listAttribute returns the list that an attribute is, or nil.
func listAttribute(a resourcev1.DeviceAttribute, version func(string) (apiservercel.Semver, error)) (any, error) {
	switch {
	case a.IntValues != nil:
		return a.IntValues, nil
	case a.BoolValues != nil:
		return a.BoolValues, nil
	case a.StringValues != nil:
		return a.StringValues, nil
	case a.VersionValues != nil:
		var out []apiservercel.Semver
		for _, s := range a.VersionValues {
			v, err := version(s)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	return nil, nil
}
