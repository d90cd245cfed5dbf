"""Input of the commands that judge pods: CLUSTER... makes a cluster, --pod... the candidates."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import re
import sys
from collections import Counter
from typing import Any

from .._near import hint
from ..cluster import Cluster
from ..errors import InvalidError, NotFoundError
from ..objects import Objects, Pod
from . import admission, configs, needs, reading, semantics, what_if
from .admission import Asked
from .candidate import ENDED, Candidate
from .releases import ends as release_ends
from .releases import named as releases_named
from .terminal import Terminal

_SUFFIXES = (".csv", ".gz", ".json", ".pb", ".xz", ".yaml", ".yml", ".zst")
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController",
              "Job", "CronJob")


@dataclasses.dataclass(frozen=True)
class Question:
    """The input: the cluster with its files, and the pods.

    `parts` and `wanted` are pairs of a file name and the objects of the file. `ended` is the number
    of pods that are no candidates because they have ended. `edits` have been applied already; `edit_notes`
    are remarks on them.
    """

    parts: list[tuple[str, Objects]]
    cluster: Cluster
    wanted: list[tuple[str, Objects]]
    candidates: list[Candidate]
    ended: int = 0
    edits: tuple[str, ...] = ()
    edit_notes: tuple[str, ...] = ()
    # What the API server would refuse of what is asked about, and what is not imitated, by file.
    warnings: tuple[tuple[str, dict[str, str]], ...] = ()
    # Which release's semantics apply, and which release the cluster has.
    release: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def kinds(self) -> Counter[str]:
        """The number of objects of each kind in the input."""
        total: Counter[str] = Counter()
        for _, objects in self.parts + self.wanted:
            total.update(objects.counts)
        return total


def read_question(options: argparse.Namespace, *, ended: bool = False) -> Question:
    """Reads all input and, unless the output is JSON, writes warnings about it.

    A text of --pod that is no file names a pod of the cluster. Pods that have ended are candidates
    only with `ended`.

    Raises
    ------
    libsched.Error
        The input cannot be read, or has no nodes or no pods.
    """
    errors = Terminal(sys.stderr)
    files, keys = _files_and_keys(options)
    _refuse_second_input([*options.cluster, *files])
    parts, cluster = _read_parts(options)
    classes = parts[0][1] if len(parts) == 1 else _with_classes(parts)
    keep_raw = asks_extenders(options)
    wanted = [(name, reading.read(name, defaults=options.defaults, strict=options.strict, classes=classes,
                                  keep_raw=keep_raw)) for name in files]
    for name, objects in wanted:
        if not objects.pods and not objects.workloads:
            raise InvalidError(f"{name}: there is no pod and no workload in it")
    if options.strict:
        for name, objects in parts + wanted:
            _refuse_warnings(name, objects)
    if not options.json:
        for name, objects in parts:
            reading.tell(name, objects, errors, each_field=False)
        for name, objects in wanted:
            reading.tell(name, objects, errors, each_field=True)
        for text in _twice(parts):
            errors.warn(text)
    if not len(cluster):
        swapped = any(objects.nodes for _, objects in wanted)
        raise InvalidError(f"there are no nodes in {', '.join(options.cluster)}"
                           + ("; are POD and CLUSTER swapped?" if swapped else ""))
    created: list[Asked] = []
    for name, objects in wanted:
        dumped = name != "-" and any(_same_file(name, other) for other, _ in parts)
        made = (admission.admitted(cluster, name, objects, dumped=dumped, strict=options.strict)
                if options.defaults else admission.as_given(name, objects))
        created.append(made)
        if not options.json:
            for text in made.others:
                errors.note(text)
        if not dumped:
            told = bring_along(cluster, name, made.objects)
            if told and not options.json:
                errors.note(told)
            new = [node for node in objects.nodes if node.name not in cluster.nodes]
            if new and not options.json:
                errors.warn(f"{reading.shown(name)}: its nodes are not used; name the file as "
                            "CLUSTER for that")
    release = semantics.settle(options, cluster)
    question = _question(parts, cluster, wanted, created, _dumped(parts, keys, options.pending), ended,
                         options, errors if not options.json else None, release)
    keys_of_files = {pod.key for _, objects in wanted for pod in objects.pods}
    needs.check(options, cluster, [one.pod for one in question.candidates],
                [one.pod for one in question.candidates if one.kind or one.pod.key in keys_of_files])
    return question


def _files_and_keys(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Returns the files among the texts of --pod, and the names of pods of the cluster."""
    if not options.pod and not options.pending:
        raise InvalidError("no pod is asked about; name some by --pod, or all pending ones by --pending")
    keys = [name for name in options.pod if is_key(name)]
    return [name for name in options.pod if name not in keys], keys


def is_key(name: str) -> bool:
    """Whether an argument is the NAMESPACE/NAME of a pod, and no file."""
    return re.fullmatch("[^/]+/[^/]+", name) is not None and not os.path.exists(name)


def is_surely_key(name: str) -> bool:
    """Whether an argument is a key and not the misspelt name of a file."""
    return is_key(name) and os.path.splitext(name)[1] not in _SUFFIXES


def _dumped(parts: list[tuple[str, Objects]], keys: list[str], pending: bool) -> list[Pod]:
    """Returns pods of the cluster: those with these names, and the pending ones if asked for."""
    if not keys and not pending:
        return []
    found = {pod.key: pod for _, objects in parts for pod in objects.pods}
    for key in keys:
        if key not in found:
            raise NotFoundError(f"{key}: there is no such file, and no such pod in the cluster{hint(key, found)}")
    waiting = [pod for pod in found.values() if not pod.node_name and pod.phase not in ENDED
               and pod.key not in keys] if pending else []
    return [found[key] for key in keys] + waiting


def read_cluster(options: argparse.Namespace) -> Question:
    """Reads the cluster alone and, unless the output is JSON, writes warnings about it.

    Raises
    ------
    libsched.Error
        The input cannot be read, or has no nodes.
    """
    errors = Terminal(sys.stderr)
    _refuse_second_input(options.cluster)
    parts, cluster = _read_parts(options)
    for name, objects in parts:
        if options.strict:
            _refuse_warnings(name, objects)
        if not options.json:
            reading.tell(name, objects, errors, each_field=False)
    if not options.json:
        for text in _twice(parts):
            errors.warn(text)
    if not len(cluster):
        raise InvalidError(f"there are no nodes in {', '.join(options.cluster)}")
    release = semantics.settle(options, cluster)
    _, notes = what_if.apply(options.edits, cluster, parts, [], pending=True)
    if not options.json:
        for text in notes:
            errors.note(text)
    return Question(parts, cluster, [], [], edits=tuple(options.edits), edit_notes=tuple(notes),
                    release=release)


def asks_extenders(options: argparse.Namespace) -> bool:
    """Whether a configuration has extenders, which get the documents; a comparison has two configurations.

    The release of the cluster is not known yet: some releases may refuse the configuration.
    """
    given = getattr(options, "config", None) or ()
    releases = [options.semantics]
    if options.semantics == semantics.AUTO:
        oldest, newest = release_ends()
        releases = releases_named(f"{newest}..{oldest}")
    return any(configs.has_extenders(name, releases, options.feature_gates)
               for name in ([given] if isinstance(given, str) else given))


def _refuse_second_input(names: list[str]) -> None:
    if names.count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")


def _read_parts(options: argparse.Namespace) -> tuple[list[tuple[str, Objects]], Cluster]:
    for name in options.cluster:
        if is_surely_key(name):
            raise NotFoundError(f"{name}: there is no such file; name a pod of the cluster by --pod {name}")
    keep_raw = asks_extenders(options)
    parts = [(name, reading.read(name, defaults=options.defaults, strict=options.strict, keep_raw=keep_raw))
             for name in options.cluster]
    cluster = Cluster()
    for _, objects in parts:
        cluster.apply(objects)
    return parts, cluster


def _question(parts: list[tuple[str, Objects]], cluster: Cluster,
              wanted: list[tuple[str, Objects]], created: list[Asked], dumped: list[Pod],
              with_ended: bool, options: argparse.Namespace, errors: Terminal | None,
              release: dict[str, Any]) -> Question:
    candidates = [Candidate(pod) for pod in dumped]
    count = 0
    for made in created:
        name, pods = made.name, made.pods
        chosen = [pod for pod in pods if with_ended or pod.phase not in ENDED]
        if len(chosen) < len(pods):
            left = len(pods) - len(chosen)
            count += left
            if errors is not None:
                errors.note(f"{reading.shown(name)}: {left:,} pod{'s' * (left != 1)} that "
                            f"{'have' if left != 1 else 'has'} ended: not judged")
        candidates += [dataclasses.replace(
            Candidate(pod) if options.as_is else _at_home(pod, cluster),
            remarks=made.about("Pod", pod.key)) for pod in chosen]
        candidates += [Candidate(workload.pod, workload.kind, workload.replicas,
                                 remarks=made.about(workload.kind, workload.pod.key))
                       for workload in made.workloads]
    edits: list[str] = getattr(options, "edits", [])  # other packages' verbs may have none
    before = len(candidates)
    new = functools.partial(admission.new_pod, cluster) if options.defaults else Candidate
    candidates, notes = what_if.apply(edits, cluster, parts, candidates, pending=options.pending,
                                      new=new)
    for text in notes:
        if errors is not None:
            errors.note(text)
    if before and not candidates:
        raise InvalidError("the edits leave no pod to ask about")
    if not candidates and not wanted:
        raise InvalidError(f"{', '.join(name for name, _ in parts)}: no pod in it is pending")
    if not candidates:
        raise InvalidError(f"{', '.join(name for name, _ in wanted)}: all pods in it have ended")
    warnings = [(made.name, warning) for made in created for warning in made.warnings]
    warnings += admission.not_imitated(
        [*parts, *wanted], frozenset().union(*(made.namespaces for made in created)))
    if errors is not None:
        for name, warning in warnings:
            place = f"{warning['path']}: " if warning["path"] else ""
            errors.warn(f"{reading.shown(name)}: {place}{warning['message']}")
    return Question(parts, cluster, wanted, candidates, count, tuple(edits), tuple(notes),
                    tuple(warnings), release)


def _at_home(pod: Pod, cluster: Cluster) -> Candidate:
    """Takes the nodeName off a pod that was dumped from another cluster."""
    if not pod.node_name or pod.node_name in cluster.nodes:
        return Candidate(pod)
    note = (f"{pod.key} has the nodeName {pod.node_name}, which is no node here; judged without it "
            "(--as-is keeps it)")
    return Candidate(pod.copy(node_name=""), notes=(note,))


def _with_classes(parts: list[tuple[str, Objects]]) -> Objects | None:
    """Returns the input with the PriorityClasses; two such inputs are an error."""
    found = [(name, objects) for name, objects in parts if objects.priority_classes() is not None]
    if len(found) > 1:
        raise InvalidError(f"{found[0][0]} and {found[1][0]} both hold PriorityClasses; put them "
                           "into one file")
    return found[0][1] if found else None


def _refuse_warnings(name: str, objects: Objects) -> None:
    warnings = objects.warnings
    if warnings:
        first = warnings[0]
        place = f"{first['path']}: " if first.get("path") else ""
        more = f" (and {len(warnings) - 1:,} more like this)" if len(warnings) > 1 else ""
        raise InvalidError(f"{reading.shown(name)}: {place}{first['message']}{more}")


def _twice(parts: list[tuple[str, Objects]]) -> list[str]:
    """Returns warnings about nodes and pods that are in several files."""
    told = []
    for kind in ("node", "pod"):
        seen: dict[str, str] = {}
        for name, objects in parts:
            names = ([node.name for node in objects.nodes] if kind == "node"
                     else [pod.key for pod in objects.pods])
            again: dict[str, list[str]] = {}
            for one in names:
                if one in seen:
                    again.setdefault(seen[one], []).append(one)
                seen[one] = name
            for other, found in again.items():
                more = len(found) - 1
                such = f' and {more:,} other {kind}{"s" * (more != 1)} are' if more else " is"
                told.append(f'{reading.shown(name)}: {kind} "{found[0]}"{such} in '
                            f"{reading.shown(other)}, too; what {reading.shown(name)} says counts")
    return told


def _same_file(name: str, other: str) -> bool:
    try:
        return os.path.samefile(name, other)
    except (OSError, ValueError):
        return name == other


def bring_along(cluster: Cluster, name: str, objects: Objects) -> str:
    """Adds objects that pods depend on, such as claims, to the cluster; returns a note on them."""
    kinds = {kind: count for kind, count in objects.counts.items()
             if kind not in ("Pod", "Node", *_WORKLOADS)}
    before = cluster.put_objects(objects, only_new=True)
    if not kinds:
        return ""
    also = sum(objects.counts.get(kind, 0)
               for kind in ("StatefulSet", "ReplicaSet", "ReplicationController"))
    left = sum(kinds.values()) + also - before
    listed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    text = f"{reading.shown(name)}: taken to be in the cluster: {listed}"
    return text + ("; what the cluster has already stays as it is there" if left else "")


def about_input(question: Question) -> dict[str, Any]:
    """Returns the members about the input for JSON output."""
    everything = [objects for _, objects in question.parts + question.wanted]
    return {
        **question.release,
        **({"edits": list(question.edits)} if question.edits else {}),
        **({"editNotes": list(question.edit_notes)} if question.edit_notes else {}),
        "cluster": {
            "nodes": len(question.cluster),
            "pods": len(question.cluster.pods),
            "skipped": [entry for objects in everything for entry in objects.skipped],
            "unknownFields": sum(objects.unknown_fields for objects in everything),
        },
        "warnings": [{"file": name, **warning}
                     for name, objects in question.parts + question.wanted
                     for warning in objects.warnings]
        + [{"file": name, **warning} for name, warning in question.warnings],
        "endedPods": question.ended,
    }
