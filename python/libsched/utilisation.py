"""The utilisation of a cluster: sums over its nodes, and the pools of nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from .view import View

#: Labels with which providers and tools name the pool of a node, the most specific first.
POOL_LABELS = (
    "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool", "alpha.eksctl.io/nodegroup-name", "kops.k8s.io/instancegroup",
    "doks.digitalocean.com/node-pool", "node.kubernetes.io/instance-type",
)

_ALWAYS = ("cpu", "memory", "pods")
_IF_THERE = ("ephemeral-storage", "nvidia.com/gpu", "amd.com/gpu", "intel.com/gpu",
             "google.com/tpu", "aws.amazon.com/neuron")


@dataclasses.dataclass(frozen=True)
class Use:
    """The sums of a resource over all nodes, in the library's units."""

    allocatable: int
    requested: int

    @property
    def share(self) -> float:
        return self.requested / self.allocatable if self.allocatable else 0.0


def use(cluster: View, more: Iterable[str] = ()) -> dict[str, Use]:
    """Returns the use of each resource; rare resources are left out if the cluster lacks them."""
    rows = cluster.rows
    found = {}
    for resource in dict.fromkeys([*_ALWAYS, *_IF_THERE, *more]):
        figures = [cluster._handle.resource(row, resource) for row in rows]
        total = Use(sum(figure[0] for figure in figures), sum(figure[1] for figure in figures))
        if total.allocatable or total.requested or resource not in _IF_THERE:
            found[resource] = total
    return found


def pool_label(cluster: View) -> str:
    """Returns the first of `POOL_LABELS` that most nodes have; empty if there is none."""
    nodes = [info.node for info in cluster.nodes.values()]
    for label in POOL_LABELS:
        if sum(node.label(label) is not None for node in nodes) * 2 > len(nodes):
            return label
    return ""


def pools(cluster: View, label: str) -> dict[str, str]:
    """Returns the pool of each node; empty for nodes without one."""
    return {name: info.node.label(label) or "" for name, info in cluster.nodes.items()}
