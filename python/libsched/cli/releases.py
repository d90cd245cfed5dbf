"""Releases of Kubernetes, as the option --semantics names one of them or a range."""

from __future__ import annotations

import re

from .. import _core
from ..config import Config
from ..errors import Error
from ..releases import release_of

_MINOR = re.compile(r"v?1\.(\d+)")


def ends() -> tuple[str, str]:
    """Returns the oldest and the newest release that may be chosen."""
    nearest = [release_of(_core.Cluster(), version).name for version in ("v1.0", "v1.999")]
    return nearest[0], nearest[1]


def named(text: str) -> list[str]:
    """Returns the releases that a text names, in its order: ``"1.36"``, or a range such as ``"1.33..1.36"``.

    The ends may be versions of releases, such as ``"v1.31.9-eks-1"``, and the first may be the newer one.

    Raises
    ------
    UnsupportedError
        There is no such release; the message lists the releases.
    """
    parts = text.split("..")
    if len(parts) > 2 or "" in parts:
        parts = [text or "?"]
    first, *rest = (_minor(part) for part in parts)
    last = rest[0] if rest else first
    step = 1 if first <= last else -1
    return [f"1.{minor}" for minor in range(first, last + step, step)]


def _minor(version: str) -> int:
    """Returns the number of the minor release of a version."""
    try:
        Config(semantics=version)
    except Error as error:
        error.message = f"--semantics: {error.message}"
        raise
    found = _MINOR.match(version)
    assert found, version
    return int(found[1])
