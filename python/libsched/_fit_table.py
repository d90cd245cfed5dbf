"""HTML for notebooks: a table of the verdicts on a pod, nodes by plugins."""

from __future__ import annotations

from . import _explain
from ._html import MOST_ROWS, escaped, more
from .report.compact import score_table
from .status import NO_REASON
from .verdicts import Verdicts

_MARKS = {
    "yes": ("&#10003;", "#137333"),
    "no": ("&#10007;", "#b3261e"),
    "skip": ("&middot;", "#9aa0a6"),
    "-": ("", "#9aa0a6"),
}


def fit_table(result: Verdicts) -> str:
    """Returns a table with a column for each Filter plugin that ran; nodes that fit come first.

    A scored result is shown by `report.compact` instead.
    """
    if not result.score_error and result.scores is not None:
        return score_table(result)
    head = f"<p><b>{escaped(_explain.headline(result))}</b></p>"
    verdicts = sorted(result, key=lambda verdict: (not verdict.fits, verdict.node))
    if not verdicts or result.error or _explain.is_gated(result):
        return head
    plugins = [name for name, skipped in result.filter_plugins() if not skipped]
    rows = []
    for verdict in verdicts[:MOST_ROWS]:
        marks = {name: (mark, text) for name, mark, text in _explain.steps(result, verdict)}
        cells = "".join(_cell(*marks.get(name, ("-", ""))) for name in plugins)
        mark = "yes" if verdict.fits else "no"
        why = "" if verdict.fits else verdict.status.message or NO_REASON
        if why and verdict.status.plugin not in plugins:
            why = f"{verdict.status.plugin}: {why}" if verdict.status.plugin else why
        rows.append(f"<tr><th style='text-align:left'>{escaped(verdict.node)}</th>{_cell(mark, '')}"
                    f"{cells}<td style='text-align:left'>{escaped(why)}</td></tr>")
    titles = "".join(f"<th>{escaped(name)}</th>" for name in plugins)
    return (f"{head}<table><thead><tr><th>node</th><th>fits</th>{titles}<th>reasons</th></tr>"
            f"</thead><tbody>{''.join(rows)}</tbody></table>{more(len(verdicts))}")


def _cell(mark: str, text: str) -> str:
    sign, colour = _MARKS[mark]
    title = f" title='{escaped(text)}'" if text else ""
    return f"<td style='color:{colour};text-align:center'{title}>{sign}</td>"
