// The table of changes: the events that upstream derives from two versions of a node or pod.

package tables

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ChangeTable has versions of one object, and the actions of every change from one to another as a
// sum of bits: Actions[before][after].
type ChangeTable struct {
	Versions []json.RawMessage `json:"versions"`
	Actions  [][]int64         `json:"actions"`
}

// Each line is a version: metadata | spec | status.
const nodeVersions = `
| |
"labels":{} | |
"labels":{"a":"1"} | |
"labels":{"a":"2"} | |
"labels":{"b":"1"} | |
"labels":{"b":"x","a":"1"} | |
"annotations":{} | |
"annotations":null | |
"annotations":{"a":"1"} | |
"annotations":{"a":"2"} | |
"annotations":{"b":"1"} | |
"annotations":{"a":"1","b":"2"} | |
"annotations":{"b":"2","a":"1"} | |
"annotations":{"a":"2","b":"1"} | |
"annotations":{"a1":""} | |
"annotations":{"a":""} | |
"annotations":{"a":null} | |
"annotations":{"ab":"x\ny"} | |
"annotations":{"\u0061b":"\u0078\u000ay"} | |
"annotations":{"ab":"x\\ny"} | |
"labels":{"a":"1"},"annotations":{"a":"1"} | |
| "unschedulable":true |
| "unschedulable":true,"taints":[{"key":"a","effect":"NoSchedule"}] |
| "taints":[] |
| "taints":[{"key":"a","effect":"NoSchedule"}] |
| "taints":[{"key":"a","effect":"NoExecute"}] |
| "taints":[{"key":"a","effect":"Mine"}] |
| "taints":[{"key":"a","value":"","effect":"NoSchedule","timeAdded":null}] |
| "taints":[{"key":"a","value":"x","effect":"NoSchedule"}] |
| "taints":[{"key":"a","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"}] |
| "taints":[{"key":"a","effect":"NoSchedule","timeAdded":"2026-01-01T01:00:00+01:00"}] |
| "taints":[{"key":"a","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:01Z"}] |
| "taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule"}] |
| "taints":[{"key":"b","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}] |
| "taints":[{"key":"a","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"},{"key":"b","effect":"NoSchedule"}] |
| "taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"}] |
| | "allocatable":{}
| | "allocatable":{"cpu":"1"}
| | "allocatable":{"cpu":"1000m"}
| | "allocatable":{"cpu":"1001m"}
| | "allocatable":{"memory":"1Ki"}
| | "allocatable":{"memory":"1024"}
| | "allocatable":{"memory":"1023.5"}
| | "allocatable":{"cpu":"1","memory":"1Ki"}
| | "allocatable":{"cpu":"0"}
| | "capacity":{"cpu":"1"}
| | "conditions":[]
| | "conditions":[{"type":"Ready","status":"True"}]
| | "conditions":[{"type":"Ready","status":"True","reason":"r","lastHeartbeatTime":"2026-01-01T00:00:00Z"}]
| | "conditions":[{"type":"Ready","status":"False"}]
| | "conditions":[{"type":"Ready"}]
| | "conditions":[{}]
| | "conditions":[{"type":"Ready","status":"True"},{"type":"Ready","status":"False"}]
| | "conditions":[{"type":"Ready","status":"False"},{"type":"Ready","status":"True"}]
| | "conditions":[{"type":"Ready","status":"True"},{"type":"MemoryPressure","status":"False"}]
| | "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]
| | "conditions":[{"type":"MemoryPressure","status":"True"},{"type":"Ready","status":"False"}]
| | "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"False"},{"type":"Ready","status":"True"}]
| | "declaredFeatures":[]
| | "declaredFeatures":["A"]
| | "declaredFeatures":["A","B"]
| | "declaredFeatures":["B","A"]
| | "images":[{"names":["i"],"sizeBytes":5}]
"labels":{"a":"2"},"annotations":{"z":"1"} | "unschedulable":true,"taints":[{"key":"z"}] | "allocatable":{"cpu":"9"},"conditions":[{"type":"T"}],"declaredFeatures":["Z"]
`

const podVersions = `
| |
"labels":{} | |
"labels":{"a":"1"} | |
"labels":{"a":"2"} | |
"annotations":{"a":"1"} | |
| "nodeName":"n" |
| "priority":5 |
| "containers":[{"name":"c"}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"0"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1000m"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"500.5m"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1.5"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"2"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1.0001"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"example.com/x":"2"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"example.com/x":"1"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"other":"1"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}},{"name":"d","resources":{"requests":{"cpu":"1"}}}] |
| "initContainers":[{"name":"i","resources":{"requests":{"cpu":"3"}}}],"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}] |
| "initContainers":[{"name":"i","restartPolicy":"Always","resources":{"requests":{"cpu":"3"}}}],"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}] |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}],"overhead":{"cpu":"250m"} |
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}] | "containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]
| "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}] | "containerStatuses":[{"name":"c","resources":{},"allocatedResources":{"cpu":"4"}}]
| "containers":[{"name":"c","resources":{"requests":{"cpu":"3"}}}] | "conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}],"containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]
| "containers":[{"name":"c"}],"resources":{"requests":{"cpu":"2"}} |
| "containers":[{"name":"c"}],"resources":{"requests":{"cpu":"2"}} | "resources":{"requests":{"cpu":"3"}}
| "containers":[{"name":"c"}],"resources":{"requests":{"cpu":"2"}} | "resources":{"requests":{"cpu":"1"}},"allocatedResources":{"cpu":"4"}
| "tolerations":[] |
| "tolerations":[{"key":"a"}] |
| "tolerations":[{"key":"b"}] |
| "tolerations":[{"key":"a"},{"key":"b"}] |
| "schedulingGates":[] |
| "schedulingGates":[{"name":"a"}] |
| "schedulingGates":[{"name":"a"},{"name":"b"}] |
| | "resourceClaimStatuses":[]
| | "resourceClaimStatuses":[{"name":"a"}]
| | "resourceClaimStatuses":[{"name":"b"}]
| | "resourceClaimStatuses":[{"name":"a","resourceClaimName":""}]
| | "resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"}]
| | "resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"},{"name":"b","resourceClaimName":"y"}]
| | "resourceClaimStatuses":[{"name":"b","resourceClaimName":"y"},{"name":"a","resourceClaimName":"x"}]
| | "extendedResourceClaimStatus":null
| | "extendedResourceClaimStatus":{}
| | "extendedResourceClaimStatus":{"requestMappings":[]}
| | "extendedResourceClaimStatus":{"resourceClaimName":"e"}
| | "extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[{"containerName":"c","resourceName":"r","requestName":"q"}]}
| | "extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[{"containerName":"c","resourceName":"q","requestName":"r"}]}
| | "extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[{"containerName":"c","resourceName":"","requestName":"q"}]}
| | "extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[{"containerName":"c","requestName":"q"}]}
| | "extendedResourceClaimStatus":{"requestMappings":[{"containerName":"c","resourceName":"r","requestName":"q"},{"containerName":"d"}]}
| | "extendedResourceClaimStatus":{"requestMappings":[{"containerName":"d"},{"containerName":"c","resourceName":"r","requestName":"q"}]}
| | "phase":"Failed"
"labels":{"z":"1"} | "schedulingGates":[{"name":"z"}],"tolerations":[{"key":"z"},{},{}],"containers":[{"name":"c","resources":{"requests":{"cpu":"9","memory":"9Gi","other":"9","example.com/x":"9"}}}] | "resourceClaimStatuses":[{"name":"z"}],"extendedResourceClaimStatus":{"resourceClaimName":"z"}
`

func changeTable() (any, error) {
	nodes, err := changes("Node", nodeVersions, framework.NodeSchedulingPropertiesChange)
	if err != nil {
		return nil, err
	}
	pods, err := changes("Pod", podVersions, framework.PodSchedulingPropertiesChange)
	if err != nil {
		return nil, err
	}
	return map[string]ChangeTable{"nodes": nodes, "pods": pods}, nil
}

func changes[T v1.Node | v1.Pod](kind, versions string,
	compare func(after, before *T) []fwk.ClusterEvent) (out ChangeTable, err error) {
	var objects []*T
	for _, line := range strings.Split(strings.Trim(versions, "\n"), "\n") {
		parts := strings.Split(line, "|")
		meta := strings.TrimSpace(parts[0])
		if meta != "" {
			meta = "," + meta
		}
		text := fmt.Sprintf(`{"apiVersion":"v1","kind":"%s","metadata":{"name":"x"%s},"spec":{%s},"status":{%s}}`,
			kind, meta, strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2]))
		object := new(T)
		if err := json.Unmarshal([]byte(text), object); err != nil {
			return out, fmt.Errorf("%s: %w", text, err)
		}
		objects = append(objects, object)
		out.Versions = append(out.Versions, json.RawMessage(text))
	}
	for _, before := range objects {
		row := []int64{}
		for _, after := range objects {
			var actions fwk.ActionType
			for _, event := range compare(after, before) {
				actions |= event.ActionType
			}
			row = append(row, int64(actions))
		}
		out.Actions = append(out.Actions, row)
	}
	return out, nil
}
