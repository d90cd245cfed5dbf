"""A user's program, which type checkers accept in their strict modes: test_package.py asks mypy. It is never run."""

from collections import Counter
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import libsched
from libsched import testing

cluster = libsched.Cluster.load("cluster.yaml")
scheduler = libsched.Framework(semantics="1.37")
fit = scheduler.fit(cluster, "pod.yaml", facts=True)
assert_type(fit.nodes, list[str])
assert_type(fit.reasons, Counter[str])
assert_type(fit["a"].status.reasons, tuple[str, ...])
assert_type(fit.table(), libsched.DataTable)
assert_type(fit.table().column("score"), npt.NDArray[Any])
assert_type(cluster.nodes.table(labels=["zone"]).columns, dict[str, list[Any]])
with cluster.fork() as fork:
    cluster.add_nodes(cluster.nodes["a"].node.copies(3))
    placed = scheduler.schedule(cluster, "pod.yaml", placed=lambda one: one.node != "a")
    assert_type(placed, libsched.Placements)
    assert_type([one.node for one in placed if one], list[str])
    assert_type(placed[0].score, int | None)
    cluster.apply(fit.pod.replace(node_name="a", labels={"tier": "web"}))
    fork.commit()
assert_type(scheduler.capacity(cluster, fit.pod).nodes["a"], int)
assert_type(scheduler.why(cluster, fit.pod).suggestions[0].edit, str)
table = libsched.sweep([[], ["cordon a"], libsched.Scenario(["cordon b"])], cluster, "pod.yaml", threads=2)
assert_type(table, libsched.DataTable)
assert_type(np.asarray(scheduler.score(cluster, fit.pod).codes).sum() > 0, Any)


@libsched.plugin(weight=2)
class Carbon(libsched.Plugin):
    reasons = ("node(s) were too dirty",)

    def __init__(self, args: dict[str, float]) -> None:
        self.grams = args

    def filter(self, state: libsched.CycleState, pod: libsched.Pod, node: libsched.LentNode) -> bool | str:
        return node.allocatable("cpu") > 4000 or "node(s) were too small"

    def filter_batch(self, state: libsched.CycleState, pod: libsched.Pod, nodes: libsched.NodeSet
                     ) -> tuple[npt.NDArray[np.bool_], str]:
        return nodes.free("cpu") > 100, self.reasons[0]

    def score_batch(self, state: libsched.CycleState, pod: libsched.Pod, nodes: libsched.NodeSet) -> npt.NDArray[Any]:
        return 100 - nodes.by_label("zone", self.grams, default=600) / 10

    def permit(self, state: libsched.CycleState, pod: libsched.Pod, node: str) -> tuple[libsched.Code, float] | None:
        return (libsched.Code.WAIT, 5.0) if pod.label("hold") else None


@libsched.plugin
class Plain:
    def pre_filter(self, state: libsched.CycleState, pod: libsched.Pod) -> libsched.Status | None:
        return libsched.Status(libsched.Code.SKIP)


assert_type(libsched.Framework(plugins=[Carbon, Plain, "module:Class"]).plugins, dict[str, list[tuple[str, int]]])
assert_type(Carbon({"x": 1.0}).grams, dict[str, float])
testing.assert_verdicts(libsched.Framework(plugins=[Plain]).fit(testing.cluster("a b", cpu=4), testing.pod("web")), "a fits")
sim = libsched.Sim.from_dump("cluster.yaml")
reference = sim.catalog.pod(libsched.Pod.load("pod.yaml"))
assert_type(sim.first(reference), libsched.Hit)
assert_type(sim.requested().sum() > 0, Any)
