"""A scored result in a notebook: the page in a sandboxed frame, and a plain table.

Notebooks that are not trusted drop the frame, but keep the table.
"""

from __future__ import annotations

from typing import Any

from .._html import escaped
from ..verdicts import Verdicts
from . import page_of
from .data import page_data

MOST_NODES = 1000
MOST_ROWS = 20
_HEIGHT = 440


def score_table(result: Verdicts) -> str:
    """Returns the best nodes of a scored result as HTML, with scores and reasons."""
    data = page_data(result, MOST_NODES)
    page = escaped(page_of([data], compact=True))
    return (f'<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" title="libsched: '
            f'{escaped(data["pod"])}" style="width:100%;height:{_HEIGHT}px;border:0" '
            f'srcdoc="{page}"></iframe><details><summary>As a plain table</summary>'
            f"{_plain(data)}</details>")


def _plain(data: dict[str, Any]) -> str:
    titles = "".join(f"<th>{escaped(column['name'])}</th>" for column in data["scorers"])
    rows = "".join(_row(data, index) for index in range(min(MOST_ROWS, len(data["nodes"]))))
    left = len(data["nodes"]) + data["left"] - MOST_ROWS
    more = f"<p>... and {left:,} more nodes</p>" if left > 0 else ""
    return (f"<table><thead><tr><th>node</th><th>total</th>{titles}<th>reasons</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>{more}")


def _row(data: dict[str, Any], index: int) -> str:
    why = data["whys"][data["why"][index]] if data["why"][index] >= 0 else None
    cells = "".join(_score(column, index) for column in data["scorers"])
    total = data["total"][index]
    reason = f"{why['plugin']}: {', '.join(why['reasons'])}" if why else ""
    return (f"<tr><th style='text-align:left'>{escaped(data['nodes'][index])}</th>"
            f"<td>{'' if total is None else total}</td>{cells}"
            f"<td style='text-align:left'>{escaped(reason)}</td></tr>")


def _score(column: dict[str, Any], index: int) -> str:
    if column["weighted"][index] is None:
        return "<td></td>"
    title = f"raw {column['raw'][index]}, normalised {column['normalized'][index]}"
    return f"<td title='{title}'>{column['weighted'][index]}</td>"
