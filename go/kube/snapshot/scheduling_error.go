package snapshot

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"

	"libsched"
)

// ErrorType is the kind of a SchedulingError; the values are the autoscaler's.
type ErrorType int

const (
	// InternalError is an unexpected error.
	InternalError ErrorType = iota
	// FailingPredicate says that PreFilter or Filter plugins keep a pod off a node.
	FailingPredicate
	// NoNodesPassing says that no acceptable node passed the filters.
	NoNodesPassing
)

func (t ErrorType) String() string {
	names := [...]string{"SchedulingInternalError", "FailingPredicateError", "NoNodesPassingPredicatesFoundError"}
	if t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("ErrorType(%d)", int(t))
}

// SchedulingError says why a pod was not scheduled. Its text, the autoscaler's, is made when it is asked for.
type SchedulingError struct {
	Kind    ErrorType
	Pod     *v1.Pod
	Node    *v1.Node         // of FailingPredicate at the stage FilterRejected
	Verdict libsched.Verdict // unless the error is internal; the slices must not be changed
	Cause   error            // of an internal error
}

func internal(pod *v1.Pod, cause error) *SchedulingError {
	return &SchedulingError{Kind: InternalError, Pod: pod, Cause: cause}
}

// Unwrap returns the cause of an internal error.
func (e *SchedulingError) Unwrap() error { return e.Cause }

// Type returns Kind.
func (e *SchedulingError) Type() ErrorType { return e.Kind }

// FailingPredicateName returns the plugin, or the plugins that narrowed the nodes, joined by ", ".
func (e *SchedulingError) FailingPredicateName() string {
	if e.Kind == FailingPredicate && e.Verdict.Stage == libsched.PreFilterExcluded {
		return strings.Join(e.Verdict.Plugins, ", ")
	}
	return e.Verdict.Plugin
}

// FailingPredicateReasons returns the plugin's reasons; those that narrow the nodes give none.
func (e *SchedulingError) FailingPredicateReasons() []string {
	if e.Verdict.Stage == libsched.PreFilterExcluded {
		return nil
	}
	return e.Verdict.Reasons
}

// Reasons returns the plugin's reasons, or the error's own text for the other types.
func (e *SchedulingError) Reasons() []string {
	if e.Kind == FailingPredicate {
		return e.FailingPredicateReasons()
	}
	return []string{e.Error()}
}

// UnexpectedText says more of the stage than a rejection by a Filter plugin needs: "PreFilter failed",
// "PreFilter filtered the Node out", or a status that is no rejection. It is "" otherwise.
func (e *SchedulingError) UnexpectedText() string {
	if e.Kind != FailingPredicate {
		return ""
	}
	switch e.Verdict.Stage {
	case libsched.PreFilterRejected:
		return "PreFilter failed"
	case libsched.PreFilterExcluded:
		return "PreFilter filtered the Node out"
	}
	switch code := e.Verdict.Code; code {
	case libsched.Unschedulable, libsched.UnschedulableAndUnresolvable, libsched.Pending:
		return ""
	default:
		return fmt.Sprintf("unexpected filter status %q", code.String())
	}
}

// DebugText names the node of a rejection by a Filter plugin, and its taints if TaintToleration rejects.
func (e *SchedulingError) DebugText() string {
	if e.Node == nil {
		return ""
	}
	text := fmt.Sprintf("nodeName: %q", e.Node.Name)
	if e.Verdict.Plugin == "TaintToleration" {
		text += fmt.Sprintf(", nodeTaints: %#v", e.Node.Spec.Taints)
	}
	return text
}

// Is compares types, as the autoscaler does.
func (e *SchedulingError) Is(other error) bool {
	o, ok := other.(*SchedulingError)
	return ok && o.Kind == e.Kind
}

func (e *SchedulingError) Error() string {
	if e.Pod == nil {
		return "can't schedule: " + e.text()
	}
	return fmt.Sprintf("can't schedule pod %s/%s: %s", e.Pod.Namespace, e.Pod.Name, e.text())
}

func (e *SchedulingError) text() string {
	switch e.Kind {
	case InternalError:
		return fmt.Sprintf("unexpected error: %v", e.Cause)
	case NoNodesPassing:
		return "couldn't find a matching Node with passing predicates"
	}
	details := "predicateReasons=[" + strings.Join(e.FailingPredicateReasons(), ", ") + "]"
	if text := e.DebugText(); text != "" {
		details += "; debugInfo=" + text
	}
	if text := e.UnexpectedText(); text != "" {
		details += "; unexpectedError=" + text
	}
	return fmt.Sprintf("predicate %q didn't pass (%s)", e.FailingPredicateName(), details)
}
