// Package cases holds the file formats of the oracle: the case that goes in and the
// golden result that comes out. Field order and omitted fields are part of the format.
package cases

import (
	"encoding/json"
)

// Case is the input of "oracle run".
type Case struct {
	Name string `json:"name,omitempty"`
	// Config is a KubeSchedulerConfiguration: a JSON object, or a JSON string
	// holding YAML. Absent means upstream defaults.
	Config json.RawMessage `json:"config,omitempty"`
	// Objects is the content of the API server before the first pod.
	Objects []json.RawMessage `json:"objects"`
	// Pods are evaluated in this order.
	Pods []json.RawMessage `json:"pods"`
	// Mode is "evaluate" (default), "schedule", "dra", "trace", "cel" or "config".
	Mode string `json:"mode,omitempty"`
	// Changes happen to nodes and bound pods, in mode "dra" to DeviceClasses, between the pods.
	Changes []Change `json:"changes,omitempty"`
	// Defaults applies core/v1 API defaulting and priority admission first.
	Defaults bool `json:"defaults,omitempty"`
	// Gates are feature gates that differ from their defaults.
	Gates map[string]bool `json:"gates,omitempty"`
	// TraceSpec is present only in mode "trace".
	*TraceSpec
	// CELSpec is present only in mode "cel".
	*CELSpec
}

// Change is a change to the scheduler's cache before a pod is judged.
type Change struct {
	// Before is the index of that pod.
	Before int `json:"before"`
	// Delete names nodes and pods: "Node/NAME", "Pod/NAMESPACE/NAME"; or "DeviceClass/NAME". It
	// comes first.
	Delete []string `json:"delete,omitempty"`
	// Apply adds or replaces nodes and bound pods, or DeviceClasses.
	Apply []json.RawMessage `json:"apply,omitempty"`
}
