// The metrics of a script: what upstream's registry has counted since its beginning. The registry
// belongs to the process, so a case that asks for metrics runs alone.

package cycles

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/queue"
)

// RegisterMetrics registers all metrics, whatever gates the cases have. A process does this once, before
// its first case.
func RegisterMetrics() error {
	gates := map[string]bool{}
	for _, name := range []string{"SchedulerAsyncPreemption", "SchedulerAsyncAPICalls", "DRAExtendedResource",
		"GenericWorkload", "TopologyAwareWorkloadScheduling", "DRADeviceBindingConditions"} {
		gates[name] = true
	}
	return bubble.WithGates(gates, func() error {
		metrics.Register()
		return nil
	})
}

// leftOut are families whose numbers the case does not decide, and why.
var leftOut = map[string]string{
	"plugin_execution_duration_seconds":        "upstream times random cycles",
	"cache_size":                               "set once a second",
	"inflight_events":                          "written with a delay",
	"queueing_hint_execution_duration_seconds": "upstream asks until one plugin answers Queue, in any order",
	"batch_attempts_total":                     "libsched gives no node hints",
	"batch_cache_flushed_total":                "likewise",
	"get_node_hint_duration_seconds":           "likewise",
	"store_schedule_results_duration_seconds":  "likewise",
}

// ofGroups are families that are registered with the gate GenericWorkload alone. Pods count in them
// without it, too.
var ofGroups = []string{"preemption_evaluation_duration_seconds", "preemption_execution_duration_seconds",
	"preemption_pdb_violations_total", "preemption_workload_disruptions"}

// whole are histograms of numbers that are no times: their buckets and sums count, too.
var whole = []string{"pod_scheduling_attempts", "preemption_victims"}

// counts are numbers by series, which are named "family" or "family value,value" by the values of
// their labels in the order of the labels' names.
type counts map[string]float64

// gather reads the registry.
func gather() (counts, error) {
	families, err := metrics.GetGather().Gather()
	if err != nil {
		return nil, err
	}
	out := counts{}
	for _, family := range families {
		name, ours := strings.CutPrefix(family.GetName(), "scheduler_")
		if _, left := leftOut[name]; left || !ours {
			continue
		}
		if slices.Contains(ofGroups, name) && !utilfeature.DefaultFeatureGate.Enabled("GenericWorkload") {
			continue
		}
		for _, series := range family.GetMetric() {
			out.add(name, series)
		}
	}
	return out, nil
}

// add adds the numbers of a series.
func (c counts) add(name string, series *dto.Metric) {
	var labels []string
	for _, label := range series.GetLabel() {
		if label.GetName() == "extension_point" && label.GetValue() == metrics.Sign {
			return // pods are signed for node hints
		}
		if label.GetName() == "operation" && name == "goroutines" && label.GetValue() != metrics.Binding {
			return // of upstream's parallelizer
		}
		labels = append(labels, label.GetValue())
	}
	key := strings.TrimSuffix(name+" "+strings.Join(labels, ","), " ")
	if h := series.GetHistogram(); h == nil {
		c[key] = series.GetCounter().GetValue() + series.GetGauge().GetValue()
	} else if c[key] = float64(h.GetSampleCount()); slices.Contains(whole, name) {
		c[key+" sum"] = h.GetSampleSum()
		for _, bucket := range h.GetBucket() {
			c[fmt.Sprintf("%s le %g", key, bucket.GetUpperBound())] = float64(bucket.GetCumulativeCount())
		}
	}
}

// since returns what has changed.
func (c counts) since(before counts) counts {
	out := counts{}
	for key, value := range c {
		if d := value - before[key]; d != 0 {
			out[key] = d
		}
	}
	return out
}

// flush makes the registry see what upstream's recorder has put aside.
func (r *runner) flush() {
	recorder := queue.Hidden(reflect.ValueOf(r.first), "metricsRecorder").Interface().(*metrics.MetricAsyncRecorder)
	recorder.FlushMetrics()
}
