"""The claims that controllers make for pods."""

from __future__ import annotations

from ._arguments import names_arguments
from .objects import Objects, Pod, Workload, _wrap_pod
from .view import View


@names_arguments
def missing_claims(view: View, pod: Workload | Pod) -> Objects:
    """Makes the claims of a pod that a cluster lacks, as controllers make them.

    They are PersistentVolumeClaims, one for each of a StatefulSet's ``volumeClaimTemplates``, and
    ResourceClaims, one for each of ``spec.resourceClaims`` with a ``resourceClaimTemplateName``.
    `schedule`, `capacity`, `compare`, `why` and simulations make them by themselves. For other questions
    put them into the cluster, and ask about the pod that names them::

        pod = pod_with_claims(cluster, pod)
        cluster.put_objects(missing_claims(cluster, pod))

    Parameters
    ----------
    view : Cluster or Snapshot
    pod : Workload or Pod
        A pod; or a workload, or its pod template, which stand for the first pod. Only a StatefulSet,
        its pod template, and copies of that with the name of another pod have volumeClaimTemplates.

    Returns
    -------
    Objects
        Claims that are not bound or allocated. A PersistentVolumeClaim is of the default StorageClass if
        the template names none; a ResourceClaim is named ``POD-ENTRY-xxxxx``, the same for the same cluster
        and pod, and owned by the pod.

    Raises
    ------
    NotFoundError
        The cluster has no such ResourceClaimTemplate.
    """
    made = object.__new__(Objects)
    made._parts, made._reports = [view._handle.missing_claims(_pod(pod)._handle)], None
    return made


@names_arguments
def pod_with_claims(view: View, pod: Workload | Pod) -> Pod:
    """Returns a pod that names its ResourceClaims in ``status.resourceClaimStatuses``.

    They are those that the cluster has, and those that `missing_claims` makes.

    Parameters
    ----------
    view : Cluster or Snapshot
    pod : Workload or Pod

    Raises
    ------
    NotFoundError
        The cluster has no such ResourceClaimTemplate.
    """
    return _wrap_pod(view._handle.pod_with_claims(_pod(pod)._handle))


def _pod(pod: Workload | Pod) -> Pod:
    return pod.pod if isinstance(pod, Workload) else pod
