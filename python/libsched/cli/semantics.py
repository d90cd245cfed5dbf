"""The release whose semantics apply: the one that is asked for, or that of the cluster."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .. import _core
from ..cluster import Cluster
from ..releases import Release, release_of
from .terminal import Terminal

#: The release of the cluster.
AUTO = "auto"


def settle(options: argparse.Namespace, cluster: Cluster) -> dict[str, Any]:
    """Sets `options.semantics` to the cluster's release if it is `AUTO`, and unless the output is JSON
    says why, or that the cluster has another release than the one that is asked for.

    A cluster that does not tell its version gets the default without a word. Returns the members
    about the release for JSON output.
    """
    asked: str | None = getattr(options, "semantics", None)  # other packages' verbs may have none
    if asked is None:
        return {}
    found = release_of(cluster._handle, getattr(options, "server_version", ""))
    if asked == AUTO:
        options.semantics = found.name
        said = f"semantics of {found.name}: {_has(found)}"
    else:
        among = getattr(options, "among", []) or [_named(asked)]
        said = "" if found.name in among else f"semantics of {asked} as asked for, but {_has(found)}"
    if said and found.version and not options.json:
        Terminal(sys.stderr).note(said)
    return {"release": {"semantics": options.semantics, **({"cluster": found.to_dict()} if found.version else {})}}


def _has(found: Release) -> str:
    return f"{found.source} is {found.version}" + (f"; {found.note}" if found.note else "")


def _named(version: str) -> str:
    """Returns the release that a version names."""
    return release_of(_core.Cluster(), version).name
