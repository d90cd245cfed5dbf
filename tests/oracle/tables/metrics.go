// The table of metrics: what upstream's scheduler registers, and its exposition of some observations.

package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	compbase "k8s.io/component-base/metrics"
	volumes "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding/metrics"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// MetricFamily is a registered metric. Labels are sorted, as the gatherer sorts them.
type MetricFamily struct {
	Name    string    `json:"name"`
	Help    string    `json:"help"` // begins with the stability
	Type    string    `json:"type"`
	Labels  []string  `json:"labels"`
	Buckets []float64 `json:"buckets,omitempty"`
	Gate    string    `json:"gate,omitempty"` // without this feature gate it is not registered
}

// Observation is one call of a metric: a value of a histogram or gauge, or an increase of a counter.
type Observation struct {
	Name   string   `json:"name"`
	Labels []string `json:"labels"` // values, in the order of the family's declaration
	Value  float64  `json:"value"`
}

// MetricTable is the table. Idle is the text of a scheduler that has observed nothing, without
// the series that its parts create at their start.
type MetricTable struct {
	Families     []MetricFamily `json:"families"`
	Observations []Observation  `json:"observations"`
	Idle         string         `json:"idle"`
	Text         string         `json:"text"`
}

// metricGates are the gates that Register asks for.
var metricGates = []string{"SchedulerQueueingHints", "SchedulerAsyncPreemption", "SchedulerAsyncAPICalls",
	"DRAExtendedResource", "GenericWorkload", "DRADeviceBindingConditions"}

// metricObservations touch every metric; some twice, so that sums, sorting and rare values show.
var metricObservations = []Observation{
	{"schedule_attempts_total", []string{"scheduled", "default-scheduler"}, 0.0009},
	{"schedule_attempts_total", []string{"scheduled", "default-scheduler"}, 0.001},
	{"schedule_attempts_total", []string{"scheduled", "default-scheduler"}, 123.456789},
	{"schedule_attempts_total", []string{"unschedulable", "other \"one\"\\\n"}, 0.25},
	{"schedule_attempts_total", []string{"error", "default-scheduler"}, 0.1},
	{"schedule_attempts_total", []string{"error", "default-scheduler"}, 0.2},
	{"scheduling_algorithm_duration_seconds", nil, 0.000000001},
	{"event_handling_duration_seconds", []string{"NodeAdd"}, 0.0003},
	{"event_handling_duration_seconds", []string{"AssignedPodUpdate"}, 0.0001},
	{"preemption_victims", nil, 3},
	{"preemption_victims", nil, 65},
	{"preemption_attempts_total", nil, 1},
	{"preemption_attempts_total", nil, 1},
	{"pending_pods", []string{"gated"}, 1234567},
	{"pending_pods", []string{"unschedulable"}, 21},
	{"pending_pods", []string{"active"}, 0},
	{"pending_pods", []string{"backoff"}, 1000000},
	{"inflight_events", []string{"PodPopped"}, 2},
	{"goroutines", []string{"binding"}, 1},
	{"batch_attempts_total", []string{"default-scheduler", "no_hint"}, 1},
	{"batch_cache_flushed_total", []string{"default-scheduler", "pod_failed"}, 1},
	{"get_node_hint_duration_seconds", []string{"no_hint", "default-scheduler"}, 0.00002},
	{"store_schedule_results_duration_seconds", []string{"default-scheduler"}, 0.00004},
	{"pod_scheduling_sli_duration_seconds", []string{"15+"}, 5000},
	{"pod_scheduling_sli_duration_seconds", []string{"1"}, 0.02},
	{"pod_scheduling_sli_duration_seconds", []string{"2"}, 6000.5},
	{"pod_scheduling_attempts", nil, 1},
	{"pod_scheduling_attempts", nil, 17},
	{"pod_scheduled_after_flush_total", nil, 1},
	{"framework_extension_point_duration_seconds", []string{"Filter", "Success", "default-scheduler"}, 0.00015},
	{"framework_extension_point_duration_seconds", []string{"PreFilter", "UnschedulableAndUnresolvable", "default-scheduler"}, 3},
	{"plugin_execution_duration_seconds", []string{"NodeName", "Filter", "Success"}, 0.00001},
	{"plugin_execution_duration_seconds", []string{"NodeName", "Filter", "Success"}, 0.0000123456789},
	{"queueing_hint_execution_duration_seconds", []string{"NodeName", "NodeAdd", "QueueSkip"}, 0.00003},
	{"queue_incoming_pods_total", []string{"active", "UnschedulablePodAdd"}, 1},
	{"queue_incoming_pods_total", []string{"backoff", "ScheduleAttemptFailure"}, 1},
	{"permit_wait_duration_seconds", []string{"Unschedulable"}, 4},
	{"cache_size", []string{"nodes"}, 7},
	{"cache_size", []string{"pods"}, 8},
	{"cache_size", []string{"assumed_pods"}, 1},
	{"unschedulable_pods", []string{"NodeName", "default-scheduler"}, 1},
	{"plugin_evaluation_total", []string{"NodeName", "Filter", "default-scheduler"}, 1},
	{"preemption_goroutines_duration_seconds", []string{"success"}, 0},
	{"preemption_goroutines_execution_total", []string{"success"}, 1},
	{"async_api_call_execution_total", []string{"pod_binding", "success"}, 1},
	{"async_api_call_execution_duration_seconds", []string{"pod_binding", "success"}, 0.01},
	{"pending_async_api_calls", []string{"pod_binding"}, 1},
	{"resourceclaim_creates_total", []string{"success"}, 1},
	{"dra_bindingconditions_allocations_total", []string{"default-scheduler", "driver", "success"}, 1},
	{"dra_bindingconditions_wait_duration_seconds", []string{"default-scheduler", "driver", "success"}, 1},
	{"podgroup_schedule_attempts_total", []string{"waiting_on_preemption", "default-scheduler"}, 0.5},
	{"podgroup_schedule_attempts_total", []string{"scheduled", "default-scheduler"}, 0.5},
	{"podgroup_scheduling_algorithm_duration_seconds", nil, 0.004},
	{"volume_binder_cache_requests_total", []string{"add"}, 1},
	{"volume_scheduling_stage_error_total", []string{"bind"}, 1},
}

// observe makes one observation with upstream's functions where they exist.
func observe(o Observation) error {
	histogram := func(vec *compbase.HistogramVec) { vec.WithLabelValues(o.Labels...).Observe(o.Value) }
	counter := func(vec *compbase.CounterVec) { vec.WithLabelValues(o.Labels...).Add(o.Value) }
	gauge := func(vec *compbase.GaugeVec) { vec.WithLabelValues(o.Labels...).Set(o.Value) }
	switch o.Name {
	case "schedule_attempts_total":
		map[string]func(string, float64){"scheduled": metrics.PodScheduled, "unschedulable": metrics.PodUnschedulable,
			"error": metrics.PodScheduleError}[o.Labels[0]](o.Labels[1], o.Value)
	case "podgroup_schedule_attempts_total":
		map[string]func(string, float64){"scheduled": metrics.PodGroupScheduled, "unschedulable": metrics.PodGroupUnschedulable,
			"waiting_on_preemption": metrics.PodGroupWaitingOnPreemption, "error": metrics.PodGroupScheduleError}[o.Labels[0]](o.Labels[1], o.Value)
	case "pending_pods":
		map[string]compbase.GaugeMetric{"active": metrics.ActivePods(), "backoff": metrics.BackoffPods(),
			"unschedulable": metrics.UnschedulablePods(), "gated": metrics.GatedPods()}[o.Labels[0]].Set(o.Value)
	case "unschedulable_pods":
		metrics.UnschedulableReason(o.Labels[0], o.Labels[1]).Set(o.Value)
	case "queueing_hint_execution_duration_seconds":
		stop := make(chan struct{})
		recorder := metrics.NewMetricsAsyncRecorder(1, time.Millisecond, stop)
		recorder.ObserveQueueingHintDurationAsync(o.Labels[0], o.Labels[1], o.Labels[2], o.Value)
		time.Sleep(100 * time.Millisecond) // the recorder observes it
		close(stop)
		<-recorder.IsStoppedCh
	case "scheduling_algorithm_duration_seconds":
		metrics.SchedulingAlgorithmLatency.Observe(o.Value)
	case "event_handling_duration_seconds":
		histogram(metrics.EventHandlingLatency)
	case "preemption_victims":
		metrics.PreemptionVictims.Observe(o.Value)
	case "preemption_attempts_total":
		metrics.PreemptionAttempts.Add(o.Value)
	case "inflight_events":
		gauge(metrics.InFlightEvents)
	case "goroutines":
		gauge(metrics.Goroutines)
	case "batch_attempts_total":
		counter(metrics.BatchAttemptStats)
	case "batch_cache_flushed_total":
		counter(metrics.BatchCacheFlushed)
	case "get_node_hint_duration_seconds":
		histogram(metrics.GetNodeHintDuration)
	case "store_schedule_results_duration_seconds":
		histogram(metrics.StoreScheduleResultsDuration)
	case "pod_scheduling_sli_duration_seconds":
		histogram(metrics.PodSchedulingSLIDuration)
	case "pod_scheduling_attempts":
		metrics.PodSchedulingAttempts.Observe(o.Value)
	case "pod_scheduled_after_flush_total":
		metrics.PodScheduledAfterFlush.Add(o.Value)
	case "framework_extension_point_duration_seconds":
		histogram(metrics.FrameworkExtensionPointDuration)
	case "plugin_execution_duration_seconds":
		histogram(metrics.PluginExecutionDuration)
	case "queue_incoming_pods_total":
		counter(metrics.SchedulerQueueIncomingPods)
	case "permit_wait_duration_seconds":
		histogram(metrics.PermitWaitDuration)
	case "cache_size":
		gauge(metrics.CacheSize)
	case "plugin_evaluation_total":
		counter(metrics.PluginEvaluationTotal)
	case "preemption_goroutines_duration_seconds":
		histogram(metrics.PreemptionGoroutinesDuration)
	case "preemption_goroutines_execution_total":
		counter(metrics.PreemptionGoroutinesExecutionTotal)
	case "async_api_call_execution_total":
		counter(metrics.AsyncAPICallsTotal)
	case "async_api_call_execution_duration_seconds":
		histogram(metrics.AsyncAPICallDuration)
	case "pending_async_api_calls":
		gauge(metrics.AsyncAPIPendingCalls)
	case "resourceclaim_creates_total":
		counter(metrics.ResourceClaimCreatesTotal)
	case "dra_bindingconditions_allocations_total":
		counter(metrics.DRABindingConditionsAllocationsTotal)
	case "dra_bindingconditions_wait_duration_seconds":
		histogram(metrics.DRABindingConditionsPreBindDuration)
	case "podgroup_scheduling_algorithm_duration_seconds":
		metrics.PodGroupSchedulingAlgorithmLatency.Observe(o.Value)
	case "volume_binder_cache_requests_total":
		counter(volumes.VolumeBindingRequestSchedulerBinderCache)
	case "volume_scheduling_stage_error_total":
		counter(volumes.VolumeSchedulingStageFailed)
	default:
		return fmt.Errorf("no metric %s", o.Name)
	}
	return nil
}

// gatherScheduler returns the scheduler's own families as text, and described.
func gatherScheduler() (string, []MetricFamily, error) {
	gathered, err := metrics.GetGather().Gather()
	if err != nil {
		return "", nil, err
	}
	var text bytes.Buffer
	var families []MetricFamily
	for _, family := range gathered {
		if !strings.HasPrefix(family.GetName(), "scheduler_") {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			return "", nil, err
		}
		families = append(families, describe(family))
	}
	return text.String(), families, nil
}

func describe(family *dto.MetricFamily) MetricFamily {
	first := family.GetMetric()[0]
	out := MetricFamily{Name: family.GetName(), Help: family.GetHelp(), Type: strings.ToLower(family.GetType().String()), Labels: []string{}}
	for _, label := range first.GetLabel() {
		out.Labels = append(out.Labels, label.GetName())
	}
	for _, bucket := range first.GetHistogram().GetBucket() {
		out.Buckets = append(out.Buckets, bucket.GetUpperBound())
	}
	return out
}

// MetricsCommand prints the table of a scheduler with these feature gates ("A=true,B=false"). A process
// registers its metrics once, so each set of gates takes a process.
func MetricsCommand(args []string) error {
	if err := utilfeature.DefaultMutableFeatureGate.Set(strings.Join(args, ",")); err != nil {
		return err
	}
	metrics.Register()
	table := MetricTable{Observations: metricObservations}
	var err error
	if table.Idle, _, err = gatherScheduler(); err != nil {
		return err
	}
	for i, o := range table.Observations {
		if err := observe(o); err != nil {
			return err
		}
		if o.Labels == nil {
			table.Observations[i].Labels = []string{}
		}
	}
	if table.Text, table.Families, err = gatherScheduler(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(table)
}

// metricTableWith runs MetricsCommand in a process of its own; nil: a gate cannot have this value.
func metricTableWith(gates string) (*MetricTable, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out, complaint bytes.Buffer
	command := exec.Command(self, "metrics", gates)
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		if strings.Contains(complaint.String(), "cannot set feature gate") {
			return nil, nil
		}
		return nil, fmt.Errorf("metrics with %s: %w: %s", gates, err, complaint.String())
	}
	var table MetricTable
	return &table, json.Unmarshal(out.Bytes(), &table)
}

// metricTable is that of all gates, with the gate of each family that a gate alone takes away.
func metricTable() (any, error) {
	var on []string
	for _, gate := range metricGates {
		on = append(on, gate+"=true")
	}
	table, err := metricTableWith(strings.Join(on, ","))
	if err != nil || table == nil {
		return nil, fmt.Errorf("no table with all gates: %w", err)
	}
	for i, gate := range metricGates {
		gates := slices.Clone(on)
		gates[i] = gate + "=false"
		without, err := metricTableWith(strings.Join(gates, ","))
		if err != nil {
			return nil, err
		}
		if without == nil {
			continue // the gate is locked
		}
		for f := range table.Families {
			name := table.Families[f].Name
			if !slices.ContainsFunc(without.Families, func(m MetricFamily) bool { return m.Name == name }) {
				table.Families[f].Gate = gate
			}
		}
	}
	return table, nil
}
