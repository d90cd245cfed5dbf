"""The page about a simulation: `simulation_html` makes a self-contained file of its results.

The page has no script, and its content security policy allows its own style sheet only.
"""

from __future__ import annotations

import datetime
import html
from collections.abc import Iterable, Sequence

from .. import plots
from .._amounts import amount
from .._html import escaped
from ..simulation import SimulationResult
from ..tables import columns
from ._document import asset, document
from .charts import Line, chart

_STATES = ("running", "pending", "waiting", "finished", "preempted", "ignored", "replaced")
_CLOCK = ('<p class="note">Times are of the simulated clock, on which an action of the scheduler takes a microsecond: '
          "a wait of microseconds is no wait at all.</p>")
_MOST_ROWS = 15
_MOST_RESOURCES = 4


def simulation_html(result: SimulationResult) -> str:
    """Returns a page about a simulation, an HTML document to be written in UTF-8."""
    return document(
        "simulation.html", f"{result.pods_total:,} pods · libsched simulate", asset("simulation.css"),
        heading=html.escape(_heading(result)), cards="".join(_cards(result)), clock=_CLOCK if result.bound else "",
        charts="".join(_charts(result)),
        tables="".join(_tables(result)))


def _heading(result: SimulationResult) -> str:
    end = "nothing more would happen" if result.quiet else "more would happen"
    return f"{result.pods_total:,} pods in {time_text(result.time)}, after which {end}"


def time_text(seconds: float) -> str:
    """Formats a time for people."""
    if 0 < seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms" if seconds >= 0.0009995 else f"{seconds * 1e6:.3g} \u00b5s"
    if seconds < 120:
        return f"{seconds:.3g} s"
    if seconds < 7200:
        return f"{seconds / 60:.3g} min"
    if seconds < 2 * 86400:
        return f"{seconds / 3600:.3g} h"
    return f"{datetime.timedelta(seconds=seconds) / datetime.timedelta(days=1):.3g} d"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _cards(result: SimulationResult) -> Iterable[str]:
    figures = [(f"{count:,}", state) for state, count in result.states.items() if count]
    if result.bound:
        figures += [(time_text(result.wait.median), "median wait"),
                    (time_text(result.wait.p99), "99% waited at most"),
                    (time_text(result.wait.longest), "longest wait")]
    figures += [(f"{result.attempts:,}", "attempts"), (f"{result.preemption_count:,}", "preemptions")]
    for figure, what in figures:
        yield f'<p class="card"><strong>{escaped(figure)}</strong>{escaped(what)}</p>'


def _charts(result: SimulationResult) -> Iterable[str]:
    times, *counts = columns(result.series, "time", *_STATES)
    lines: list[Line] = [(state, times, count) for state, count in zip(_STATES, counts)
                         if any(count)]
    # Finished pods only grow in number, and would flatten all other lines.
    finished = [line for line in lines if line[0] == "finished"]
    end = result.time

    def drawn(title: str, of: Sequence[Line], shares: bool) -> str:
        return chart(title, of, end, most=1.0 if shares else None,
                     value_text=_percent if shares else _number, time_text=time_text)

    yield drawn("Pods", [line for line in lines if line not in finished], False)
    if finished:
        yield drawn("Finished pods", finished, False)
    resources = plots.resource_lines(result.resources)[:_MOST_RESOURCES]
    if resources:
        yield drawn("Resources in use", [(name, *used) for name, used, _ in resources], True)
        yield drawn("Free, but of no use to the workload (share of what is free)",
                    [(name, *lost) for name, _, lost in resources], True)
    pending = plots.pending_lines(result.pending, times)
    if pending:
        yield drawn("Pending pods by reason",
                    [(reason, *counted) for reason, counted in pending], False)


def _tables(result: SimulationResult) -> Iterable[str]:
    if result.resources_now:
        yield _table("At the end", ("resource", "allocatable", "used", "utilisation", "free",
                                    "fragmented", "fragmentation"),
                     [(use.resource, amount(use.resource, use.allocatable),
                       amount(use.resource, use.used), f"{use.utilisation:.1%}",
                       amount(use.resource, use.free), amount(use.resource, use.fragmented),
                       f"{use.fragmentation:.1%}") for use in result.resources_now])
    if result.pending_reasons:
        yield _table("Pending", ("reason", "pods"),
                     [(reason, f"{count:,}") for reason, count in result.pending_reasons.items()])
    if result.ignored_schedulers:
        yield _table("Ignored", ("schedulerName", "pods"),
                     [(name, f"{count:,}") for name, count in result.ignored_schedulers.items()])
    if result.preemption_count:
        yield _table("Preemptions", ("pod", "node", "for", "at"),
                     [(f"{row['namespace']}/{row['pod']}", row["node"], row["preemptor"],
                       time_text(float(row["time"]))) for row in result.preemptions.rows()])


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escaped(name)}</th>" for name in head)
    lines = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>"
                    for row in rows[:_MOST_ROWS])
    more = len(rows) - _MOST_ROWS
    note = f'<p class="eyebrow">... and {more:,} more</p>' if more > 0 else ""
    return (f'<section class="table"><h2>{escaped(title)}</h2><table><thead><tr>{heads}</tr>'
            f"</thead><tbody>{lines}</tbody></table>{note}</section>")
