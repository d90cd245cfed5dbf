"""What `libsched compare --semantics 1.33..1.37` says of each pod beside where it goes: what each
plugin makes of it, from release to release."""

from __future__ import annotations

import argparse
import contextlib
import copy
import itertools
import json
from collections.abc import Sequence
from typing import Any

from ..cluster import Cluster
from ..errors import Error
from ..fit import FitResult
from ..objects import Pod
from ..release_changes import ReleaseChange, changes_between
from . import asking
from .output import counted
from .progress import Progress
from .terminal import Terminal

_MOST_PODS = 10
_MOST_CHANGES = 8
#: How many pods are asked about release by release. Counting the pods of the cluster as another release does
#: takes as long as some answers, which are kept until the next release has given its own.
_CHUNK = 16

#: What differs, by pod.
Changes = dict[str, list[ReleaseChange]]


def changes(options: argparse.Namespace, span: Sequence[str], cluster: Cluster, pods: Sequence[Pod],
            notes: list[str]) -> Changes:
    """Judges pods on the cluster by each release, those that run there as if they did not.

    A pod without an answer is left out, with a note.
    """
    profiles = {}
    for release in span:
        chosen = copy.copy(options)
        chosen.semantics = release
        profiles[release] = asking.Profiles(chosen)
    found: Changes = {}
    with Progress("asking each release", len(pods)) as progress:
        for start in range(0, len(pods), _CHUNK):
            progress.update(start, f"{start:,} of {len(pods):,}")
            asked = [_Asked(pod) for pod in pods[start:start + _CHUNK]]
            for release, one in profiles.items():
                _ask(release, one, cluster, asked)
            for pod in asked:
                if pod.error is not None:
                    notes.append(f"{pod.key}: not compared plugin by plugin: {pod.error}")
                elif pod.changes:
                    found[pod.key] = pod.changes
    return found


class _Asked:
    """A pod with what is known of it up to a release."""

    def __init__(self, pod: Pod) -> None:
        self.key = pod.key
        self.pod = pod.copy(node_name="")
        self.changes: list[ReleaseChange] = []
        self.error: Error | None = None
        self.latest: tuple[str, FitResult] | None = None
        self._has_ports = '"hostPort"' in json.dumps(pod.to_dict())

    def leave(self, cluster: Cluster) -> None:
        """Removes the pod from its node.

        A host port is free, as upstream counts it, as soon as one of the pods goes that use it. Sidecars of
        older releases share ports, so the other pods of the node are counted again.
        """
        node = cluster.pods[self.key].node_name
        cluster.remove_pod(self.key)
        if self._has_ports:
            others = cluster.nodes[node].pods
            for other in others:
                cluster.remove_pod(other.key)
            cluster.add_pods(others)


def _ask(release: str, profiles: asking.Profiles, cluster: Cluster, asked: Sequence[_Asked]) -> None:
    """Asks a release about pods, and compares its answers with those of the release before."""
    counted_by = None
    for one in asked:
        if one.error is not None:
            continue
        try:
            framework = profiles.of(one.pod, [])
            runs = one.key in cluster.pods
            if runs and framework is not counted_by:
                # Makes the cluster count its pods as the release does, which lasts if it does not happen in a fork.
                framework.fit(cluster, one.pod)
                counted_by = framework
            with cluster.fork() if runs else contextlib.nullcontext():
                if runs:
                    one.leave(cluster)
                result = framework.score(cluster, one.pod)
                if one.latest is not None:
                    one.changes += changes_between(*one.latest, release, result)
        except Error as error:
            one.error = error
        else:
            one.latest = release, result


def plain(found: Changes) -> list[dict[str, Any]]:
    """Returns the changes as plain data."""
    return [{"pod": pod, **one.to_dict()} for pod, made in found.items() for one in made]


def write(out: Terminal, found: Changes, wide: bool) -> None:
    """Writes what changes by plugin; pods of which the same is said share an entry."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for pod, made in found.items():
        alike.setdefault(tuple(_lines(made, wide)), []).append(pod)
    if not alike:
        out.line("no plugin makes anything else of any pod")
    groups = list(alike.items())
    for lines, pods in groups if wide else groups[:_MOST_PODS]:
        more = f" and {counted(len(pods) - 1, 'pod')} like it" if len(pods) > 1 else ""
        out.line(out.paint("strong", pods[0]) + more)
        for line in lines:
            out.line(out.paint("faint", line) if line.startswith("      ") else line)
    if len(groups) > _MOST_PODS and not wide:
        rest = sum(len(pods) for _, pods in groups[_MOST_PODS:])
        out.note(f"... and {counted(rest, 'pod')} more (-o wide shows all)")


def _lines(made: list[ReleaseChange], wide: bool) -> list[str]:
    shown = made if wide else made[:_MOST_CHANGES]
    lines = []
    for (before, after, differences), alike in itertools.groupby(
            shown, key=lambda one: (one.before, one.after, one.differences)):
        for one in alike:
            where = f" on {counted(len(one.nodes), 'node')}" if one.nodes else ""
            such = f", such as {one.nodes[0]}" if one.kind == "score" and len(one.nodes) > 1 else ""
            lines.append(f"  {before} to {after}  {', '.join(one.plugins)}  {one.kind}{where}{such}: "
                         f"{one.was} -> {one.now}")
        lines += [f"      {heading}" for heading in differences]
    if len(shown) < len(made):
        lines.append(f"  ... and {len(made) - len(shown):,} more (-o wide shows all)")
    return lines
