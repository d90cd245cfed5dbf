// The clients that the scheduler writes with: each call waits for its turn.

package cycles

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"libsched.dev/tests/oracle/cases"
)

// client is the client of the scheduler.
func (s *server) client() clientset.Interface { return client{s.raw, s} }

type client struct {
	clientset.Interface
	s *server
}

func (c client) CoreV1() corev1client.CoreV1Interface { return coreClient{c.Interface.CoreV1(), c.s} }

type coreClient struct {
	corev1client.CoreV1Interface
	s *server
}

func (c coreClient) Pods(ns string) corev1client.PodInterface {
	return podClient{c.CoreV1Interface.Pods(ns), c.s, ns}
}

func (c coreClient) PersistentVolumes() corev1client.PersistentVolumeInterface {
	return volumeClient{c.CoreV1Interface.PersistentVolumes(), c.s}
}

func (c coreClient) PersistentVolumeClaims(ns string) corev1client.PersistentVolumeClaimInterface {
	return claimClient{c.CoreV1Interface.PersistentVolumeClaims(ns), c.s}
}

type podClient struct {
	corev1client.PodInterface
	s  *server
	ns string
}

func (p podClient) Bind(ctx context.Context, b *v1.Binding, _ metav1.CreateOptions) error {
	c := p.s.call(rankBind, "bind", p.ns+"/"+b.Name)
	c.Node = b.Target.Name
	if err := c.begin(ctx); err != nil {
		return c.end(err)
	}
	return c.end(p.s.bind(p.ns, b))
}

func (p podClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, sub ...string) (*v1.Pod, error) {
	c := p.s.call(rankPatchStatus, "patchStatus", p.ns+"/"+name)
	var patch struct {
		Status struct {
			Conditions []v1.PodCondition
		}
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	for _, cond := range patch.Status.Conditions {
		c.Condition = condition(cond)
		if cond.Type == v1.PodScheduled {
			c.Condition.Message = "" // it repeats the event before
		}
	}
	var m map[string]map[string]any
	_ = json.Unmarshal(data, &m)
	if v, ok := m["status"]["nominatedNodeName"]; ok {
		s, _ := v.(string) // null means removed
		c.Nominated = &s
	}
	if err := c.begin(ctx); err != nil {
		return nil, c.end(err)
	}
	pod, err := p.PodInterface.Patch(ctx, name, pt, data, o, sub...)
	return pod, c.end(err)
}

func (p podClient) Delete(ctx context.Context, name string, _ metav1.DeleteOptions) error {
	c := p.s.call(rankDelete, "delete", p.ns+"/"+name)
	if err := c.begin(ctx); err != nil {
		return c.end(err)
	}
	return c.end(p.s.deletePod(p.ns, name))
}

type volumeClient struct {
	corev1client.PersistentVolumeInterface
	s *server
}

func (p volumeClient) Update(ctx context.Context, pv *v1.PersistentVolume, o metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	c := p.s.call(rankPlugin, "updatePV", pv.Name)
	if err := c.begin(ctx); err != nil {
		return nil, c.end(err)
	}
	out, err := p.PersistentVolumeInterface.Update(ctx, pv, o)
	return out, c.end(err)
}

type claimClient struct {
	corev1client.PersistentVolumeClaimInterface
	s *server
}

func (p claimClient) Update(ctx context.Context, pvc *v1.PersistentVolumeClaim, o metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	c := p.s.call(rankPlugin, "updatePVC", pvc.Namespace+"/"+pvc.Name)
	if err := c.begin(ctx); err != nil {
		return nil, c.end(err)
	}
	out, err := p.PersistentVolumeClaimInterface.Update(ctx, pvc, o)
	return out, c.end(err)
}

// patchGroup begins the patch of a PodGroup.
func (s *server) patchGroup(ctx context.Context, key string, data []byte) (*call, error) {
	c := s.call(rankPatchGroup, "patchGroup", key)
	var patch struct {
		Status struct{ Conditions []metav1.Condition }
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, err
	}
	for _, cond := range patch.Status.Conditions {
		c.Condition = &cases.Condition{Type: cond.Type, Status: string(cond.Status), Reason: cond.Reason, Message: cond.Message}
	}
	if err := c.begin(ctx); err != nil {
		return nil, c.end(err)
	}
	return c, nil
}
