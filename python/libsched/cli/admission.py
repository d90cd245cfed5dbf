"""Admission of what commands ask about: pods and workloads of files are created, those of a dump are there."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..admission import Remark, admit
from ..cluster import Cluster
from ..errors import InvalidError
from ..objects import Objects, Pod, Workload
from . import reading
from .candidate import Candidate


@dataclasses.dataclass(frozen=True)
class Asked:
    """The pods and workloads of a file, and what admission has said about each of them.

    `objects` are all objects of the file, with its claims as they are created.
    """

    name: str
    objects: Objects
    pods: list[Pod]
    workloads: list[Workload]
    notes: tuple[Remark, ...] = ()
    warnings: tuple[dict[str, str], ...] = ()
    namespaces: frozenset[str] = frozenset()

    @functools.cached_property
    def _of_object(self) -> dict[tuple[str, str], list[Remark]]:
        found: dict[tuple[str, str], list[Remark]] = defaultdict(list)
        for note in self.notes:
            found[note.kind, note.object].append(note)
        return found

    def about(self, kind: str, key: str) -> tuple[Remark, ...]:
        """The notes on a pod, or on a workload of this kind."""
        return tuple(self._of_object.get((kind, key), ()))

    @property
    def others(self) -> list[str]:
        """The notes on claims that none of the pods uses."""
        return [str(note) for note in self.notes if note.kind == "PersistentVolumeClaim"]


def as_given(name: str, objects: Objects) -> Asked:
    """Takes the objects of a file as they are."""
    return Asked(name, objects, objects.pods, objects.workloads)


def admitted(cluster: Cluster, name: str, objects: Objects, *, dumped: bool, strict: bool) -> Asked:
    """Creates the objects of a file; pods of a `dumped` one have been created before.

    Raises
    ------
    InvalidError
        The API server would refuse an object, and `strict`.
    """
    done = admit(cluster, objects)
    pods = objects.pods if dumped else done.made.pods
    notes = [note for note in done.notes if not dumped or note.kind != "Pod"]
    refusals = [one for one in done.refusals if not dumped or one.kind != "Pod"]
    if strict and refusals:
        raise InvalidError(f"{reading.shown(name)}: {refusals[0]}")
    workloads = done.made.workloads
    made = [*([] if dumped else pods), *(one.pod for one in workloads)]
    namespaces = frozenset(pod.namespace for pod in made)
    warnings = [{"path": one.object, "message": one.text} for one in refusals]
    warnings += [{"path": f"{one.kind} {one.object}", "message": one.text} for one in done.warnings
                 if one.object in namespaces]
    return Asked(name, done.made, pods, workloads, tuple(notes), tuple(warnings), namespaces)


def new_pod(cluster: Cluster, pod: Pod) -> Candidate:
    """Creates a pod that an edit has made."""
    done = admit(cluster, pod)
    return Candidate(done.made, remarks=tuple(done.notes))


def not_imitated(parts: Iterable[tuple[str, Objects]],
                 namespaces: frozenset[str]) -> list[tuple[str, dict[str, str]]]:
    """Returns warnings about what a dump has and this library does not imitate, with their files.

    Only what concerns pods that are created in these namespaces counts.
    """
    out: list[tuple[str, dict[str, str]]] = []
    for name, objects in parts:
        for entry in objects.skipped:
            if not namespaces or not _concerns(entry, namespaces):
                continue
            kind = str(entry["kind"]).rsplit(" ", 1)[-1]
            text = f"{entry['count']:,} {kind}: not imitated; it {entry['effect']}"
            if (name, {"path": "", "message": text}) not in out:  # a file may be in both places
                out.append((name, {"path": "", "message": text}))
    return out


def _concerns(entry: dict[str, Any], namespaces: frozenset[str]) -> bool:
    if "effect" not in entry:
        return False
    return "namespaces" not in entry or bool(namespaces & set(entry["namespaces"]))


def folded(remarks: Iterable[Remark]) -> list[str]:
    """Returns remarks as texts, one for all objects of which the same is said."""
    objects: dict[str, list[Remark]] = defaultdict(list)
    for remark in remarks:
        objects[remark.text].append(remark)
    return [str(same[0]) if len(same) == 1
            else str(dataclasses.replace(
                same[0], object=f"{same[0].object} and {len(same) - 1:,} more"))
            for same in objects.values()]
