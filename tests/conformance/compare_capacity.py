#!/usr/bin/env python3
"""Compares libsched_count_capacity() with what the real framework reaches, on fresh cases.

    compare_capacity.py --oracle build/oracle/oracle --library build/dev/libsched.so --cases 500

A case is a generated cluster and one or two of its pods as templates. The oracle places copies of them in
rotation (mode schedule, without PostFilter; ties go to the smallest name) until one finds no node. The
number of pods, the pods of each node and the text of the failure must be equal. The exit code is 1 on any
difference.
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
         "volumes", "csilimit", "mixed")
MOST = 150  # copies of a case
STOPPED, MAXIMUM = 0, 1


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("ties", ctypes.c_uint32), ("seed", ctypes.c_uint64),
                ("max", ctypes.c_size_t), ("other_profile", Str), ("cancel", ctypes.c_void_p),
                ("deadline_ns", ctypes.c_int64)]


class Placement(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("outcome", ctypes.c_uint32), ("pod", ctypes.c_void_p),
                ("count", ctypes.c_size_t), ("profile", Str), ("node_name", Str), ("text", Str),
                ("plugin", Str), ("score", ctypes.c_int64), ("feasible", ctypes.c_size_t),
                ("scored", ctypes.c_bool)]


class Library(answers.Library):
    def __init__(self, path):
        super().__init__(path, strings=["capacity_node"], sizes=["capacity_count", "capacity_node_count"],
                         bools=["capacity_next"])

    def capacity(self, objects, templates):
        """The count, {node: pods}, and why the next pod is not placed ("": the maximum is reached)."""
        with self.evaluator(objects) as (evaluator, keep):
            pods = [keep("pod", self.made("pod_parse", string(json.dumps(pod)), None))
                    for pod in templates]
            options = Options(ctypes.sizeof(Options), answers.TIES_NAME, 0, MOST, Str(), None, 0)
            capacity = keep("capacity", self.made(
                "count_capacity", (ctypes.c_void_p * 1)(evaluator), ctypes.c_size_t(1),
                (ctypes.c_void_p * len(pods))(*pods), ctypes.c_size_t(len(pods)),
                ctypes.byref(options)))
            nodes = {}
            for index in range(self.c.libsched_capacity_node_count(capacity)):
                count = ctypes.c_size_t()
                name = self.c.libsched_capacity_node(capacity, ctypes.c_size_t(index),
                                                     ctypes.byref(count)).text()
                nodes[name] = count.value
            then = Placement(ctypes.sizeof(Placement))
            stopped = self.c.libsched_capacity_next(capacity, ctypes.byref(then))
            return (self.c.libsched_capacity_count(capacity), nodes,
                    (then.text.text() or "?") if stopped else "")


def templates_of(case, rng):
    pods = []
    for pod in rng.sample(case["pods"], min(len(case["pods"]), 1 + rng.randrange(2))):
        pod = json.loads(json.dumps(pod))
        pod["metadata"].pop("uid", None)
        pod["metadata"]["name"] = f"template{len(pods)}"
        pod.pop("status", None)
        for field in ("nodeName", "schedulerName", "schedulingGates"):
            pod.get("spec", {}).pop(field, None)
        pods.append(pod)
    return pods


def copies(templates, count):
    for number in range(count):
        pod = json.loads(json.dumps(templates[number % len(templates)]))
        pod["metadata"]["name"] += f"-{number}"
        yield pod


def expected(pods, nodes):
    """What the oracle has reached, in the form of Library.capacity()."""
    on = collections.Counter({name: 0 for name in nodes})
    for number, pod in enumerate(pods):
        if not pod.get("chosen"):
            return number, dict(on), answers.failure(pod)
        on[pod["chosen"]] += 1
    return len(pods), dict(on), ""


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
                templates = templates_of(case, random.Random(options.start + number))
                for one in case["objects"]:
                    one.get("status", {}).pop("nominatedNodeName", None)
                try:
                    count, nodes, why = library.capacity(case["objects"], templates)
                except Refused as refused:
                    totals[f"refused: {str(refused)[:60]}"] += 1
                    continue
                pods = answers.placed_by(oracle, case["name"], case["objects"],
                                         list(copies(templates, min(count + 2, MOST))))
                if pods is None:
                    totals["not run by the oracle"] += 1
                    continue
                totals["compared"] += 1
                totals["pods placed"] += count
                totals["stopped" if why else "at the maximum"] += 1
                if (want := expected(pods, nodes)) != (count, nodes, why):
                    differing += 1
                    print(f"{kind} seed {options.start}+{number}: upstream {want}, here "
                          f"{(count, nodes, why)}")
    print(f"{differing} differences;", ", ".join(f"{name}: {n}" for name, n in totals.items()))
    return 1 if differing or not totals["compared"] else 0


if __name__ == "__main__":
    sys.exit(main())
