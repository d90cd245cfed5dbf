"""Plots of a simulation's results with matplotlib, which is imported when it is needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Union

from .errors import FileError, InvalidError, UnsupportedError
from .tables import ResultTable, columns

_STATES = ("running", "pending", "waiting", "finished", "preempted", "ignored", "replaced")


def draw(tables: Mapping[str, ResultTable]) -> Any:
    """Returns a figure of plots over time: pods, resources, pending pods by reason, and finished pods."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedError(f"plots need matplotlib (pip install libsched[plots]): {error}"
                               ) from None
    times, *counts = columns(tables["series"], "time", *_STATES)
    unit, seconds = _unit(max(times, default=0.0))

    def drawn(axes: Any, line: Line, label: str, **style: Any) -> Any:
        return axes.step([time / seconds for time in line[0]], line[1], where="post", label=label, **style)[0]

    states = {state: count for state, count in zip(_STATES, counts) if any(count)}
    finished = states.pop("finished", None)  # they only grow in number, and would flatten all other lines
    figure = Figure(figsize=(9, 9), layout="constrained")
    pods, resources, pending, *more = figure.subplots(4 if finished else 3, 1, sharex=True)
    for state, count in states.items():
        drawn(pods, (times, count), state)
    pods.set_ylabel("pods")
    for name, used, fragmented in resource_lines(tables["resources"]):
        line = drawn(resources, used, f"{name} used")
        drawn(resources, fragmented, f"{name} fragmented", linestyle=":", color=line.get_color())
    resources.set_ylabel("used, share of all\nfragmented, share of the free")
    resources.set_ylim(0, 1.05)
    for reason, counted in pending_lines(tables["pending"], times):
        drawn(pending, counted, reason)
    pending.set_ylabel("pending pods")
    if finished:
        drawn(more[0], (times, finished), "finished")
        more[0].set_ylabel("finished pods")
    figure.axes[-1].set_xlabel(unit)
    for axes in figure.axes:
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    return figure


def _unit(seconds: float) -> tuple[str, float]:
    """Returns the name and the seconds of the unit in which a time is a number that people read."""
    return next(((name, length) for name, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))
                 if seconds >= 2 * length), ("seconds", 1.0))


def save(figure: Any, path: Union[str, os.PathLike[str]]) -> None:
    """Writes a figure to a file."""
    name = os.fspath(path)
    if not os.path.splitext(name)[1]:  # matplotlib would write another file, with a suffix of its own
        raise InvalidError(f"{name}: the name of a plot needs a suffix, such as .png, .svg or .pdf")
    try:
        figure.savefig(name)
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}") from None
    except ValueError as error:  # a format that matplotlib does not know
        raise UnsupportedError(f"{name}: {error}") from None


#: Times and values.
Line = tuple[list[float], list[float]]


def resource_lines(table: ResultTable) -> list[tuple[str, Line, Line]]:
    """Returns (resource, utilisation, fragmentation) of each resource that nodes have."""
    found: dict[str, tuple[Line, Line]] = {}
    for time, name, allocatable, used, fragmented in zip(*columns(
            table, "time", "resource", "allocatable", "utilisation", "fragmentation")):
        if not allocatable:
            continue
        lines = found.setdefault(name, (([], []), ([], [])))
        for line, value in zip(lines, (used, fragmented)):
            line[0].append(time)
            line[1].append(value)
    return [(name, *lines) for name, lines in found.items()]


def pending_lines(table: ResultTable, times: list[float]) -> list[tuple[str, Line]]:
    """Returns the number of pending pods of each reason at the times of the samples."""
    found: dict[str, dict[float, float]] = {}
    for time, reason, count in zip(*columns(table, "time", "reason", "pods")):
        found.setdefault(reason, {})[time] = count
    ranked = sorted(found.items(), key=lambda item: (-max(item[1].values()), item[0]))
    return [(reason, (times, [counts.get(time, 0.0) for time in times]))
            for reason, counts in ranked[:8]]
