package libsched_test

import (
	"errors"
	"testing"

	"libsched"
)

func TestDaemonPods(t *testing.T) {
	cluster := fiveNodes(t)
	agent := must(libsched.ParsePod([]byte(`
kind: DaemonSet
apiVersion: apps/v1
metadata: {name: agent, namespace: default}
spec: {template: {spec: {containers: [{name: c}]}}}`)))(t)
	pods := must(cluster.DaemonPods(agent))(t)
	if len(pods) != 4 { // not on the one with a taint
		t.Fatalf("%d pods", len(pods))
	}
	fw := newFramework(t)
	for _, pod := range pods {
		fit := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)
		if len(fit.Feasible()) != 1 || pod.Name() != "agent-"+fit.Feasible()[0] {
			t.Errorf("%s: %v", pod.Name(), fit.Feasible())
		}
	}
	cluster.Close()
	if _, err := cluster.DaemonPods(agent); err == nil {
		t.Error("no error")
	}
}

func TestMissingClaims(t *testing.T) {
	cluster := fiveNodes(t)
	set := must(libsched.ParseObjects([]byte(`
kind: StatefulSet
apiVersion: apps/v1
metadata: {name: db, namespace: default}
spec:
  template: {spec: {containers: [{name: c}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: none}}]`)))(t)
	pod := set.Workloads()[0].Pod
	claims := must(cluster.MissingClaims(pod))(t)
	if n := must(cluster.ApplyChanges(libsched.PutObjects(claims, libsched.PutMissing)))(t); n != 1 {
		t.Errorf("%d claims", n)
	}
	if again := must(cluster.MissingClaims(pod))(t); again == nil {
		t.Error("no empty set")
	}
	cluster.Close()
	if _, err := cluster.MissingClaims(pod); err == nil {
		t.Error("no error")
	}
}

func TestPodWithClaims(t *testing.T) {
	cluster := fiveNodes(t)
	set := must(libsched.ParseObjects([]byte(`
kind: Pod
apiVersion: v1
metadata: {name: web, namespace: ns}
spec: {resourceClaims: [{name: card, resourceClaimTemplateName: gpu}]}
---
kind: ResourceClaimTemplate
apiVersion: resource.k8s.io/v1
metadata: {name: gpu, namespace: ns}
spec: {spec: {}}`)))(t)
	pod := set.Pods()[0]
	if _, err := cluster.PodWithClaims(pod); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	if _, err := cluster.MissingClaims(pod); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	must(cluster.ApplyChanges(libsched.PutObjects(set, libsched.PutMissing|libsched.PutNoPods)))(t)
	named := must(cluster.PodWithClaims(pod))(t)
	claims := must(cluster.MissingClaims(named))(t)
	if n := must(cluster.ApplyChanges(libsched.PutObjects(claims, libsched.PutMissing)))(t); n != 1 {
		t.Errorf("%d claims", n)
	}
	if again := must(cluster.PodWithClaims(named))(t); again.Name() != "web" {
		t.Error(again.Name())
	}
	cluster.Close()
	if _, err := cluster.PodWithClaims(pod); err == nil {
		t.Error("no error")
	}
}

func TestAdmission(t *testing.T) {
	cluster := fiveNodes(t)
	set := must(libsched.ParseObjects([]byte(`
kind: RuntimeClass
apiVersion: node.k8s.io/v1
metadata: {name: vm}
handler: vm
overhead: {podFixed: {cpu: 250m}}
---
kind: Pod
apiVersion: v1
metadata: {name: web, namespace: ns}
spec: {runtimeClassName: vm, containers: [{name: c}]}`)))(t)
	made, said, err := cluster.AdmitObjects(set)
	if err != nil || len(said.Notes) != 1 || len(said.Refusals) != 0 {
		t.Fatalf("%+v, %v", said, err)
	}
	want := libsched.AdmissionRemark{Kind: "Pod", Object: "ns/web", Text: "RuntimeClass vm adds overhead cpu 250m"}
	if said.Notes[0] != want || made.Pods()[0].Request("cpu") != 250 {
		t.Errorf("%+v, %d", said.Notes[0], made.Pods()[0].Request("cpu"))
	}
	// The cluster does not have the class.
	pod, said, err := cluster.AdmitPod(set.Pods()[0])
	if err != nil || pod.Name() != "web" || len(said.Refusals) != 1 ||
		said.Refusals[0].Text != `pods "web" is forbidden: pod rejected: RuntimeClass "vm" not found` {
		t.Errorf("%+v, %v", said, err)
	}
	cluster.Close()
	if _, _, err := cluster.AdmitObjects(set); err == nil {
		t.Error("no error")
	}
	if _, _, err := cluster.AdmitPod(pod); err == nil {
		t.Error("no error")
	}
}
