"""What `libsched schedule` asks to be placed, and of whom: candidates as pods and workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from ..admission import Remark
from ..cluster import Cluster
from ..daemons import daemon_pods
from ..framework import Framework
from ..objects import Pod, Workload
from ..placement import Placement, schedule
from .admission import folded
from .asking import Profiles
from .candidate import Candidate


def size(candidate: Candidate) -> int:
    """How many pods a candidate stands for."""
    return candidate.replicas if candidate.kind else 1


def with_daemons(cluster: Cluster, candidates: Sequence[Candidate],
                 notes: list[str]) -> list[Candidate]:
    """Replaces DaemonSets by the pods that their controller makes; adds notes on them."""
    made: list[Candidate] = []
    for candidate in candidates:
        if candidate.kind != "DaemonSet":
            made.append(candidate)
            continue
        pods = daemon_pods(cluster, candidate.pod)
        made += [Candidate(pod, notes=candidate.notes, remarks=candidate.remarks) for pod in pods]
        notes.append(f"DaemonSet {candidate.pod.key}: a pod for each of {len(pods):,} nodes that are "
                     f"eligible and have none yet, of {len(cluster):,}")
    return made


def judges(profiles: Profiles, pods: Iterable[Pod],
           notes: list[str]) -> tuple[list[Framework], str]:
    """Returns the frameworks that judge pods, at least one, and the profile of those that name none.

    Remarks about the choice are added to `notes`.
    """
    frameworks: dict[str, Framework] = {}
    other_profile = ""
    for pod in pods:
        framework = profiles.of(pod, notes)
        frameworks[framework.profile] = framework
        if framework.profile != pod.scheduler_name:  # --profile, or the only one that there is
            other_profile = framework.profile
    return list(frameworks.values()) or [profiles.first()], other_profile


def place_all(cluster: Cluster, profiles: Profiles, candidates: Sequence[Candidate], most: int, *,
              ties: Literal["upstream", "name", "random"], seed: int, claims: bool,
              placed: Callable[[Candidate, Placement], object]) -> list[str]:
    """Places up to `most` pods of the candidates, which are made one by one.

    `placed` gets each placement as it comes, with its candidate. Returns what is odd about the
    choice of profiles.
    """
    notes: list[str] = []
    remarks: list[Remark] = []
    judged: list[Pod] = []
    wanted: list[Pod | Workload] = []
    queue: list[tuple[Candidate, int]] = []  # with the number of its pods that are asked for
    for candidate in candidates:
        count = min(size(candidate), most)
        most -= count
        if not count:
            continue
        pod = candidate.pod
        notes += candidate.notes
        remarks += candidate.remarks
        queue.append((candidate, count))
        wanted.append(Workload(candidate.kind, count, pod) if candidate.kind else pod)
        if candidate.kind or not _settled(cluster, pod):
            judged.append(pod)
    frameworks, other_profile = judges(profiles, judged, notes)
    queue.reverse()

    def tell(placement: Placement) -> None:
        candidate, left = queue.pop()
        queue.append((candidate, left - placement.count))
        placed(candidate, placement)

    schedule(cluster, wanted, frameworks, other_profile=other_profile, ties=ties,
             seed=seed, claims_from_templates=claims, placed=tell)
    return list(dict.fromkeys([*notes, *folded(remarks)]))


def _settled(cluster: Cluster, pod: Pod) -> bool:
    """Whether the scheduler does not see the pod."""
    return bool(pod.phase in ("Succeeded", "Failed") or pod.node_name or pod.key in cluster.pods)


def may_preempt(cluster: Cluster, stuck: list[tuple[Pod, int]]) -> int:
    """How many unschedulable pods have a higher priority than some pod on a node.

    `stuck` says of each pod how many there are like it.
    """
    lowest = min((pod.priority for pod in cluster.pods.values()), default=None)
    return 0 if lowest is None else sum(count for pod, count in stuck if pod.priority > lowest)
