"""HTML for notebooks: a table of the nodes of a cluster, and parts for other tables."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from . import _core
from ._amounts import amounts

MOST_ROWS = 100
_MOST_DEVICES = 4  # columns of resources in a table of nodes, which is to be read without scrolling


def grid(titles: Iterable[str], rows: Iterable[Sequence[object]], count: int, what: str = "nodes") -> str:
    """Returns a table of the first of `count` rows. Texts are to the left, numbers to the right; None is empty."""
    head = "".join(f"<th>{escaped(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row, _ in zip(rows, range(MOST_ROWS)))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more(count, what)}"


def _cell(value: object) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"<td>{value:,}</td>"
    return f"<td style='text-align:left'>{escaped('' if value is None else str(value))}</td>"


def nodes_table(names: Sequence[str], view: _core.View) -> str:
    """Returns a table of the nodes of a view: what keeps pods away, and requested and allocatable resources.

    Beside cpu, memory and pods these are the resources that devices offer, if they are few.
    """
    resources = ["cpu", "memory", "pods"]
    devices = [name for name in view.resources() if "/" in name]
    if len(devices) <= _MOST_DEVICES:
        resources += devices
    handles = {name: (row, node) for name in names[:MOST_ROWS]
               if (row := view.find_node(name)) is not None and (node := view.node(row)) is not None}
    rows = [[name, ", ".join(_kept_away(node)), *(_amount(resource, view.resource(row, resource)) for resource in resources)]
            for name, (row, node) in handles.items()]
    return grid(["node", "taints", *resources], rows, len(names))


def _kept_away(node: _core.Node) -> Iterable[str]:
    """Yields what a node's taints and its cordon are called; the taint of a cordon is not told again."""
    if node.unschedulable:
        yield "cordoned"
    for key, value, effect in node.taints():
        if key != "node.kubernetes.io/unschedulable":
            yield f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def more(count: int, what: str = "nodes") -> str:
    """Returns the line below a table that shows only some of `count` rows."""
    return f"<p>... and {count - MOST_ROWS:,} more {what}</p>" if count > MOST_ROWS else ""


def escaped(text: str) -> str:
    """Escapes a text for HTML, also within the quotes of an attribute."""
    return html.escape(text, quote=True)


def _amount(resource: str, figures: tuple[int, int]) -> str:
    allocatable, requested = amounts(resource, *figures)
    if resource not in ("cpu", "memory", "pods") and not any(figures):
        return ""  # most nodes have no devices
    return f"{requested}\u00a0of\u00a0{allocatable}"  # in one line
