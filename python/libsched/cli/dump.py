"""Dumps of a cluster: `libsched kubectl-line`, and what a dump lacks: claims to be made, and hints."""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from collections.abc import Iterable

from ..claims import missing_claims, pod_with_claims
from ..errors import Error
from ..cluster import Cluster
from .candidate import Candidate
from .question import Question
from .terminal import Terminal

DESCRIPTION = """\
Prints the kubectl command that dumps everything of a cluster that verdicts depend on. It needs the
right to list these kinds in all namespaces; leave out what you may not list. Clusters before 1.34 do
not serve claims for devices: --no-devices leaves these kinds out."""

EPILOG = """\
example:
  $(libsched kubectl-line) > cluster.json && libsched fit cluster.json --pod web.yaml"""

#: What verdicts depend on, as kubectl names it.
RESOURCES = (
    "nodes", "pods", "namespaces", "persistentvolumeclaims", "persistentvolumes", "storageclasses",
    "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments", "services",
    "replicationcontrollers", "replicasets", "statefulsets", "poddisruptionbudgets",
    "priorityclasses", "runtimeclasses", "limitranges")

#: Likewise, of Dynamic Resource Allocation. Clusters serve them from 1.34 on.
DEVICE_RESOURCES = ("resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses")

# What upstream says if an object is not there, with its kind.
_MISSING = (
    (re.compile(r'persistentvolumeclaim "[^"]*" not found'), "PersistentVolumeClaim"),
    (re.compile(r'persistentvolume "[^"]*" not found'), "PersistentVolume"),
    (re.compile(r'storageclass\S* "[^"]*" not found'), "StorageClass"),
    (re.compile(r'could not find ResourceClaim "'), "ResourceClaim"),
    (re.compile(r'ResourceClaimTemplate "[^"]*" is not in the cluster'), "ResourceClaimTemplate"),
    (re.compile(r"device class \S+ does not exist"), "DeviceClass"),
    (re.compile("cannot allocate all claims"), "ResourceSlice"),
)


def add(made: argparse.ArgumentParser) -> None:
    """Print the kubectl command for a complete dump."""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("--no-devices", dest="devices", action="store_false",
                      help="without the kinds of Dynamic Resource Allocation")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints the command."""
    Terminal(sys.stdout).line(kubectl_line(devices=options.devices))
    return 0


def kubectl_line(*, devices: bool = True) -> str:
    """Returns the command that dumps a cluster."""
    return f"kubectl get {','.join(RESOURCES + (DEVICE_RESOURCES if devices else ()))} -A -o json"


def with_claims(question: Question) -> Question:
    """Adds the claims that controllers make for the pods, or for a workload's first pod, with notes.

    A pod of the cluster that has a node has its claims.
    """
    return dataclasses.replace(question, candidates=[
        one if not one.kind and one.pod.key in question.cluster.pods
        else _with_claims(question.cluster, one) for one in question.candidates])


def _with_claims(cluster: Cluster, one: Candidate) -> Candidate:
    try:
        pod = pod_with_claims(cluster, one.pod)
        count = cluster.put_objects(missing_claims(cluster, one.pod))
    except Error as error:
        return dataclasses.replace(one, error=error)
    whose = f"{one.kind} {one.pod.key}" if one.kind else one.pod.key
    first = " of its first pod" if one.kind else ""
    note = f"{whose}: {count:,} claim{'s' * (count != 1)}{first} made as its controller would"
    return dataclasses.replace(one, pod=pod, notes=(*one.notes, note) if count else one.notes)


def hints(question: Question, texts: Iterable[str]) -> list[str]:
    """Returns hints at kinds that reasons name as not found, and of which the input has no object."""
    said = "\n".join(texts)
    return [f"the input has no {kind}; 'libsched kubectl-line' prints the command for a complete dump"
            for pattern, kind in _MISSING if pattern.search(said) and not question.kinds[kind]]
