//go:build k134 || k135

package cel

import (
	resourcev1 "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

func compilerOf(bool) compiler {
	return dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true})
}

// listAttribute returns nil: attributes are no lists.
func listAttribute(resourcev1.DeviceAttribute, func(string) (apiservercel.Semver, error)) (any, error) {
	return nil, nil
}
