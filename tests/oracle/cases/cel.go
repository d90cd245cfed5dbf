//go:build !k131 && !k132 && !k133

// The form of mode cel.

package cases

import resourcev1 "k8s.io/api/resource/v1"

// CELSpec is what a case of mode "cel" holds.
type CELSpec struct {
	Expression string `json:"expression,omitempty"`
	// Any compiles without the demand that the result is a bool, and tells the value.
	Any     bool        `json:"any,omitempty"`
	Devices []CELDevice `json:"devices,omitempty"`
	// CostLimit replaces the limit of 1000000.
	CostLimit *uint64 `json:"costLimit,omitempty"`
	// ListTypes switches gate DRAListTypeAttributes on.
	ListTypes bool `json:"listTypes,omitempty"`
	// Describe lists the environment instead.
	Describe bool `json:"describe,omitempty"`
}

// CELDevice is a device that the expression is asked about.
type CELDevice struct {
	Driver                   string                                                  `json:"driver"`
	AllowMultipleAllocations *bool                                                   `json:"allowMultipleAllocations,omitempty"`
	Attributes               map[resourcev1.QualifiedName]resourcev1.DeviceAttribute `json:"attributes,omitempty"`
	Capacity                 map[resourcev1.QualifiedName]resourcev1.DeviceCapacity  `json:"capacity,omitempty"`
}

// CELGolden is the result of mode cel.
type CELGolden struct {
	Name         string      `json:"name,omitempty"`
	CompileError string      `json:"compileError,omitempty"`
	Type         string      `json:"type,omitempty"`
	Estimate     uint64      `json:"estimate,omitempty"` // worst case, what the API server looks at
	Devices      []CELResult `json:"devices,omitempty"`
	Functions    []string    `json:"functions,omitempty"`
	Macros       []string    `json:"macros,omitempty"`
	Variables    []string    `json:"variables,omitempty"`
	Libraries    []string    `json:"libraries,omitempty"`
}

// CELResult is the answer for one device.
type CELResult struct {
	// Matches is what DeviceMatches says; absent with Any.
	Matches *bool  `json:"matches,omitempty"`
	Value   string `json:"value,omitempty"` // with Any
	Error   string `json:"error,omitempty"`
	Cost    uint64 `json:"cost"`
	// Unordered: upstream walks a Go map, and repeated runs differed. What
	// differs is left out (cost: the smallest).
	Unordered bool `json:"unordered,omitempty"`
}
