//go:build !k131 && !k132 && !k133 && !k134 && !k135

// Mode dra.

package judge

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/kube"
)

type draRun struct {
	*engine
	client *fake.Clientset
	mutex  sync.Mutex
	seq    int
	shares map[string]string
	seen   map[string]string
}

// RunDRA answers a case of mode dra: whole cycles as in mode schedule, from the point of view of
// DynamicResources: its own status and the allocation of every node, and what PostFilter and PreBind
// write to the API server.
func RunDRA(ctx context.Context, c *cases.Case) (any, error) {
	e, err := newEngine(ctx, c)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	d := &draRun{engine: e, client: e.client.(*fake.Clientset), seq: 1000, shares: map[string]string{}, seen: map[string]string{}}
	d.client.PrependReactor("*", "resourceclaims", d.react)
	for _, p := range e.pods {
		e.cache.AddPodGroupMember(p)
	}
	if err := kube.KnowGroups(ctx, e.cache, e.client); err != nil {
		return nil, err
	}
	if err := e.cache.UpdateSnapshot(e.logger, e.snapshot); err != nil {
		return nil, err
	}
	if err := d.waitForTaints(); err != nil {
		return nil, err
	}
	if _, err := d.changes(); err != nil {
		return nil, err
	}
	g := &cases.DRAGolden{Name: c.Name, Mode: "dra", Pods: []cases.DRAPod{}}
	for i, p := range e.pods {
		if err := d.classChanges(c.Changes, i); err != nil {
			return nil, err
		}
		r, stop, err := d.pod(p)
		if err != nil {
			return nil, fmt.Errorf("pod %s: %w", PodKey(p), err)
		}
		g.Pods = append(g.Pods, *r)
		if stop != "" {
			g.Stopped = stop
			break
		}
	}
	return g, nil
}

func (d *draRun) pod(pod *v1.Pod) (*cases.DRAPod, string, error) {
	r := &cases.DRAPod{Pod: PodKey(pod)}
	env := d.profiles[pod.Spec.SchedulerName]
	if env == nil {
		r.Error = "no such profile"
		return r, "", nil
	}
	dra, ok := env.plugins[dynamicresources.Name].(*dynamicresources.DynamicResources)
	if !ok {
		return nil, "", fmt.Errorf("profile without DynamicResources")
	}
	if s := dra.PreEnqueue(d.ctx, pod); !s.IsSuccess() {
		st := toStatus(s)
		r.PreEnqueue = &st
	}
	if _, s := dra.SignPod(d.ctx, pod); !s.IsSuccess() {
		st := toStatus(s)
		r.Sign = &st
	}
	infos, err := d.snapshot.NodeInfos().List()
	if err != nil {
		return nil, "", err
	}
	nodes := append([]fwk.NodeInfo(nil), infos...)
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Node().Name < nodes[j].Node().Name })
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	pre, s, _ := env.fw.RunPreFilterPlugins(d.ctx, state, pod)
	st := toStatus(s)
	r.PreFilter = &st
	r.Skipped = state.GetSkipFilterPlugins().Has(dynamicresources.Name)
	if !s.IsSuccess() && !s.IsRejected() {
		r.Error = s.AsError().Error()
		return r, "", nil
	}
	var feasible []fwk.NodeInfo
	pr := &cases.PodResult{}
	if s.IsSuccess() {
		for _, ni := range nodes {
			name := ni.Node().Name
			fs := env.fw.RunFilterPluginsWithNominatedPods(d.ctx, state, pod, ni)
			n := cases.DRANode{Node: name, Status: toStatus(fs)}
			if !r.Skipped {
				own := toStatus(dra.Filter(d.ctx, state, pod, ni))
				if own.Code != n.Code || n.Plugin != "" && n.Plugin != dynamicresources.Name {
					n.DRA = &own
				}
				allocations, ext := d.allocationsOn(state, name)
				shares := map[string]string{}
				for i := range allocations {
					n.Allocations = append(n.Allocations, d.allocation(&allocations[i], shares))
				}
				n.Extended = ext
				n.Allocatable = dynamicresources.ExtractPodNodeAllocatableResourceClaimStatus(d.logger, state, name)
			}
			r.Nodes = append(r.Nodes, n)
			switch {
			case !pre.AllNodes() && !pre.NodeNames.Has(name):
			case fs.Code() == fwk.Error:
				if r.Error == "" {
					r.Error = fs.AsError().Error()
				}
			case fs.IsSuccess():
				feasible = append(feasible, ni)
				pr.Feasible = append(pr.Feasible, name)
			default:
				diagnosis.NodeToStatus.Set(name, fs)
			}
		}
		if r.Error != "" {
			return r, "", nil
		}
	}
	if len(feasible) == 0 {
		if state.ShouldSkipAllPostFilterPlugins() {
			return r, "", nil
		}
		candidates := d.deallocatable(state, pod)
		_, s := dra.PostFilter(d.ctx, state, pod, diagnosis.NodeToStatus)
		st := toStatus(s)
		r.PostFilter = &st
		if strings.HasPrefix(s.Message(), "deallocation") {
			r.Deallocated = candidates
			if len(candidates) > 1 {
				return r, "PostFilter picks one of several claims by chance", nil
			}
		}
		r.Claims, err = d.changes()
		return r, "", err
	}
	if err := d.score(env, state, pod, feasible, pr); err != nil {
		return nil, "", err
	}
	r.Scores, r.ScoreError, r.SkipScore = pr.Scores, pr.ScoreError, pr.SkipScore
	if r.Chosen = choose(pod, pr); r.Chosen == "" {
		return r, "", nil
	}
	return r, "", d.bind(env, dra, state, pod, r)
}

// bind goes as far as PreBind. What waits for binding conditions times out soon.
func (d *draRun) bind(env *profileEnv, dra *dynamicresources.DynamicResources, state fwk.CycleState, pod *v1.Pod, r *cases.DRAPod) error {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = r.Chosen
	if utilfeature.DefaultFeatureGate.Enabled(features.DRANodeAllocatableResources) {
		assumed.Status.NodeAllocatableResourceClaimStatuses = dynamicresources.ExtractPodNodeAllocatableResourceClaimStatus(d.logger, state, r.Chosen)
	}
	d.assumed++
	assumed.Status.StartTime = &metav1.Time{Time: time.Date(2100, 1, 1, 0, 0, d.assumed, 0, time.UTC)}
	if err := d.cache.AssumePod(d.logger, assumed); err != nil {
		return err
	}
	waits := false
	allocations, _ := d.allocationsOn(state, r.Chosen)
	for _, rc := range pod.Spec.ResourceClaims {
		if rc.ResourceClaimName != nil {
			if c, err := d.manager().ResourceClaims().Get(pod.Namespace, *rc.ResourceClaimName); err == nil && c.Status.Allocation != nil {
				allocations = append(allocations, *c.Status.Allocation)
			}
		}
	}
	for _, a := range allocations {
		for _, res := range a.Devices.Results {
			waits = waits || len(res.BindingConditions) > 0
		}
	}
	s := env.fw.RunReservePluginsReserve(d.ctx, state, assumed, r.Chosen)
	if !s.IsSuccess() {
		st := toStatus(s)
		r.Reserve = &st
	} else if _, pre := dra.PreBindPreFlight(d.ctx, state, assumed, r.Chosen); pre.IsSuccess() {
		timeout := 20 * time.Second
		if waits {
			timeout = 300 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(d.ctx, timeout)
		s = dra.PreBind(ctx, state, assumed, r.Chosen)
		cancel()
		if !s.IsSuccess() {
			st := toStatus(s)
			r.PreBind = &st
		}
	}
	if !s.IsSuccess() {
		env.fw.RunReservePluginsUnreserve(d.ctx, state, assumed, r.Chosen)
		if err := d.cache.ForgetPod(d.logger, assumed); err != nil {
			return err
		}
	} else {
		d.nominator.DeleteNominatedPodIfExists(pod)
	}
	var err error
	if r.Claims, err = d.changes(); err != nil {
		return err
	}
	p, err := d.client.CoreV1().Pods(pod.Namespace).Get(d.ctx, pod.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err == nil && pod.Status.ExtendedResourceClaimStatus == nil {
		r.Extended = p.Status.ExtendedResourceClaimStatus
	}
	if err == nil {
		r.Allocatable = p.Status.NodeAllocatableResourceClaimStatuses
	}
	return d.cache.UpdateSnapshot(d.logger, d.snapshot)
}
