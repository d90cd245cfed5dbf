// Command licenses schedules pods with a plugin that binds a custom cluster resource to each of them
// before the pod is bound.
//
//	licenses CLUSTER LICENSES POD...      (files: JSON or YAML, plain or gzip; LICENSES: JSON)
//
// A License {"name", "product", "boundTo"} belongs to the whole cluster. A pod names the product that
// it needs in the label example.com/product. The program prints what becomes of each pod, and the
// licenses afterwards. Exit code 0: all pods are bound, 1: not all, 2: an input is wrong.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"libsched"
)

const product = "example.com/product"

// ---- the custom resource and its API ----

type License struct {
	Name    string `json:"name"`
	Product string `json:"product"`
	BoundTo string `json:"boundTo,omitempty"` // "namespace/name" of a pod
}

// An API gives out and changes licenses, as a client of the custom resource would.
type API struct {
	mu       sync.Mutex
	licenses []License
}

func (a *API) List() []License {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]License(nil), a.licenses...)
}

// Bind fails if another client has bound the license to another pod.
func (a *API) Bind(name, pod string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.licenses {
		if l := &a.licenses[i]; l.Name == name {
			if l.BoundTo != "" && l.BoundTo != pod {
				return fmt.Errorf("license %s is bound to %s", name, l.BoundTo)
			}
			l.BoundTo = pod
			return nil
		}
	}
	return fmt.Errorf("license %s not found", name)
}

// ---- the plugin ----

// Licenses reserves a license in memory, and binds it at PreBind.
type Licenses struct {
	api      *API
	mu       sync.Mutex
	reserved map[string]string // license to pod
}

func (*Licenses) Name() string { return "Licenses" }

func key(pod *libsched.Pod) string { return pod.Namespace() + "/" + pod.Name() }

// free returns a license of the product that neither is bound nor reserved, or "".
func (l *Licenses) free(wanted string) string {
	for _, license := range l.api.List() {
		if license.Product == wanted && license.BoundTo == "" && l.reserved[license.Name] == "" {
			return license.Name
		}
	}
	return ""
}

func (l *Licenses) PreFilter(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod) (*libsched.PreFilterResult, *libsched.Status) {
	wanted, needs := pod.Label(product)
	if !needs {
		return nil, libsched.NewStatus(libsched.Skip)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free(wanted) == "" {
		return nil, libsched.NewStatus(libsched.UnschedulableAndUnresolvable, "no free license of "+wanted)
	}
	return nil, nil
}

func (l *Licenses) Reserve(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod, _ string) *libsched.Status {
	wanted, needs := pod.Label(product)
	if !needs {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.free(wanted)
	if name == "" {
		return libsched.NewStatus(libsched.Unschedulable, "no free license of "+wanted)
	}
	l.reserved[name] = key(pod)
	return nil
}

func (l *Licenses) Unreserve(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod, _ string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, holder := range l.reserved {
		if holder == key(pod) {
			delete(l.reserved, name)
		}
	}
}

// PreBindPreFlight skips PreBind of pods without a license.
func (l *Licenses) PreBindPreFlight(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod, _ string) (*libsched.PreBindPreFlightResult, *libsched.Status) {
	if _, needs := pod.Label(product); !needs {
		return nil, libsched.NewStatus(libsched.Skip)
	}
	return nil, nil
}

// PreBind binds the reserved license. The pod is not bound if that fails, and Unreserve follows.
func (l *Licenses) PreBind(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod, _ string) *libsched.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, holder := range l.reserved {
		if holder == key(pod) {
			return libsched.AsStatus(l.api.Bind(name, holder))
		}
	}
	return libsched.AsStatus(fmt.Errorf("no license is reserved for %s", key(pod)))
}

// ---- scheduling ----

const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Licenses}]}}
`

func schedule(clusterPath string, api *API, podPaths []string) (bool, error) {
	cluster, err := libsched.LoadCluster(clusterPath)
	if err != nil {
		return false, err
	}
	defer cluster.Close()
	registry, err := libsched.NewRegistry()
	if err != nil {
		return false, err
	}
	err = libsched.AddPlugin(registry, "Licenses", func(json.RawMessage) (*Licenses, error) {
		return &Licenses{api: api, reserved: map[string]string{}}, nil
	})
	if err != nil {
		return false, err
	}
	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML([]byte(config)))
	if err != nil {
		return false, err
	}
	ctx, writer, all := context.Background(), libsched.NewWriterQueue(), true
	for _, path := range podPaths {
		pod, err := libsched.LoadPod(path)
		if err != nil {
			return false, err
		}
		attempt, err := libsched.ScheduleOne(ctx, cluster, pod, []*libsched.Framework{fw}, writer, libsched.ScheduleOneOptions{})
		if err == nil && attempt.Stage == libsched.StageAssumed {
			attempt, err = attempt.Bind(ctx)
		}
		if err == nil {
			_, _, err = writer.Apply(cluster)
		}
		if err != nil {
			return false, err
		}
		if attempt.Stage == libsched.StageBound {
			fmt.Printf("%s is bound\n", key(pod))
		} else {
			fmt.Printf("%s is not bound: %s\n", key(pod), attempt.Status)
			all = false
		}
	}
	return all, nil
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintf(os.Stderr, "usage: %s CLUSTER LICENSES POD...\n", os.Args[0])
		os.Exit(2)
	}
	api := &API{}
	text, err := os.ReadFile(os.Args[2])
	if err == nil {
		err = json.Unmarshal(text, &api.licenses)
	}
	all := false
	if err == nil {
		all, err = schedule(os.Args[1], api, os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, l := range api.List() {
		fmt.Printf("license %s: %q\n", l.Name, l.BoundTo)
	}
	if !all {
		os.Exit(1)
	}
}
