package libsched_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"libsched"
)

// owned is a pod with a controller, or with the given metadata, on a node.
func owned(name, node, meta string) string {
	if meta == "" {
		meta = "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]"
	}
	return fmt.Sprintf("---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default, labels: {app: %s}, %s}\n"+
		"spec: {nodeName: %s, containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n"+
		"status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}\n", name, name, meta, node)
}

func outcomes(d *libsched.Drain) []string {
	var out []string
	for _, p := range d.Pods {
		out = append(out, fmt.Sprintf("%s %v %s", p.Name, p.Outcome, p.To))
	}
	return out
}

func TestDrain(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	daemon := "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u, controller: true}]"
	document := owned("web", "small", "") + owned("agent", "small", daemon) + owned("db", "small", "") +
		"---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: two, namespace: default}\n" +
		"spec: {selector: {matchLabels: {app: db}}}\n"
	if err := cluster.Apply([]byte(document)); err != nil {
		t.Fatal(err)
	}
	before := cluster.PodCount()
	found := must(fw.DrainNodes(ctx, cluster, []string{"small"}, libsched.DrainOptions{Ties: libsched.TiesName}))(t)
	wanted := []string{"agent stays ", "db blocked ", "web moved big"}
	if fmt.Sprint(outcomes(found)) != fmt.Sprint(wanted) || found.Complete || cluster.PodCount() != before {
		t.Fatalf("%q %v %d", outcomes(found), found.Complete, cluster.PodCount())
	}
	if p := found.Pods[1]; p.Budget != "two" || p.Namespace != "default" || p.From != "small" || p.Text == "" {
		t.Errorf("%+v", p)
	}
	if p := found.Pods[2]; p.Profile != fw.Profile() || p.Text != "" {
		t.Errorf("%+v", p)
	}
	if err := cluster.RemoveObject("PodDisruptionBudget", "default", "two"); err != nil {
		t.Fatal(err)
	}
	if found := must(fw.DrainNodes(ctx, cluster, []string{"small"}, libsched.DrainOptions{}))(t); !found.Complete {
		t.Errorf("%q", outcomes(found))
	}
}

func TestDrainRefusesAsKubectl(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	if err := cluster.Apply([]byte(owned("bare", "small", "annotations: {}") + owned("web", "small", ""))); err != nil {
		t.Fatal(err)
	}
	found := must(fw.DrainNodes(ctx, cluster, []string{"small"}, libsched.DrainOptions{}))(t)
	if fmt.Sprint(outcomes(found)) != "[bare refused  web kept ]" || found.Complete {
		t.Errorf("%q", outcomes(found))
	}
	found = must(fw.DrainNodes(ctx, cluster, []string{"small"}, libsched.DrainOptions{Force: true}))(t)
	if found.Pods[0].Outcome != libsched.DrainDeleted || found.Pods[1].Outcome != libsched.DrainMoved || !found.Complete {
		t.Errorf("%q", outcomes(found))
	}
}

func TestDrainByLabelsTellsWhatReturns(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	must(cluster.Edit([]string{"label small pool=a"}, nil))(t)
	tolerant := strings.Replace(owned("web", "small", ""), "containers:",
		"nodeSelector: {pool: a}, tolerations: [{operator: Exists}], containers:", 1)
	check(t, cluster.Apply([]byte(tolerant)))
	found := must(fw.DrainNodes(ctx, cluster, []string{"pool=a"}, libsched.DrainOptions{}))(t)
	if fmt.Sprint(outcomes(found)) != "[web returned small]" || found.Complete ||
		fmt.Sprint(found.Nodes) != "[small]" || found.Pods[0].Text == "" {
		t.Errorf("%q %v", outcomes(found), found.Nodes)
	}
}

func TestDrainErrors(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	if _, err := fw.DrainNodes(ctx, cluster, []string{"small", "nowhere"}, libsched.DrainOptions{}); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	if _, err := fw.DrainNodes(ctx, cluster, []string{"small", "small"}, libsched.DrainOptions{}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, err := fw.DrainNodes(ctx, cluster, nil, libsched.DrainOptions{Ties: 7}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if err := cluster.Apply([]byte(owned("web", "small", ""))); err != nil {
		t.Fatal(err)
	}
	_, err := fw.DrainNodes(ctx, cluster, []string{"small"}, libsched.DrainOptions{Deadline: time.Unix(1, 0)})
	if !errors.Is(err, libsched.ErrDeadline) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := fw.DrainNodes(ended, cluster, []string{"small"}, libsched.DrainOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if found, err := fw.DrainNodes(ctx, cluster, nil, libsched.DrainOptions{}); err != nil || !found.Complete {
		t.Error(found, err)
	}
}
