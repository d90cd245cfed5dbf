"""Placing pods one after the other, for `libsched schedule`.

Each pod is assumed on its node, so that later pods see it. Placements depend only on the input and
the seed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import random
from collections.abc import Iterator
from typing import Literal

from ..cluster import Cluster
from ..errors import Error, NotFoundError
from ..framework import Framework
from ..objects import Pod
from ..state import CycleState
from .asking import Profiles
from .question import Candidate

#: The outcome of a pod. A "bound" pod had a nodeName and was put there; a "kept" one runs already.
Outcome = Literal["placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error"]

#: Outcomes that the next replica of a workload would share.
_HOPELESS = ("unschedulable", "gated", "refused", "error")

_SAFE = "bcdfghjklmnpqrstvwxz2456789"  # the letters of suffixes that Kubernetes generates


@dataclasses.dataclass(frozen=True)
class Placement:
    """The outcome of a pod, and of `count` - 1 further replicas that would have the same outcome.

    `feasible` is the number of nodes that fit; `score` is that of the chosen node, or None if there
    was no choice. `text` is the reason why the pod was not placed.
    """

    pod: str
    outcome: Outcome
    kind: str = ""
    profile: str = ""
    node: str = ""
    score: int | None = None
    feasible: int = 0
    text: str = ""
    plugin: str = ""
    count: int = 1


def size(candidate: Candidate) -> int:
    """Returns the number of pods of a candidate; 1 for a DaemonSet, which cannot be placed."""
    return candidate.replicas if candidate.kind and candidate.kind != "DaemonSet" else 1


def instances(candidate: Candidate) -> Iterator[Pod]:
    """Yields the pods of a candidate. Those of a workload have deterministic names like its own."""
    pod = candidate.pod
    if not candidate.kind:
        yield pod
        return
    owner = _suffix(f"{candidate.kind}/{pod.key}", 9)
    prefix = {"Deployment": f"{pod.name}-{owner}", "CronJob": f"{pod.name}-1"}.get(
        candidate.kind, pod.name)
    taken: set[str] = set()
    for index in range(candidate.replicas):
        if candidate.kind == "StatefulSet":
            yield pod.copy(name=f"{pod.name}-{index}")
            continue
        text = f"{candidate.kind}/{pod.key}/{index}"
        # Among ten thousand suffixes some are equal. Controllers try another one, too.
        while (suffix := _suffix(text, 5)) in taken:
            text += "'"
        taken.add(suffix)
        yield pod.copy(name=f"{prefix}-{suffix}")


def _suffix(text: str, length: int) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "".join(_SAFE[byte % len(_SAFE)] for byte in digest[:length])


class Placer:
    """Places pods on a cluster by changing it."""

    def __init__(self, cluster: Cluster, profiles: Profiles,
                 ties: Literal["upstream", "name", "random"], seed: int) -> None:
        self._cluster = cluster
        self._profiles = profiles
        self._ties = ties
        self._seeds = random.Random(seed)
        self.notes: dict[str, None] = {}  # each once, in order

    def place_all(self, candidate: Candidate, most: int) -> Iterator[tuple[Pod, Placement]]:
        """Places up to `most` pods of a candidate.

        A replica that is not placed leaves the cluster unchanged, so later replicas would have the
        same outcome. They are counted without being tried.
        """
        refused = self._refuse(candidate)
        if refused is not None:
            yield candidate.pod, refused
            return
        for index, pod in enumerate(itertools.islice(instances(candidate), most)):
            placement = self.place(pod, candidate.kind)
            if placement.outcome in _HOPELESS:
                yield pod, dataclasses.replace(placement, count=min(most, size(candidate)) - index)
                return
            yield pod, placement

    def place(self, pod: Pod, kind: str = "") -> Placement:
        """Runs a pod's scheduling cycle and assumes it on the chosen node."""
        settled = self._settled(pod)
        if settled is not None:
            return settled
        seed = self._seeds.getrandbits(64)
        notes: list[str] = []
        framework = self._profiles.of(pod, notes)
        self.notes.update(dict.fromkeys(notes))
        try:
            return self._cycle(framework, pod, kind, seed)
        except NotFoundError:
            raise
        except Error as error:
            return Placement(pod.key, "error", kind, framework.profile, text=str(error),
                             plugin=error.plugin)

    def _refuse(self, candidate: Candidate) -> Placement | None:
        """Returns the outcome of a candidate whose pods cannot be made; None if they can."""
        if candidate.kind != "DaemonSet":
            return None
        return Placement(candidate.pod.key, "error", candidate.kind,
                         text="the pods of a DaemonSet are made for each node by its controller, "
                              "which is not available yet")

    def _settled(self, pod: Pod) -> Placement | None:
        """Returns the outcome of a pod that the scheduler would ignore; None for other pods."""
        if pod.phase in ("Succeeded", "Failed"):
            return Placement(pod.key, "ended", text=f"its phase is {pod.phase}")
        if pod.key in self._cluster.pods:
            where = self._cluster.node_of(pod) or self._cluster.pods[pod.key].node_name
            return Placement(pod.key, "kept", node=where, text="is in the cluster already")
        if pod.node_name:
            self._cluster.add_pods([pod])
            known = pod.node_name in self._cluster.nodes
            return Placement(pod.key, "bound", node=pod.node_name,
                             text="by its nodeName" + ("" if known else ", which is no node here"))
        return None

    def _cycle(self, framework: Framework, pod: Pod, kind: str, seed: int) -> Placement:
        cluster = self._cluster
        profile = framework.profile
        gate = framework.run_pre_enqueue_plugins(cluster, pod)
        if not gate.is_success:
            return Placement(pod.key, "gated", kind, profile, plugin=gate.plugin,
                             text=gate.message or gate.code.label)
        state = CycleState()
        chosen = framework.cycle(cluster, pod, state=state, ties=self._ties, seed=seed)
        if chosen.node is None:
            if not chosen.status.is_rejected:
                return Placement(pod.key, "error", kind, profile, plugin=chosen.status.plugin,
                                 text=chosen.status.message or chosen.status.code.label)
            return Placement(pod.key, "unschedulable", kind, profile, text=chosen.status.message)
        status = framework.assume(cluster, pod, chosen.node, state)
        if not status.is_success:
            return Placement(pod.key, "refused", kind, profile, feasible=chosen.feasible,
                             plugin=status.plugin, text=status.message or status.code.label)
        return Placement(pod.key, "placed", kind, profile, chosen.node,
                         chosen.total if chosen.feasible > 1 else None, chosen.feasible)


def may_preempt(cluster: Cluster, stuck: list[tuple[Pod, int]]) -> int:
    """Returns the number of unschedulable pods with a higher priority than some running pod.

    `stuck` holds pairs of a pod and the number of its replicas.
    """
    lowest = min((pod.priority for pod in cluster.pods.values()), default=None)
    return 0 if lowest is None else sum(count for pod, count in stuck if pod.priority > lowest)
