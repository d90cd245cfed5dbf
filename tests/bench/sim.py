"""Measures an autoscaler's questions to a simulated cluster from Python, and prints the figures as JSON.

The clusters and pods are those of bench_sim.cpp, which wrote the documents (`libsched_bench sim-documents`). Figures
are CPU time of the thread in ns.

    tests/bench/sim.py FILE [REPETITIONS]
"""

import json
import sys
import time
import warnings

import libsched

# The autoscaler's own benchmark has nodes and pods of some bytes of memory.
warnings.simplefilter("ignore", libsched.InputWarning)


QUESTIONS = 3000  # of one kind in a repetition


class World:
    """A Sim, with the ids of its nodes."""

    def __init__(self):
        self.sim = libsched.Sim()
        self.nodes = []

    def pods(self, documents):
        return [self.sim.catalog.pod(document, placed=True) for document in documents]

    def reset(self, nodes, pods=(), on_node=()):
        names = [f"node-{i:05}" for i in range(len(nodes))]
        self.nodes = [int(node) for node in self.sim.reset(nodes, names, pods, on_node)[0]]


class Bench:
    """Collects figures."""

    def __init__(self, repetitions):
        self.repetitions, self.figures = repetitions, []

    def timed(self, name, call, calls=1):
        """Measures so many calls in each repetition; one is made before."""
        call()
        times = []
        for _ in range(self.repetitions):
            begin = time.thread_time_ns()
            for _ in range(calls):
                call()
            times.append((time.thread_time_ns() - begin) / calls)
        self.figures.append({"name": f"sim/python/{name}", "times": times})


def require(condition, text):
    if not condition:
        sys.exit(text)


def questions(bench, told):
    world = World()
    sim, apps = world.sim, world.pods(told["apps"])
    *known, extra = [sim.catalog.node(document) for document in told["nodes"]]
    count = len(known)
    world.reset(known, [apps[i % 20] for i in range(10 * count)], [i % count for i in range(10 * count)])
    group, at = f"{count}/", iter(range(0, 10**12, 7919))
    for kind, document in told["big"].items():
        [pod] = world.pods([document])

        def none_fits(pod=pod):
            require(not sim.first(pod), "the big pod fits")

        def after_a_change(pod=pod):
            with sim.fork():
                sim.add_pod(apps[1], world.nodes[next(at) % count])
                require(not sim.first(pod), "the big pod fits")

        bench.timed(f"{group}nothing fits, {kind}", none_fits, QUESTIONS)
        bench.timed(f"{group}nothing fits, {kind}, after a change", after_a_change, QUESTIONS)
    [probe] = world.pods([told["probe"]])

    def new_node():
        with sim.fork():
            require(sim.check(probe, int(sim.add_nodes(extra, "another")[0])), "the new node rejects the pod")

    def place():
        node = world.nodes[next(at) % count]
        with sim.fork():
            require(sim.check(probe, node), "a node rejects the pod")
            sim.add_pod(probe, node)

    bench.timed(f"{group}fork, add node, check, revert", new_node, QUESTIONS)
    bench.timed(f"{group}fork, schedule, revert", place, QUESTIONS)


def pack(bench, told):
    world = World()
    world.reset([world.sim.catalog.node(told["old"])])
    like = world.sim.catalog.node(told["template"])
    small, large = world.pods([told["small"], told["large"]])

    def call():
        with world.sim.bin_pack([(small, 50_000), (large, 1000)], like, prefix="template-", max_nodes=3000,
                                ring=libsched.Ring()) as packing:
            require((len(packing.nodes), packing.count) == (2595, 51_000), f"{packing.count} pods on {len(packing.nodes)} nodes")

    bench.timed("pack", call)


def drain(bench, told):
    count, on_node = 2000, 40
    world = World()
    apps = world.pods(told["apps"])
    node, ghost = (world.sim.catalog.node(told[key]) for key in ("node", "ghost"))
    world.reset([node] * count, [apps[i % on_node % 20] for i in range(count * on_node)],
                [i // on_node for i in range(count * on_node)])

    def call():
        ring = libsched.Ring()
        with world.sim.fork():
            gone = sum(world.sim.remove(one, keep=True, ghost=ghost, ring=ring, skip_unschedulable=True)[0]
                       for one in world.nodes)
            require(gone == 1200, f"{gone} nodes are gone")

    bench.timed("drain", call)


def main(path, repetitions):
    with open(path, encoding="utf-8") as documents:
        told = json.load(documents)
    bench = Bench(repetitions)
    questions(bench, told)
    pack(bench, told["pack"])
    drain(bench, told["drain"])
    json.dump(bench.figures, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7)
