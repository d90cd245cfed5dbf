"""HTML for notebooks: a table of the nodes of a cluster, and parts for other tables."""

from __future__ import annotations

import html
from collections.abc import Sequence

from . import _core
from ._amounts import amounts

MOST_ROWS = 100


def nodes_table(title: str, names: Sequence[str], view: _core.View) -> str:
    """Returns a table of the nodes of a view with their requested and allocatable resources."""
    resources = ("cpu", "memory", "pods")
    titles = "".join(f"<th>{name}</th>" for name in resources)
    rows = []
    for name in names[:MOST_ROWS]:
        row = view.find_node(name)
        if row is None:
            continue
        cells = "".join(f"<td>{_amount(resource, view.resource(row, resource))}</td>"
                        for resource in resources)
        rows.append(f"<tr><th style='text-align:left'>{escaped(name)}</th>{cells}</tr>")
    return (f"<p><b>{escaped(title)}</b></p><table><thead><tr><th>node</th>{titles}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{more(len(names))}")


def more(count: int, what: str = "nodes") -> str:
    """Returns the line below a table that shows only some of `count` rows."""
    return f"<p>... and {count - MOST_ROWS:,} more {what}</p>" if count > MOST_ROWS else ""


def escaped(text: str) -> str:
    """Escapes a text for HTML, also within the quotes of an attribute."""
    return html.escape(text, quote=True)


def _amount(resource: str, figures: tuple[int, int]) -> str:
    allocatable, requested = amounts(resource, *figures)
    return f"{requested} of {allocatable}"
