"""Dumps of a cluster: `libsched kubectl-line`, and what a dump lacks: claims to be made, and hints."""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from collections.abc import Iterable

from ..claims import missing_claims
from .question import Question
from .terminal import Terminal

DESCRIPTION = """\
Prints the kubectl command that dumps everything of a cluster that verdicts depend on. It needs the
right to list these kinds in all namespaces; leave out what you may not list."""

EPILOG = """\
example:
  $(libsched kubectl-line) > cluster.json && libsched fit cluster.json --pod web.yaml"""

#: What verdicts depend on, as kubectl names it.
RESOURCES = (
    "nodes", "pods", "namespaces", "persistentvolumeclaims", "persistentvolumes", "storageclasses",
    "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments", "services",
    "replicationcontrollers", "replicasets", "statefulsets", "poddisruptionbudgets",
    "priorityclasses")

# What upstream says if an object is not there, with its kind.
_MISSING = (
    (re.compile(r'persistentvolumeclaim "[^"]*" not found'), "PersistentVolumeClaim"),
    (re.compile(r'persistentvolume "[^"]*" not found'), "PersistentVolume"),
    (re.compile(r'storageclass\S* "[^"]*" not found'), "StorageClass"),
)


def add(made: argparse.ArgumentParser) -> None:
    """Print the kubectl command for a complete dump."""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints the command."""
    del options
    Terminal(sys.stdout).line(kubectl_line())
    return 0


def kubectl_line() -> str:
    """Returns the command that dumps a cluster."""
    return f"kubectl get {','.join(RESOURCES)} -A -o json"


def with_claims(question: Question) -> Question:
    """Adds the claims that the controllers of StatefulSets make for their first pods, with notes."""
    candidates = []
    for one in question.candidates:
        count = (question.cluster.put_objects(missing_claims(question.cluster, one.pod))
                 if one.kind == "StatefulSet" else 0)
        note = (f"StatefulSet {one.pod.key}: {count:,} claim{'s' * (count != 1)} of its first pod made as "
                "its controller would")
        candidates.append(dataclasses.replace(one, notes=(*one.notes, note)) if count else one)
    return dataclasses.replace(question, candidates=candidates)


def hints(question: Question, texts: Iterable[str]) -> list[str]:
    """Returns hints at kinds that reasons name as not found, and of which the input has no object."""
    said = "\n".join(texts)
    return [f"the input has no {kind}; 'libsched kubectl-line' prints the command for a complete dump"
            for pattern, kind in _MISSING if pattern.search(said) and not question.kinds[kind]]
