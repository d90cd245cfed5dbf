package libsched

// #include "loop_bridge.h"
import "C"

import (
	"fmt"
	"reflect"
	"time"
)

// SimulationSummary holds the numbers of a simulation up to a time.
type SimulationSummary struct {
	Time     time.Duration `json:"time"`
	Quiet    bool          `json:"quiet"` // nothing more would happen
	Pods     int           `json:"pods"`  // of the workload, and of the runs that its CronJobs have started
	Arrived  int           `json:"arrived"`
	Attempts int           `json:"attempts"`
	Bound    int           `json:"bound"` // also those that have ended since

	// The pods by their states.
	Waiting   int `json:"waiting"` // have not arrived
	Pending   int `json:"pending"`
	Running   int `json:"running"`
	Finished  int `json:"finished"`
	Preempted int `json:"preempted"`
	Ignored   int `json:"ignored"`  // their schedulerName has no framework
	Replaced  int `json:"replaced"` // by another run of their CronJob

	Preemptions int   `json:"preemptions"`
	Wait        Waits `json:"wait"`
	// PendingReasons are the pending pods by the plugins that rejected them.
	PendingReasons []struct {
		Reason string `json:"reason"`
		Pods   int    `json:"pods"`
	} `json:"pendingReasons"`
	IgnoredSchedulers []struct {
		SchedulerName string `json:"schedulerName"`
		Pods          int    `json:"pods"`
	} `json:"ignoredSchedulers"`
	Resources []ResourceUse `json:"resources"`
}

// Waits says how long the pods that were bound had waited.
type Waits struct {
	Mean    time.Duration `json:"mean"`
	Median  time.Duration `json:"median"`
	P90     time.Duration `json:"p90"`
	P99     time.Duration `json:"p99"`
	Longest time.Duration `json:"longest"`
}

// ResourceUse is a resource over all nodes, in the units of Pod.Request. What is free on a node is
// fragmented for pods that the node cannot take or that do not request the resource; Fragmented is the mean
// over the pods of the workload.
type ResourceUse struct {
	Resource      string  `json:"resource"`
	Allocatable   int64   `json:"allocatable"`
	Used          int64   `json:"used"`
	Free          int64   `json:"free"`
	Fragmented    float64 `json:"fragmented"`
	Utilisation   float64 `json:"utilisation"`   // Used / Allocatable
	Fragmentation float64 `json:"fragmentation"` // Fragmented / Free
}

// Summary returns the numbers of the run so far.
func (s *Simulation) Summary() (SimulationSummary, error) {
	var summary SimulationSummary
	document, err := s.SummaryJSON()
	if err != nil {
		return summary, err
	}
	if err := readTimed(document, reflect.ValueOf(&summary).Elem()); err != nil {
		return summary, &Error{Code: ErrInternal, Msg: fmt.Sprintf("summary: %v", err)}
	}
	return summary, nil
}

// SummaryJSON returns the summary as JSON, whose times are seconds.
func (s *Simulation) SummaryJSON() ([]byte, error) {
	ptr, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	return textOfObject(ptr, func(p *C.libsched_simulation, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_simulation_summary_json(p, text, err)
	})
}

// SimulatedPod is a pod that has arrived, a row of the table "pods". Times that have not come are NoTime.
type SimulatedPod struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"pod"`
	State     string        `json:"state"` // "pending", "running", "finished", "preempted", "ignored" or "replaced"
	Arrival   time.Duration `json:"arrival"`
	Bound     time.Duration `json:"bound"`
	Wait      time.Duration `json:"wait"` // from Arrival to Bound
	End       time.Duration `json:"end"`
	Node      string        `json:"node"`
	Attempts  int           `json:"attempts"`
	Reason    string        `json:"reason"`  // the plugins that rejected a pending pod
	Message   string        `json:"message"` // of its last attempt
}

// Pods returns the pods that have arrived, in the order of their arrival.
func (s *Simulation) Pods() ([]SimulatedPod, error) { return rowsOf[SimulatedPod](s, "pods") }

// PodSample is the number of pods in each state at a time, a row of the table "series".
type PodSample struct {
	Time      time.Duration `json:"time"`
	Arrived   int           `json:"arrived"`
	Waiting   int           `json:"waiting"`
	Pending   int           `json:"pending"`
	Running   int           `json:"running"`
	Finished  int           `json:"finished"`
	Preempted int           `json:"preempted"`
	Ignored   int           `json:"ignored"`
	Replaced  int           `json:"replaced"`
}

// Series returns the numbers of pods over time.
func (s *Simulation) Series() ([]PodSample, error) { return rowsOf[PodSample](s, "series") }

// ResourceSample is the use of a resource at a time, a row of the table "resources".
type ResourceSample struct {
	Time time.Duration `json:"time"`
	ResourceUse
}

// Resources returns the use of each resource over time.
func (s *Simulation) Resources() ([]ResourceSample, error) {
	return rowsOf[ResourceSample](s, "resources")
}

// PendingSample is the number of pods that are pending for a reason at a time, a row of the table "pending".
type PendingSample struct {
	Time   time.Duration `json:"time"`
	Reason string        `json:"reason"`
	Pods   int           `json:"pods"`
}

// PendingReasons returns the pending pods by reason over time.
func (s *Simulation) PendingReasons() ([]PendingSample, error) {
	return rowsOf[PendingSample](s, "pending")
}

// SimulatedPreemption is a row of the table "preemptions".
type SimulatedPreemption struct {
	Time      time.Duration `json:"time"`
	Namespace string        `json:"namespace"`
	Pod       string        `json:"pod"`
	Node      string        `json:"node"`
	Preemptor string        `json:"preemptor"`
}

// Preemptions returns the preempted pods in the order of time.
func (s *Simulation) Preemptions() ([]SimulatedPreemption, error) {
	return rowsOf[SimulatedPreemption](s, "preemptions")
}

// SimulatedVolume is something that happened to a PersistentVolumeClaim, a row of the table "volumes".
type SimulatedVolume struct {
	Time         time.Duration `json:"time"`
	Action       string        `json:"action"` // "provisioned", "bound" or "failed"
	Namespace    string        `json:"namespace"`
	Claim        string        `json:"claim"`
	Volume       string        `json:"volume"` // "" of "failed"
	StorageClass string        `json:"storageClass"`
	Node         string        `json:"node"`    // the selected one, or ""
	Message      string        `json:"message"` // of "failed"
}

// Volumes returns what happened to PersistentVolumeClaims, in the order of time.
func (s *Simulation) Volumes() ([]SimulatedVolume, error) {
	return rowsOf[SimulatedVolume](s, "volumes")
}
