"""HTML pages about decisions: `explain_html` makes a self-contained file of results.

A page needs no network and runs only its own code: its content security policy lists the hashes of
its script and style sheet, and data from a cluster is embedded as text. `libsched.report.answers`
makes the pages about capacity, drains, placements and comparisons.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._arguments import checks_arguments
from ..errors import InvalidError
from ..verdicts import Verdicts
from ..view import View
from ._document import asset, document
from .data import Decision, at_home, page_data
from .nodes import nodes_data

__all__ = ["Decision", "explain_html", "page_data"]

_ANSWER_SCRIPTS = ("elements.js", "answers.js")
_SCRIPTS = ("elements.js", "model.js", "cells.js", "table.js", "panels.js", "drawer.js", "main.js")
#: The most rows, those of all pods together, before each pod's are cut.
MOST_ROWS = 100_000


@checks_arguments
def explain_html(decision: Decision | Iterable[Decision], *, cluster: View | None = None,
                 compact: bool = False, most_nodes: int = 0, absent: bool = False) -> str:
    """Returns a page about decisions: nodes by plugins, with sorting, search, groups and reasons.

    Parameters
    ----------
    decision : FitResult, mapping, or iterable of these
        Results of `Framework.score` or `Framework.fit`, or their `to_dict`. With several, the page
        shows one at a time, and has a list to pick from.
    cluster : Cluster or Snapshot, optional
        Its nodes' free resources, labels and taints are shown and searched, and group the nodes.
    compact : bool
        Show little but the table, for a frame in a notebook.
    most_nodes : int
        Show only that many nodes of each pod, the best ones; 0 means all, with several pods as many
        as make 100,000 rows altogether.
    absent : bool
        The pods were judged as if `cluster` did not have them, so that their requests are free there.

    Returns
    -------
    str
        An HTML document, to be written in UTF-8.

    Raises
    ------
    InvalidError
        There is no decision.

    Examples
    --------
    >>> page = explain_html({"pod": "default/<web>", "nodes": [], "feasible": []})
    >>> "<title>default/&lt;web&gt;" in page, "default/<web>" in page
    (True, False)
    """
    decisions: Sequence[Decision] = ([decision] if isinstance(decision, (Verdicts, Mapping))
                                     else list(decision))
    if not decisions:
        raise InvalidError("there is no decision to show")
    if len(decisions) > 1 and not most_nodes:
        most_nodes = max(1, MOST_ROWS // len(decisions))
    pods = []
    for one in decisions:
        data = page_data(one, most_nodes)
        pods.append(at_home(data, cluster, data["pod"]) if cluster is not None and absent else data)
    resources = {name for data in pods for name, *_ in (data["asks"] or {}).get("requests", ())}
    nodes = None if cluster is None else nodes_data(cluster, sorted(resources))
    return page_of(pods, compact, nodes)


def page_of(pods: Sequence[Mapping[str, Any]], compact: bool = False,
            nodes: Mapping[str, Any] | None = None) -> str:
    """Returns the document for results of `page_data` and, if there is one, of `nodes_data`."""
    title = pods[0]["pod"] or "pod" if len(pods) == 1 else f"{len(pods):,} pods"
    return document("page.html", f"{title} · libsched explain", asset("page.css"), _script(_SCRIPTS),
                    kind="compact" if compact else "full", data=_embedded({"pods": pods, "nodes": nodes}))


def answer_document(title: str, data: Mapping[str, Any]) -> str:
    """Returns the document for an answer about many pods, as `libsched.report.answers` makes it."""
    return document("answers.html", title, asset("page.css") + asset("answers.css"),
                    _script(_ANSWER_SCRIPTS), kind="full", data=_embedded(data))


def _embedded(data: Mapping[str, Any]) -> str:
    """Returns JSON without characters that could end the script element around it."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: U+2028 and the like are escaped
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@functools.cache
def _script(names: tuple[str, ...]) -> str:
    body = "\n".join(asset(name) for name in names)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'
