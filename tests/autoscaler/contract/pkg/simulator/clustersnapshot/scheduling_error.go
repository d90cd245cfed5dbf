package clustersnapshot

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// SchedulingErrorType is the kind of a SchedulingError.
type SchedulingErrorType int

const (
	// SchedulingInternalError is an unexpected error.
	SchedulingInternalError SchedulingErrorType = iota
	// FailingPredicateError says that PreFilter or Filter plugins keep a pod off a node.
	FailingPredicateError
	// NoNodesPassingPredicatesFoundError says that no acceptable node passed.
	NoNodesPassingPredicatesFoundError
)

func (t SchedulingErrorType) String() string {
	switch t {
	case SchedulingInternalError:
		return "SchedulingInternalError"
	case FailingPredicateError:
		return "FailingPredicateError"
	case NoNodesPassingPredicatesFoundError:
		return "NoNodesPassingPredicatesFoundError"
	}
	return fmt.Sprintf("SchedulingErrorType(%d)", int(t))
}

// Texts of errors at the stages before Filter.
const (
	PreFilterFailed   = "PreFilter failed"
	PreFilterExcluded = "PreFilter filtered the Node out"
)

// UnexpectedFilterStatus is the text for a status of Filter that is no rejection; code is upstream's
// name of its code.
func UnexpectedFilterStatus(code string) string {
	return fmt.Sprintf("unexpected filter status %q", code)
}

// FilterDebugInfo is the text that the autoscaler adds to a rejection by a Filter plugin.
func FilterDebugInfo(plugin string, node *v1.Node) string {
	text := fmt.Sprintf("nodeName: %q", node.Name)
	if plugin == "TaintToleration" {
		text += fmt.Sprintf(", nodeTaints: %#v", node.Spec.Taints)
	}
	return text
}

// SchedulingError says why a pod was not scheduled. errors.Is compares types alone.
type SchedulingError interface {
	error
	Type() SchedulingErrorType
	// Reasons are those of the plugin, or the error's own text for the other types.
	Reasons() []string
	// FailingPredicateName is the plugin, or the plugins joined by ", " that narrowed the nodes.
	FailingPredicateName() string
	FailingPredicateReasons() []string
}

// schedulingError is the only implementation; fields that its type does not use are empty.
type schedulingError struct {
	kind       SchedulingErrorType
	pod        *v1.Pod
	text       string // of an internal error
	plugin     string
	reasons    []string
	unexpected string
	debug      string
}

// NewSchedulingInternalError returns an unexpected error.
func NewSchedulingInternalError(pod *v1.Pod, text string) SchedulingError {
	return &schedulingError{kind: SchedulingInternalError, pod: pod, text: text}
}

// NewFailingPredicateError returns a rejection by a plugin.
func NewFailingPredicateError(pod *v1.Pod, plugin string, reasons []string, unexpected, debug string) SchedulingError {
	return &schedulingError{kind: FailingPredicateError, pod: pod, plugin: plugin, reasons: reasons,
		unexpected: unexpected, debug: debug}
}

// NewNoNodesPassingPredicatesFoundError returns the failure of a search.
func NewNoNodesPassingPredicatesFoundError(pod *v1.Pod) SchedulingError {
	return &schedulingError{kind: NoNodesPassingPredicatesFoundError, pod: pod}
}

func (e *schedulingError) Type() SchedulingErrorType         { return e.kind }
func (e *schedulingError) FailingPredicateName() string      { return e.plugin }
func (e *schedulingError) FailingPredicateReasons() []string { return e.reasons }

func (e *schedulingError) Reasons() []string {
	if e.kind == FailingPredicateError {
		return e.reasons
	}
	return []string{e.Error()}
}

func (e *schedulingError) Is(other error) bool {
	o, ok := other.(SchedulingError)
	return ok && o.Type() == e.kind
}

func (e *schedulingError) Error() string {
	return fmt.Sprintf("can't schedule pod %s/%s: %s", e.pod.Namespace, e.pod.Name, e.cause())
}

func (e *schedulingError) cause() string {
	switch e.kind {
	case FailingPredicateError:
		details := "predicateReasons=[" + strings.Join(e.reasons, ", ") + "]"
		if e.debug != "" {
			details += "; debugInfo=" + e.debug
		}
		if e.unexpected != "" {
			details += "; unexpectedError=" + e.unexpected
		}
		return fmt.Sprintf("predicate %q didn't pass (%s)", e.plugin, details)
	case NoNodesPassingPredicatesFoundError:
		return "couldn't find a matching Node with passing predicates"
	}
	return "unexpected error: " + e.text
}
