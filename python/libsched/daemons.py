"""The pods of DaemonSets, as their controller makes them."""

from __future__ import annotations

from ._arguments import names_arguments
from .objects import Pod, Workload, _wrap_pod
from .replicas import suffix
from .view import View


@names_arguments
def daemon_pods(view: View, daemon_set: Workload | Pod) -> list[Pod]:
    """Makes the pods of a DaemonSet: one for each eligible node that has none of it yet.

    A node is eligible if the template's node name, node selector and required node affinity match, and
    its taints are tolerated, by the template or by the tolerations that the controller adds. Each pod is
    required to run on its node.

    Parameters
    ----------
    view : Cluster or Snapshot
    daemon_set : Workload or Pod
        The DaemonSet, or its pod template, which is named after it.

    Returns
    -------
    list of Pod
        In the order of nodes. Their names are always the same.
    """
    template = daemon_set.pod if isinstance(daemon_set, Workload) else daemon_set
    names: set[str] = set()
    pods = []
    for name in view.nodes:
        row = view._handle.find_node(name)
        if row is None or not view._handle.daemon_wants(row, template._handle):
            continue
        text = f"DaemonSet/{template.key}/{name}"
        while (made := f"{template.name}-{suffix(text, 5)}") in names:
            text += "'"
        names.add(made)
        pods.append(_wrap_pod(template._handle.for_daemon(name, made)))
    return pods


def with_tolerations(template: Pod) -> Pod:
    """Returns a DaemonSet's pod template with the tolerations that the controller adds."""
    return _wrap_pod(template._handle.for_daemon("", template.name))
