#!/usr/bin/env python3
"""Compares libsched_drain_nodes() with removing pods and placing them by the real framework, on fresh cases.

    compare_drain.py --oracle build/oracle/oracle --library build/dev/libsched.so --cases 500

A case is a generated cluster of which one to three nodes are drained; its running pods get controllers, and
some belong to DaemonSets, are static, have emptyDir volumes, or are counted by PodDisruptionBudgets. The rules
of kubectl and of the eviction API are written once more here, in Python. Each evicted pod is taken out of the
objects, and the oracle places the pod in its stead alone (mode schedule, without PostFilter; ties go to the
smallest name). Outcome, node and reason of each pod must be equal. The exit code is 1 on any difference.
"""

import argparse
import collections
import ctypes
import json
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import answers  # noqa: E402
from answers import Refused, Str, string  # noqa: E402
from harness.service import Service  # noqa: E402

KINDS = ("basic", "taints", "nodeaffinity", "ports", "images", "podaffinity", "spread", "defaultspread",
         "mixed")
OUTCOMES = ("moved", "pending", "deleted", "stays", "refused", "blocked", "kept")


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("ties", ctypes.c_uint32), ("seed", ctypes.c_uint64),
                ("force", ctypes.c_bool), ("delete_emptydir_data", ctypes.c_bool),
                ("other_profile", Str), ("cancel", ctypes.c_void_p), ("deadline_ns", ctypes.c_int64)]


class DrainedPod(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("outcome", ctypes.c_uint32), ("pod", ctypes.c_void_p),
                *((name, Str) for name in ("from_node", "to_node", "text", "plugin", "budget", "profile"))]


class Library(answers.Library):
    def __init__(self, path):
        super().__init__(path, strings=["pod_name", "pod_namespace"], sizes=["drain_pod_count"],
                         bools=["drain_pod"])

    def drain(self, objects, nodes, force, empty_dir):
        """[(namespace, name, outcome, node or text)]"""
        with self.evaluator(objects) as (evaluator, keep):
            options = Options(ctypes.sizeof(Options), answers.TIES_NAME, 0, force, empty_dir,
                              string("default-scheduler"), None, 0)
            names = (Str * len(nodes))(*map(string, nodes))
            drain = keep("drain", self.made(
                "drain_nodes", (ctypes.c_void_p * 1)(evaluator), ctypes.c_size_t(1), names,
                ctypes.c_size_t(len(nodes)), ctypes.byref(options)))
            told = []
            for index in range(self.c.libsched_drain_pod_count(drain)):
                p = DrainedPod(ctypes.sizeof(DrainedPod))
                self.c.libsched_drain_pod(drain, ctypes.c_size_t(index), ctypes.byref(p))
                pod = ctypes.c_void_p(p.pod)
                outcome = OUTCOMES[p.outcome]
                told.append((self.c.libsched_pod_namespace(pod).text(), self.c.libsched_pod_name(pod).text(),
                             outcome, p.to_node.text() if outcome == "moved" else
                             p.text.text() if outcome == "pending" else ""))
            return told


def dress(objects, rng):
    """Gives the running pods owners, volumes and budgets."""
    budgets = {}
    for pod in objects:
        if pod["kind"] != "Pod" or not pod["spec"].get("nodeName"):
            continue
        meta = pod["metadata"]
        meta.setdefault("namespace", "default")
        pod.setdefault("status", {}).pop("nominatedNodeName", None)
        pod["status"].setdefault("phase", "Running")
        pod["spec"]["schedulerName"] = "default-scheduler"
        kind = rng.choice(["ReplicaSet"] * 12 + ["DaemonSet", "static", "bare"])
        if kind == "static":
            meta.setdefault("annotations", {})["kubernetes.io/config.mirror"] = "x"
        elif kind != "bare":
            meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "u",
                                        "controller": True}]
        if rng.random() < 0.05:
            pod["spec"].setdefault("volumes", []).append({"name": "scratch", "emptyDir": {}})
        if rng.random() < 0.5:
            pod["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
        if rng.random() < 0.05:
            pod["status"]["phase"] = "Pending"
        if rng.random() < 0.15:
            pod["spec"]["priority"] = rng.randrange(-2, 9)
        labels = meta.get("labels") or {}
        if labels and rng.random() < 0.3:
            key = rng.choice(sorted(labels))
            name = f"b{len(budgets)}"
            healthy = rng.randrange(3)
            budgets.setdefault((meta["namespace"], key, labels[key]), {
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": name, "namespace": meta["namespace"]},
                "spec": {"selector": {"matchLabels": {key: labels[key]}},
                         **({"unhealthyPodEvictionPolicy": "AlwaysAllow"} if rng.random() < 0.2 else {})},
                "status": {"disruptionsAllowed": rng.randrange(3), "currentHealthy": healthy,
                           "desiredHealthy": rng.randrange(3)}})
    return list(budgets.values())


def verdict(pod, force, empty_dir):
    """kubectl's decision, as an outcome; "moved" if the pod may be evicted and has a controller."""
    owner = next((o["kind"] for o in pod["metadata"].get("ownerReferences", ()) if o.get("controller")), "")
    if owner == "DaemonSet":
        return "stays"
    if "kubernetes.io/config.mirror" in (pod["metadata"].get("annotations") or {}):
        return "stays"
    if not empty_dir and any(v.get("emptyDir") is not None for v in pod["spec"].get("volumes") or ()):
        return "refused"
    if not owner:
        return "deleted" if force else "refused"
    return "deleted" if pod["metadata"].get("deletionTimestamp") else "moved"


def evictable(pod, budgets):
    """Asks the eviction API, which counts the budget down."""
    if pod["status"]["phase"] == "Pending" or pod["metadata"].get("deletionTimestamp"):
        return True
    labels = (pod["metadata"].get("labels") or {}).items()
    found = [b for b in budgets if b["metadata"]["namespace"] == pod["metadata"]["namespace"]
             and b["spec"]["selector"]["matchLabels"].items() <= labels]
    if len(found) != 1:
        return not found
    status = found[0]["status"]
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", ()))
    if not ready:
        if "unhealthyPodEvictionPolicy" in found[0]["spec"]:
            return True
        if status["currentHealthy"] >= status["desiredHealthy"] > 0:
            return True
    if status["disruptionsAllowed"] == 0:
        return False
    status["disruptionsAllowed"] -= 1
    return True


def key(pod):
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def expected(oracle, case, objects, budgets, nodes, force, empty_dir):
    """The outcomes by kubectl's rules and the oracle; None if it does not run the case."""
    budgets = json.loads(json.dumps(budgets))
    planned = []
    for node in nodes:
        pods = [one for one in objects if one["kind"] == "Pod" and one["spec"].get("nodeName") == node]
        pods.sort(key=lambda pod: (-(pod["spec"].get("priority") or 0), *key(pod)))
        verdicts = [verdict(pod, force, empty_dir) for pod in pods]
        for pod, outcome in zip(pods, verdicts, strict=True):
            if outcome in ("moved", "deleted"):
                if "refused" in verdicts:
                    outcome = "kept"
                elif not evictable(pod, budgets):
                    outcome = "blocked"
            planned.append((pod, outcome))
    now = json.loads(json.dumps(objects))
    for one in now:
        if one["kind"] == "Node" and one["metadata"]["name"] in nodes:
            one.setdefault("spec", {})["unschedulable"] = True
    told = []
    for pod, outcome in planned:
        where = ""
        if outcome in ("moved", "deleted"):
            now = [one for one in now if one["kind"] != "Pod" or key(one) != key(pod)]
        if outcome == "moved":
            made = json.loads(json.dumps(pod))
            made["metadata"].pop("uid", None)
            made["spec"].pop("nodeName")
            made.pop("status")
            placed = answers.placed_by(oracle, case["name"], now, [made])
            if placed is None:
                return None
            where = placed[0].get("chosen")
            if where:
                made["spec"]["nodeName"] = where
                now.append({**made, "status": {}})
            else:
                outcome, where = "pending", answers.failure(placed[0])
        told.append((*key(pod), outcome, where))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--start", type=int, default=int(time.time()))
    options = parser.parse_args()
    library = Library(options.library)
    each = -(-options.cases // len(KINDS))
    totals, differing = collections.Counter(), 0
    print(f"seeds from {options.start}")
    with Service([options.oracle, "run", "-compact", "-keep-going"]) as oracle:
        for kind in KINDS:
            for number, case in enumerate(answers.generated(options.oracle, kind, options.start, each)):
                rng = random.Random(options.start + number)
                # The cluster has no pods that have ended, and only the budgets that are made here.
                objects = [one for one in case["objects"] if one["kind"] != "PodDisruptionBudget"]
                budgets = dress(objects, rng)
                objects = [one for one in objects if one["kind"] != "Pod"
                           or one.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
                names = [one["metadata"]["name"] for one in objects if one["kind"] == "Node"]
                nodes = rng.sample(names, min(len(names), 1 + rng.randrange(3)))
                force, empty_dir = rng.random() < 0.8, rng.random() < 0.8
                try:
                    here = library.drain(objects + budgets, nodes, force, empty_dir)
                except Refused as refused:
                    totals[f"refused: {str(refused)[:60]}"] += 1
                    continue
                want = expected(oracle, case, objects, budgets, nodes, force, empty_dir)
                if want is None:
                    totals["not run by the oracle"] += 1
                    continue
                totals["compared"] += 1
                totals.update(outcome for _, _, outcome, _ in here)
                if want != here:
                    differing += 1
                    first = next((pair for pair in zip(want, here) if pair[0] != pair[1]), (want, here))
                    print(f"{kind} seed {options.start}+{number}: upstream {first[0]}, here {first[1]}")
    print(f"{differing} differences;", ", ".join(f"{name}: {n}" for name, n in totals.items()))
    return 1 if differing or not totals["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
