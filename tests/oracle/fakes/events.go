// Cluster events and the hint functions of fake plugins.

package fakes

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/kube"
)

var actionByName = map[string]fwk.ActionType{"Update": fwk.Update, "All": fwk.All}

func init() {
	for a := fwk.Add; a < fwk.All; a <<= 1 {
		actionByName[a.String()] = a
	}
}

// ClusterEvent makes an event of the names of a resource and of actions.
func ClusterEvent(resource string, actions []string) (fwk.ClusterEvent, error) {
	ev := fwk.ClusterEvent{Resource: fwk.EventResource(kube.EventResource(resource))}
	for _, name := range actions {
		a, ok := actionByName[name]
		if !ok {
			return ev, fmt.Errorf("unknown action %q", name)
		}
		ev.ActionType |= a
	}
	return ev, nil
}

// eventPlugin is a plugin with EnqueueExtensions.
type eventPlugin struct{ *plugin }

func (p *eventPlugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	var out []fwk.ClusterEventWithHint
	for _, e := range *p.spec.Events {
		ev, err := ClusterEvent(e.Resource, e.Actions)
		if err != nil {
			return nil, err
		}
		h := fwk.ClusterEventWithHint{Event: ev}
		if e.Hint != nil {
			rules := *e.Hint
			h.QueueingHintFn = func(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
				r := p.w.pick(rules, pod.Name, "", objectName(oldObj, newObj))
				var err error
				if r.Error != "" {
					err = errors.New(r.Error)
				}
				if r.Hint == "Queue" {
					return fwk.Queue, err
				}
				return fwk.QueueSkip, err
			}
		}
		out = append(out, h)
	}
	return out, nil
}

// objectName returns the name of the first object that is there.
func objectName(objs ...any) string {
	for _, o := range objs {
		if o == nil {
			continue
		}
		if m, err := meta.Accessor(o); err == nil {
			return m.GetName()
		}
	}
	return ""
}
