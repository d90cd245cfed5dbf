"""Dumps of a cluster: `libsched kubectl-line`, and hints at kinds that a dump lacks."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable

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


def hints(question: Question, texts: Iterable[str]) -> list[str]:
    """Returns hints at kinds that reasons name as not found, and of which the input has no object."""
    said = "\n".join(texts)
    missing = re.findall(r'persistentvolumeclaim "([^"]*)" not found', said)
    made = [f"StatefulSet {one.pod.key}: its controller makes claims of volumeClaimTemplates, which is "
            f'not done here; add a PersistentVolumeClaim "{claim}" to its file or to CLUSTER'
            for one in question.candidates if one.kind == "StatefulSet"
            for claim in dict.fromkeys(missing)
            if re.fullmatch(rf".+-{re.escape(one.pod.name)}-\d+", claim)]
    return made or [f"the input has no {kind}; 'libsched kubectl-line' prints the command for a complete dump"
                    for pattern, kind in _MISSING if pattern.search(said) and not question.kinds[kind]]
