"""What `libsched compare --semantics 1.33..1.37` says of each pod beside where it goes: what each
plugin makes of it, from release to release."""

from __future__ import annotations

import argparse
import copy
import itertools
from collections.abc import Sequence
from typing import Any

from ..cluster import Cluster
from ..errors import Error
from ..objects import Pod
from ..release_changes import ReleaseChange, compare_releases
from . import asking
from .output import counted
from .progress import Progress
from .terminal import Terminal

_MOST_PODS = 10
_MOST_CHANGES = 8

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
        for number, pod in enumerate(pods, 1):
            progress.update(number, f"{number:,} of {len(pods):,}")
            try:
                with cluster.fork():
                    if pod.key in cluster.pods:
                        cluster.remove_pod(pod.key)
                    frameworks = {release: one.of(pod, []) for release, one in profiles.items()}
                    made = compare_releases(cluster, pod.copy(node_name=""), frameworks)
            except Error as error:
                notes.append(f"{pod.key}: not compared plugin by plugin: {error}")
                continue
            if made:
                found[pod.key] = made
    return found


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
