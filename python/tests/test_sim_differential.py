"""A Sim answers as a Cluster and a Framework do, over random clusters, changes, forks and reverts.

A cluster mirrors the sim: it has the same nodes in the same order, and each pod of the sim under a name
of its own. After each change some questions are asked of both.
"""

import random

import numpy
import pytest

import libsched
from manifests import node, pod

SCHEDULER = libsched.Framework()
APPS = ("web", "db", "cache")
CLASS = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "late"},
         "provisioner": "x.example.com", "volumeBindingMode": "WaitForFirstConsumer"}


def volume(zone, index):
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"v{index}"},
            "spec": {"storageClassName": "now", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"},
                     "claimRef": {"name": f"c{index}", "namespace": "default"},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                         {"key": "zone", "operator": "In", "values": [zone]}]}]}}}}


def claim(index, **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": f"c{index}", "namespace": "default",
                         "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}}


def selector(rng):
    return {"matchLabels": {"app": rng.choice(APPS)}}


def make_node(rng, name):
    taints = [{"key": "dedicated", "value": "x", "effect": rng.choice(["NoSchedule", "NoExecute"])}]
    return node(name, cpu=str(rng.randint(1, 6)), memory=f"{rng.randint(2, 8)}Gi", pods=str(rng.randint(3, 9)),
                labels={"zone": rng.choice("abc"), **({"disk": "fast"} if rng.random() < 0.3 else {})},
                taints=taints if rng.random() < 0.2 else (),
                **({"unschedulable": True} if rng.random() < 0.1 else {}))


def make_pod(rng, index):
    spec = {}
    term = {"labelSelector": selector(rng), "topologyKey": rng.choice(["zone", "kubernetes.io/hostname"])}
    kind = rng.randrange(10)
    if kind in (0, 7):
        spec["topologySpreadConstraints"] = [{"maxSkew": rng.randint(1, 2), "topologyKey": "zone",
                                              "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector(rng)}]
    elif kind == 1:
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    elif kind == 2:
        spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    elif kind == 3:
        spec["tolerations"] = [{"operator": "Exists"}]
    elif kind == 4:
        spec["nodeSelector"] = {"disk": "fast"}
    elif kind == 5:
        spec["volumes"] = [{"name": "d", "persistentVolumeClaim": {"claimName": f"c{rng.randrange(4)}"}}]
    elif kind == 6:
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In",
                                                    "values": [f"n{rng.randrange(6)}", f"n{rng.randrange(6)}"]}]}]}}}
    made = pod(f"p{index}", cpu=f"{rng.randint(0, 25)}00m", **spec)
    if rng.random() < 0.2:
        made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": rng.choice([80, 8080])}]
    made["metadata"]["labels"] = {"app": rng.choice(APPS)}
    return libsched.Pod(made)


class Both:
    """A sim, and the cluster that mirrors it."""

    def __init__(self, rng):
        self.rng = rng
        self.sim = libsched.Sim(SCHEDULER)
        self.cluster = libsched.Cluster(node_order="insertion")
        self.contents = [make_pod(rng, index) for index in range(12)]
        self.refs = [self.sim.catalog.pod(one) for one in self.contents]
        self.content_of = {}
        for ref, one in zip(self.refs, self.contents, strict=True):
            self.content_of.setdefault(ref, one)
        self.shapes = [libsched.Node(make_node(rng, "any")) for _ in range(5)]
        self.next_name = 0
        self.put([CLASS, *(claim(i, volumeName=f"v{i}", storageClassName="now") for i in range(2)),
                  *(volume(rng.choice("abc"), i) for i in range(2)), claim(2, storageClassName="late")])
        for _ in range(rng.randint(2, 7)):
            self.add_node()

    def put(self, objects):
        self.sim.put_objects(objects)
        self.cluster.put_objects(objects)

    @property
    def names(self):
        return self.sim.names

    def add_node(self):
        name = f"n{self.next_name}"
        self.next_name += 1
        shape = self.rng.choice(self.shapes)
        self.sim.add_nodes(shape, name)
        self.cluster.add_nodes(shape.copy(name=name))

    def mirror_pod(self, pod_id, ref, name):
        key = f"m{pod_id}"
        self.cluster.add_pods(self.content_of[int(ref)].copy(name=key, uid=key), name)

    def add_pods(self):
        if not self.names:
            return
        refs = [self.rng.choice(self.refs) for _ in range(self.rng.randint(1, 4))]
        names = [self.rng.choice(self.names) for _ in refs]
        for made, ref, name in zip(self.sim.add_pods(refs, names), refs, names, strict=True):
            self.mirror_pod(made, ref, name)

    def all_pods(self):
        return [int(one) for name in self.names for one in self.sim.pods_on(name)]

    def remove_pods(self):
        pods = self.all_pods()
        chosen = self.rng.sample(pods, min(len(pods), 2))
        self.sim.remove_pods(chosen)
        for one in chosen:
            self.cluster.remove_pod(f"default/m{one}")

    def remove_node(self):
        if len(self.names) < 2:
            return
        name = self.rng.choice(self.names)
        for one in self.sim.pods_on(name):
            self.cluster.remove_pod(f"default/m{one}")
        self.sim.remove_node(name)
        self.cluster.remove_node(name)

    def replace_node(self):
        if not self.names:
            return
        name, shape = self.rng.choice(self.names), self.rng.choice(self.shapes)
        self.sim.replace_node(name, shape)
        self.cluster.update(shape.copy(name=name))

    def place_many(self):
        refs = [self.rng.choice(self.refs) for _ in range(self.rng.randint(1, 8))]
        placed = self.sim.place_many(refs, retry_failed=True)
        for ref, hit in zip(refs, placed.hits, strict=True):
            wanted = self.first_of(ref)
            found = self.sim.node_name(hit["node"]) if hit["node"] else None
            assert found == wanted
            if hit["node"]:
                self.mirror_pod(hit["pod"], ref, found)
        assert placed.count == numpy.count_nonzero(placed.hits["node"])

    def first_of(self, ref, among=None):
        """The name of the first node that takes a pod, as the framework says."""
        result = SCHEDULER.fit(self.cluster, self.content_of[ref])
        fitting = set(result.nodes)
        return next((name for name in among or self.names if name in fitting), None)

    def remove_on_trial(self):
        if not self.names:
            return
        name = self.rng.choice(self.names)
        pods = [int(one) for one in self.sim.pods_on(name)]
        keep = self.rng.random() < 0.5
        refs = [int(one) for one in self.sim.pod_refs(pods)]
        removed, hits = self.sim.remove(name, pods, keep=keep)
        with self.cluster.fork() as fork:
            for one in pods:
                self.cluster.remove_pod(f"default/m{one}")
            self.cluster.remove_node(name)
            others = [other for other in self.cluster.nodes]
            wanted = []
            for one, ref in zip(pods, refs, strict=True):
                result = set(SCHEDULER.fit(self.cluster, self.content_of[ref]).nodes)
                place = next((other for other in others if other in result), None)
                wanted.append(place)
                if place is None:
                    break
                self.cluster.add_pods(self.content_of[ref].copy(name=f"moved{one}", uid=f"moved{one}"), place)
            assert removed == (None not in wanted)
            for place, hit in zip(wanted, hits, strict=False):
                assert (self.sim.node_name(hit["node"]) if hit["node"] else None) == place
            if removed and keep:
                for one, ref, hit, place in zip(pods, refs, hits, wanted, strict=True):
                    self.cluster.remove_pod(f"default/moved{one}")
                    self.mirror_pod(hit["pod"], ref, place)
                fork.commit()

    def ask(self):
        """Every question about some pods."""
        names = self.names
        assert names == list(self.cluster.nodes)
        refs = self.rng.sample(self.refs, 3)
        matrix = self.sim.check_many(refs)
        for row, ref in zip(matrix, refs, strict=True):
            result = SCHEDULER.fit(self.cluster, self.content_of[ref])
            fitting = [name for name in names if name in set(result.nodes)]
            mask = self.sim.feasible(ref, result="mask")
            assert [name for name, takes in zip(names, mask, strict=True) if takes] == fitting
            assert (row == 0).tolist() == mask.tolist()
            hit = self.sim.first(ref)
            assert (self.sim.node_name(hit.node) if hit else None) == (fitting[0] if fitting else None)
            assert bool(hit) == (hit.verdict.stage is libsched.Stage.PASSED)
            for column, name in enumerate(names):
                self.compare(self.sim.check(ref, name), result[name].status, row[column])
        self.ask_about_copies(refs[0])
        self.ask_without(refs[1])
        used = self.sim.requested()
        for index, name in enumerate(names):
            assert used[index, 0] == self.cluster.nodes[name].requested("cpu")
            assert used[index, 3] == len(self.cluster.nodes[name].pods)

    def ask_about_copies(self, ref):
        """Copies of a pod, placed on one node until it is full."""
        copies = self.sim.copies(ref, max=5)
        for count, name in zip(copies, self.names, strict=True):
            with self.cluster.fork():
                there = 0
                while there < 5 and name in set(SCHEDULER.fit(self.cluster, self.content_of[ref]).nodes):
                    self.cluster.add_pods(self.content_of[ref].copy(name=f"copy{there}", uid=f"copy{there}"), name)
                    there += 1
            assert count == there, name

    def ask_without(self, ref):
        """As if some pods were not there."""
        there = [one for name in self.names for one in self.sim.pods_on(name)]
        gone = self.rng.sample(there, min(2, len(there)))
        with self.cluster.fork():
            for one in gone:
                self.cluster.remove_pod(f"default/m{one}")
            fitting = SCHEDULER.fit(self.cluster, self.content_of[ref]).nodes
        assert set(self.names[i] for i in self.sim.feasible(ref, result="mask", without=gone).nonzero()[0]) == set(fitting)
        hit = self.sim.first(ref, without=gone)
        assert bool(hit) == bool(fitting)
        for name in self.names:
            assert bool(self.sim.check(ref, name, without=gone)) == (name in fitting)

    def compare(self, verdict, status, told):
        assert bool(verdict) == status.is_success
        if verdict or verdict.stage is libsched.Stage.PREFILTER_EXCLUDED:
            return
        assert (verdict.code, verdict.plugin, verdict.reasons) == (status.code, status.plugin, status.reasons)
        assert self.sim.plugins[told - 1] == status.plugin


CHANGES = ("add_node", "add_pods", "add_pods", "remove_pods", "remove_node", "replace_node", "place_many",
           "place_many", "remove_on_trial", "remove_on_trial")


@pytest.mark.parametrize("seed", range(60))
def test_random_changes(seed):
    """Seven rounds of changes each; 420 states are compared in all."""
    rng = random.Random(seed)
    both = Both(rng)
    opened = []
    for _ in range(7):
        if rng.random() < 0.4:
            opened.append((both.sim.fork(), both.cluster.fork(), both.sim.nodes.tolist(), both.all_pods()))
        for _ in range(rng.randint(1, 3)):
            getattr(both, rng.choice(CHANGES))()
        both.ask()
        if opened and rng.random() < 0.5:
            fork, mirrored, nodes, pods = opened.pop()
            if rng.random() < 0.3:
                fork.commit()
                mirrored.commit()
            else:
                fork.revert()
                mirrored.revert()
                assert (both.sim.nodes.tolist(), both.all_pods()) == (nodes, pods)
            both.ask()
    while opened:
        for one in opened.pop()[:2]:
            one.revert()
    both.ask()


@pytest.mark.parametrize("seed", range(100, 140))
def test_random_packing(seed):
    """Groups of one content on new nodes: each pod is where the framework would put it in this order."""
    rng = random.Random(seed)
    both = Both(rng)
    for _ in range(3):
        both.add_pods()
    shape = rng.choice(both.shapes)
    ref, number = rng.choice(both.refs), rng.randint(1, 6)
    existing = both.names
    with both.sim.bin_pack([(ref, number)], shape, max_nodes=4) as packing, both.cluster.fork():
        new, last = [], None
        for index in range(number):
            place = both.first_of(ref, new) if new else None
            empty = last is not None and not both.cluster.nodes[last].pods
            if place is None and not empty and len(new) < 4:
                last = f"new-{len(new)}"
                assert last not in existing
                both.cluster.add_nodes(shape.copy(name=last))
                new.append(last)
                place = both.first_of(ref, [last])
            if place is None:
                assert packing.on_node[index] == -1
                break
            assert both.sim.node_name(both.sim.pod_nodes(packing.pods[index:index + 1])[0]) == place
            both.mirror_pod(packing.pods[index], ref, place)
        assert [both.sim.node_name(one) for one in packing.nodes] == new
    both.ask()
