"""Which kinds of objects an answer about pods needs, and the error if the input could not get them.

`kubectl libsched` leaves out of its dump what the user may not list. An answer that the missing objects
might change is refused; `--allow-missing` gives it all the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..cluster import Cluster
from ..errors import InvalidError
from ..objects import Pod

#: What the answer of every verb needs.
ALWAYS = ("nodes", "pods")
#: What the answer of a verb needs beside it, whatever its pods are.
OF_VERB: Mapping[str, tuple[str, ...]] = {"drain": ("poddisruptionbudgets",)}

STORAGE = ("persistentvolumeclaims", "persistentvolumes", "storageclasses", "csinodes", "csidrivers",
           "csistoragecapacities", "volumeattachments")
DEVICES = ("resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses", "devicetaintrules")

# Sources of volumes that neither depend on other objects nor count for a limit of volumes.
_OF_THE_NODE = {"configMap", "downwardAPI", "emptyDir", "hostPath", "image", "projected", "secret"}


def check(options: argparse.Namespace, cluster: Cluster, pods: Iterable[Pod],
          made: Iterable[Pod] = ()) -> None:
    """Refuses an answer about pods that kinds which are not in the input might change.

    Pods of `made` are new to the cluster, so the API server has not completed them.

    Raises
    ------
    InvalidError
        Such a kind is missing. The error names the first one, and why.
    """
    missing: Mapping[str, str] = getattr(options, "missing", {})
    if not missing:
        return
    for key, kind in _needed(cluster, pods, made, missing):
        if kind in missing:
            raise InvalidError(refusal(kind, missing[kind], key))


def refusal(kind: str, why: str, key: str = "") -> str:
    """Returns the text of the error about a kind that is missing."""
    answer = f"the answer about {key}" if key else "the answer"
    return f"{kind} cannot be listed, and {answer} needs them (--allow-missing answers without them): {why}"


def _needed(cluster: Cluster, pods: Iterable[Pod], made: Iterable[Pod],
            missing: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields pairs of a pod's key and a kind that the answer about the pod needs."""
    for pod in made:
        spec = pod.to_dict().get("spec", {})
        if spec.get("priorityClassName"):
            yield pod.key, "priorityclasses"
        if spec.get("runtimeClassName"):
            yield pod.key, "runtimeclasses"
        if any(not {"cpu", "memory"} <= set(container.get("resources", {}).get("requests", ()))
               for container in spec.get("containers", ())):
            yield pod.key, "limitranges"  # which have the default requests
        yield from _of_pod(pod, spec, cluster)
    for pod in pods:
        yield from _of_pod(pod, pod.to_dict().get("spec", {}), cluster)
    if "namespaces" in missing:  # the terms of other pods may select the namespace of the pod
        for pod in cluster.pods.values():
            if _selects_namespaces(pod.to_dict().get("spec", {})):
                yield pod.key, "namespaces"


def _of_pod(pod: Pod, spec: Mapping[str, Any], cluster: Cluster) -> Iterator[tuple[str, str]]:
    if any(set(volume) - {"name"} - _OF_THE_NODE for volume in spec.get("volumes") or ()):
        yield from ((pod.key, kind) for kind in STORAGE)
    if spec.get("resourceClaims") or _of_no_node(pod, cluster):
        yield from ((pod.key, kind) for kind in DEVICES)
    if _selects_namespaces(spec):
        yield pod.key, "namespaces"


def _of_no_node(pod: Pod, cluster: Cluster) -> bool:
    """Whether the pod asks for an extended resource that no node has; a DeviceClass may provide it."""
    return any("/" in name and not any(info.node.allocatable.get(name) for info in cluster.nodes.values())
               for name in pod.requests)


def _selects_namespaces(spec: Mapping[str, Any]) -> bool:
    for affinity in (spec.get("affinity") or {}).values():
        for terms in affinity.values() if isinstance(affinity, dict) else ():
            for term in terms if isinstance(terms, list) else ():
                if (term.get("podAffinityTerm") or term).get("namespaceSelector") is not None:
                    return True
    return False
