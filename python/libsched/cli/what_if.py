"""What-ifs as options: edits of the cluster, made before a command asks its question."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..cluster import Cluster
from ..errors import InvalidError
from ..objects import Objects, Pod, Workload
from .candidate import ENDED, Candidate

_OPTIONS = (
    ("--add-node", "add-node", "NODE=N",
     "N more nodes like NODE, healthy and not cordoned, with copies of its DaemonSets' pods"),
    ("--remove-node", "remove-node", "NODE", "without this node and its pods"),
    ("--cordon", "cordon", "NODE",
     "the node takes no new pods; with the taint that the node lifecycle controller adds"),
    ("--uncordon", "uncordon", "NODE", "the node takes new pods again, without that taint"),
    ("--taint", "taint", ("NODE", "KEY=VALUE:EFFECT"),
     "the node has this taint (KEY:EFFECT-: not); NoExecute takes pods away that do not tolerate it"),
    ("--untaint", "untaint", ("NODE", "KEY:EFFECT"),
     "without this taint (KEY: whatever its effect)"),
    ("--label", "label", ("NODE", "KEY=VALUE"), "the node has this label (KEY-: not)"),
    ("--scale", "scale", "NAMESPACE/NAME=N", "a workload has N pods; new ones have no node"),
    ("--set", "set", "NAMESPACE/NAME:FIELD=VALUE",
     "change a pod, or the pods of a workload: requests.cpu, limits.memory, "
     "containers.C.requests.cpu, nodeSelector.KEY, labels.KEY, priority, schedulerName; FIELD- "
     "takes the field away"),
)


class _Edit(argparse.Action):
    """Appends to the edits, whatever their option is, so that their order is kept."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 values: str | Sequence[Any] | None, option_string: str | None = None) -> None:
        words = [values] if isinstance(values, str) else values or []
        namespace.edits = [*namespace.edits, " ".join([self.const, *words])]


def add(made: argparse.ArgumentParser) -> None:
    """Adds the options."""
    group = made.add_argument_group(
        "what if", "changes of the cluster, made in the order given before the question is asked; "
        "all may be\nrepeated. NODE is a name, or a selector of labels as for kubectl: pool=gpu, "
        "'!spot', '-l spot'. What\ncontrollers make of a change is a part of it; objects of files are "
        "taken as they are.")
    for option, verb, metavar, text in _OPTIONS:
        group.add_argument(option, dest="edits", action=_Edit, const=verb, metavar=metavar, help=text,
                           nargs=len(metavar) if isinstance(metavar, tuple) else None)
    made.set_defaults(edits=[])


def apply(edits: Sequence[str], cluster: Cluster, parts: Sequence[tuple[str, Objects]],
          candidates: Sequence[Candidate], *, pending: bool,
          new: Callable[[Pod], Candidate] = Candidate) -> tuple[list[Candidate], list[str]]:
    """Applies edits to the cluster and to what is asked about.

    Pods of `parts` without a node that are no candidates count as pods of their workloads, too.
    With `pending` pods that edits make are candidates, as `new` makes them. A pod whose node an edit has taken
    away is judged as if it were not there, and has a note on it.

    Returns
    -------
    list of Candidate
        Those that are left, and the new ones.
    list of str
        Notes on what edits have left out, or changed beside what they say.
    """
    if not edits:
        return list(candidates), []
    asked: list[Pod | Workload] = [
        Workload(one.kind, one.replicas, one.pod) if one.kind else one.pod for one in candidates]
    keys = {one.pod.key for one in candidates if not one.kind}
    waiting = [pod for pod in {pod.key: pod for _, objects in parts for pod in objects.pods}.values()
               if not pod.node_name and pod.phase not in ENDED and pod.key not in keys]
    left: list[Candidate] = []
    made = 0
    edited, notes = cluster._edit(edits, [*asked, *waiting])
    for one, origin in edited:
        if origin is None:
            made += 1
            if pending:
                assert isinstance(one, Pod)
                left.append(new(one))
        elif origin < len(asked):
            before = candidates[origin]
            if isinstance(one, Workload):
                left.append(dataclasses.replace(before, pod=one.pod, replicas=one.replicas))
                continue
            was = before.pod.node_name
            note = (f"{one.key} runs on {was}, which the edits take from it; judged as if it were not there",
                    ) if was and not one.node_name else ()
            left.append(dataclasses.replace(before, pod=one, notes=(*before.notes, *note)))
    if not len(cluster):
        raise InvalidError("the edits leave no node")
    if made and not pending:
        notes.append(f"--scale has made {made:,} pod{'s' * (made != 1)} without a node, which "
                     f"{'are' if made != 1 else 'is'} not asked about (--pending does)")
    gone = len(candidates) + (made if pending else 0) - len(left)
    if gone:
        notes.append(f"--scale has taken away {gone:,} pod{'s' * (gone != 1)} that "
                     f"{'were' if gone != 1 else 'was'} asked about")
    return left, notes
