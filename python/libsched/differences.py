"""What differs between the releases of Kubernetes: the list behind the page "Releases"."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

#: What a difference shows in: the verdict on a node or its reason, a score, what preemption does, the
#: choice among equal nodes, or when a pod is tried again.
Kind = Literal["verdict", "reason", "score", "preemption", "choice", "queue"]


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Something that some releases do and others do not.

    Attributes
    ----------
    heading : str
        Its heading on the page "Releases" of the documentation.
    plugins : tuple of str
        The plugins whose answers it changes; empty if it is the scheduler's own.
    kinds : tuple of str
        What it shows in.
    releases : tuple of str
        The releases that do what the heading says.
    text, example : str
    gate : str
        The feature gate that it follows; empty if there is none.
    behaviour : str
        Its name within the library; empty if it follows a gate or a table.
    seen : {"run", "read"}
        Whether schedulers of both sides were run, or only their source was read.
    """

    heading: str
    plugins: tuple[str, ...]
    kinds: tuple[Kind, ...]
    releases: tuple[str, ...]
    text: str
    example: str
    seen: Literal["run", "read"]
    gate: str = ""
    behaviour: str = ""


@functools.cache
def differences() -> tuple[Difference, ...]:
    """Returns all differences, in the order of the page."""
    listed: list[dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return tuple(Difference(**{**one, "plugins": tuple(one["plugins"]), "kinds": tuple(one["kinds"]),
                               "releases": tuple(one["releases"])}) for one in listed)


def between(before: str, after: str, plugins: Iterable[str], kind: Kind) -> tuple[str, ...]:
    """Returns the headings of what differs between two releases for one of the plugins.

    >>> between("1.35", "1.36", ["ImageLocality"], "score")
    ('Images of volumes do not count',)
    """
    asked = set(plugins)
    return tuple(one.heading for one in differences()
                 if kind in one.kinds and asked & set(one.plugins)
                 and (before in one.releases) != (after in one.releases))
