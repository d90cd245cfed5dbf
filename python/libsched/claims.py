"""The claims of StatefulSets, as their controller makes them."""

from __future__ import annotations

from .objects import Objects, Pod, Workload
from .view import View


def missing_claims(view: View, stateful_set: Workload | Pod) -> Objects:
    """Makes the claims of a StatefulSet's pod that a cluster lacks, one for each claim template.

    `schedule`, `capacity`, `compare`, `why` and simulations make them by themselves. For other questions
    put them into the cluster: ``cluster.put_objects(missing_claims(cluster, workload))``.

    Parameters
    ----------
    view : Cluster or Snapshot
    stateful_set : Workload or Pod
        The StatefulSet, or its pod template, which stand for the first pod; or a copy of the template
        with the name of another pod.

    Returns
    -------
    Objects
        Claims that are not bound, of the default StorageClass if the template names none.
        Empty for other workloads and for pods that do not come from a StatefulSet's document.
    """
    pod = stateful_set.pod if isinstance(stateful_set, Workload) else stateful_set
    made = object.__new__(Objects)
    made._parts, made._reports = [view._handle.missing_claims(pod._handle)], None
    return made
