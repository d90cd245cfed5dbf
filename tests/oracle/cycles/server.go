// The API server: objects, watches and what its subresources do.

package cycles

import (
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"libsched.dev/tests/oracle/cases"
)

// tracker gives every version of an object its own resourceVersion.
type tracker struct {
	clienttesting.ObjectTracker
	mu sync.Mutex
	rv int
}

func (t *tracker) stamp(obj runtime.Object) runtime.Object {
	obj = obj.DeepCopyObject()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rv++
	if m, err := meta.Accessor(obj); err == nil {
		m.SetResourceVersion(fmt.Sprint(t.rv))
	}
	return obj
}

func (t *tracker) Create(r schema.GroupVersionResource, obj runtime.Object, ns string, o ...metav1.CreateOptions) error {
	return t.ObjectTracker.Create(r, t.stamp(obj), ns, o...)
}

func (t *tracker) Update(r schema.GroupVersionResource, obj runtime.Object, ns string, o ...metav1.UpdateOptions) error {
	return t.ObjectTracker.Update(r, t.stamp(obj), ns, o...)
}

func (t *tracker) Patch(r schema.GroupVersionResource, obj runtime.Object, ns string, o ...metav1.PatchOptions) error {
	return t.ObjectTracker.Patch(r, t.stamp(obj), ns, o...)
}

// server is the API server.
type server struct {
	raw     *fake.Clientset // the client of informers and of the script
	tracker *tracker
	park    func(rank int, what, key string)
	start   time.Time
	grace   time.Duration

	mu     sync.Mutex
	faults []*cases.APIFault
	used   map[*cases.APIFault]int
	calls  []*cases.APICall
	// leaving are pods in graceful deletion, in the order in which they end.
	leaving []leavingPod
}

type leavingPod struct {
	at  time.Time
	pod *v1.Pod
}

func newServer(start time.Time) *server {
	s := &server{raw: &fake.Clientset{}, start: start, used: map[*cases.APIFault]int{}}
	s.tracker = &tracker{ObjectTracker: clienttesting.NewObjectTracker(clientscheme.Scheme, clientscheme.Codecs.UniversalDecoder())}
	s.raw.AddReactor("*", "*", clienttesting.ObjectReaction(s.tracker))
	s.raw.AddWatchReactor("*", clienttesting.WatchReactionFunc(s.watch))
	return s
}

func (s *server) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	var opts metav1.ListOptions
	if w, ok := action.(clienttesting.WatchActionImpl); ok {
		opts = w.ListOptions
	}
	w, err := s.tracker.Watch(action.GetResource(), action.GetNamespace(), opts)
	return err == nil, w, err
}

var podsResource = v1.SchemeGroupVersion.WithResource("pods")

func (s *server) pod(ns, name string) (*v1.Pod, error) {
	obj, err := s.tracker.Get(podsResource, ns, name)
	if err != nil {
		return nil, err
	}
	return obj.(*v1.Pod), nil
}

// bind does what the API server does for a Binding, and marks the pod as running.
func (s *server) bind(ns string, b *v1.Binding) error {
	pod, err := s.pod(ns, b.Name)
	if err != nil {
		return err
	}
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(podsResource.GroupResource(), b.Name, fmt.Errorf(format, args...))
	}
	switch {
	case b.UID != "" && b.UID != pod.UID:
		return conflict("Precondition failed: UID in precondition: %v, UID in object meta: %v", b.UID, pod.UID)
	case pod.DeletionTimestamp != nil:
		return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return conflict("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeName = b.Target.Name
	pod.Status.NominatedNodeName = ""
	podutil.UpdatePodCondition(&pod.Status, &v1.PodCondition{Type: v1.PodScheduled, Status: v1.ConditionTrue})
	pod.Status.Phase = v1.PodRunning
	return s.tracker.Update(podsResource, pod, ns)
}

// deletePod begins the graceful deletion of a bound pod if there is a grace
// period, and otherwise removes the pod.
func (s *server) deletePod(ns, name string) error {
	pod, err := s.pod(ns, name)
	if err != nil {
		return err
	}
	if s.grace == 0 || pod.Spec.NodeName == "" {
		return s.tracker.Delete(podsResource, ns, name)
	}
	if pod.DeletionTimestamp != nil {
		return nil
	}
	pod = pod.DeepCopy()
	end := time.Now().Add(s.grace)
	pod.DeletionTimestamp = &metav1.Time{Time: end}
	pod.DeletionGracePeriodSeconds = new(int64(s.grace / time.Second))
	s.mu.Lock()
	s.leaving = append(s.leaving, leavingPod{end, pod})
	s.mu.Unlock()
	return s.tracker.Update(podsResource, pod, ns)
}

// gone returns the next pod whose grace period is over, once, or nil.
func (s *server) gone(now time.Time) *v1.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.leaving {
		if !l.at.After(now) {
			s.leaving = slices.Delete(s.leaving, i, i+1)
			return l.pod
		}
	}
	return nil
}
