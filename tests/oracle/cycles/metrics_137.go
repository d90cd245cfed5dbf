//go:build k137

package cycles

func init() {
	leftOut["preemption_goroutines_duration_seconds"] = "deprecated: kube-scheduler hides it, which here has no version"
}
