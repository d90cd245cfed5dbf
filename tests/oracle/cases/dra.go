//go:build !k131 && !k132 && !k133 && !k134 && !k135

// The golden result of mode dra.

package cases

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// DRAGolden is the result of mode dra.
type DRAGolden struct {
	Name string   `json:"name,omitempty"`
	Mode string   `json:"mode"`
	Pods []DRAPod `json:"pods"`
	// Stopped: upstream would go on with one of several outcomes by chance.
	Stopped string `json:"stopped,omitempty"`
}

// DRAPod holds the answers about one pod.
type DRAPod struct {
	Pod        string      `json:"pod"`
	Error      string      `json:"error,omitempty"`
	PreEnqueue *Status     `json:"preEnqueue,omitempty"`
	Sign       *Status     `json:"sign,omitempty"`
	PreFilter  *Status     `json:"preFilter,omitempty"`
	Skipped    bool        `json:"skipped,omitempty"` // DynamicResources asked to skip Filter
	Nodes      []DRANode   `json:"nodes,omitempty"`
	Scores     []NodeScore `json:"scores,omitempty"`
	SkipScore  []string    `json:"skipScore,omitempty"`
	ScoreError string      `json:"scoreError,omitempty"`
	Chosen     string      `json:"chosen,omitempty"`
	PostFilter *Status     `json:"postFilter,omitempty"`
	// Deallocated: the claims of which PostFilter takes the allocation away
	// (one of them, by chance).
	Deallocated []string `json:"deallocated,omitempty"`
	Reserve     *Status  `json:"reserve,omitempty"`
	PreBind     *Status  `json:"preBind,omitempty"`
	// Claims of the namespace that changed, as in the API server afterwards;
	// null: deleted.
	Claims   map[string]*DRAClaim               `json:"claims,omitempty"`
	Extended *v1.PodExtendedResourceClaimStatus `json:"extendedResourceClaimStatus,omitempty"`
	// Allocatable is in the pod's status afterwards: what devices take of the node's own resources.
	Allocatable []v1.NodeAllocatableResourceClaimStatus `json:"nodeAllocatableResourceClaimStatuses,omitempty"`
}

// DRANode is the outcome of the Filter plugins for one node.
type DRANode struct {
	Node string `json:"node"`
	Status
	// DRA is Filter of DynamicResources alone (absent: as Status, or skipped).
	DRA         *Status                                 `json:"dra,omitempty"`
	Allocations []json.RawMessage                       `json:"allocations,omitempty"`
	Extended    *DRAExtendedRequest                     `json:"extended,omitempty"`
	Allocatable []v1.NodeAllocatableResourceClaimStatus `json:"allocatable,omitempty"`
}

// DRAExtendedRequest is the claim that stands for extended resources.
type DRAExtendedRequest struct {
	Requests []resourcev1.DeviceRequest            `json:"requests"`
	Mappings []v1.ContainerExtendedResourceRequest `json:"mappings"`
}

// DRAClaim is a claim in the API server.
type DRAClaim struct {
	Finalizers  []string                                    `json:"finalizers,omitempty"`
	Spec        *resourcev1.ResourceClaimSpec               `json:"spec,omitempty"` // of claims that are new
	Allocation  json.RawMessage                             `json:"allocation,omitempty"`
	ReservedFor []resourcev1.ResourceClaimConsumerReference `json:"reservedFor,omitempty"`
}
