"""Tables for notebooks: a FitResult as nodes x plugins, a cluster as its nodes."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from . import _explain

if TYPE_CHECKING:
    from .fit import FitResult
    from .view import View

MOST_ROWS = 100

_MARKS = {
    "yes": ("&#10003;", "#137333"),
    "no": ("&#10007;", "#b3261e"),
    "skip": ("&middot;", "#9aa0a6"),
    "-": ("", "#9aa0a6"),
}


def fit_table(result: FitResult) -> str:
    """Nodes that fit first, then the others by name; one column for each Filter plugin asked.

    With scores it is `report.compact` that shows them.
    """
    if not result.score_error and result.scores is not None:
        from .report.compact import score_table

        return score_table(result)
    head = f"<p><b>{_text(_explain.headline(result))}</b></p>"
    verdicts = sorted(result, key=lambda verdict: (not verdict.fits, verdict.node))
    if not verdicts or result.error or _explain.is_gated(result):
        return head
    plugins = [name for name, skipped in result.filter_plugins() if not skipped]
    rows = []
    for verdict in verdicts[:MOST_ROWS]:
        marks = {name: (mark, text) for name, mark, text in _explain.steps(result, verdict)}
        cells = "".join(_cell(*marks.get(name, ("-", ""))) for name in plugins)
        mark = "yes" if verdict.fits else "no"
        why = verdict.status.message
        if why and verdict.status.plugin not in plugins:
            why = f"{verdict.status.plugin}: {why}" if verdict.status.plugin else why
        rows.append(f"<tr><th style='text-align:left'>{_text(verdict.node)}</th>{_cell(mark, '')}"
                    f"{cells}<td style='text-align:left'>{_text(why)}</td></tr>")
    titles = "".join(f"<th>{_text(name)}</th>" for name in plugins)
    return (f"{head}<table><thead><tr><th>node</th><th>fits</th>{titles}<th>reasons</th></tr>"
            f"</thead><tbody>{''.join(rows)}</tbody></table>{_more(len(verdicts))}")


def view_table(view: View) -> str:
    """The nodes with what is asked of them."""
    resources = ("cpu", "memory", "pods")
    titles = "".join(f"<th>{name}</th>" for name in resources)
    rows = []
    names = list(view.nodes)
    for name in names[:MOST_ROWS]:
        row = view._handle.find_node(name)
        if row is None:
            continue
        cells = "".join(
            f"<td>{_amount(resource, view._handle.resource(row, resource))}</td>"
            for resource in resources)
        rows.append(f"<tr><th style='text-align:left'>{_text(name)}</th>{cells}</tr>")
    return (f"<p><b>{_text(repr(view))}</b></p><table><thead><tr><th>node</th>{titles}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{_more(len(names))}")


def _amount(resource: str, figures: tuple[int, int]) -> str:
    allocatable, requested = figures
    if resource == "cpu":
        return f"{requested / 1000:g} of {allocatable / 1000:g}"
    if resource == "memory":
        return f"{requested / 2**30:.3g} of {allocatable / 2**30:.3g} GiB"
    return f"{requested} of {allocatable}"


def _cell(mark: str, text: str) -> str:
    sign, colour = _MARKS[mark]
    title = f" title='{_text(text)}'" if text else ""
    return f"<td style='color:{colour};text-align:center'{title}>{sign}</td>"


def _more(count: int) -> str:
    return f"<p>... and {count - MOST_ROWS:,} more nodes</p>" if count > MOST_ROWS else ""


def _text(text: str) -> str:
    return html.escape(text, quote=True)
