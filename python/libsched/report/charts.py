"""Charts as SVG: lines that keep their value until the next point, for pages without a script."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .._html import escaped

#: A name with its times and values.
Line = tuple[str, Sequence[float], Sequence[float]]

WIDTH, HEIGHT = 760, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 10, 26
_COLOURS = 8
_MOST_POINTS = 1500


def chart(title: str, lines: Sequence[Line], end: float, *, most: float | None = None,
          value_text: Callable[[float], str], time_text: Callable[[float], str]) -> str:
    """Returns a figure with its legend.

    Parameters
    ----------
    lines
        At most eight have colours of their own. A name that ends in " (dotted)" is drawn so.
    end : float
        The time at the right end.
    most : float, optional
        The value at the top; by default that of the highest point.
    value_text, time_text
        Format the marks of the axes.
    """
    high = most or max((max(values, default=0) for _, _, values in lines), default=0) or 1
    step = _step(high)
    top = high if most else math.ceil(high / step) * step
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escaped(title)}">']
    marks = round(top / step)
    for mark in range(marks + 1):
        y = _y(mark * step, top)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>'
                     f'<text class="value" x="{_LEFT - 8}" y="{y + 4:.1f}">'
                     f"{escaped(value_text(mark * step))}</text>")
    for mark in range(5):
        x = _x(end * mark / 4, end)
        anchor = ("start", "middle", "middle", "middle", "end")[mark]
        parts.append(f'<text class="time" text-anchor="{anchor}" x="{x:.1f}" y="{HEIGHT - 6}">'
                     f"{escaped(time_text(end * mark / 4))}</text>")
    for number, (name, times, values) in enumerate(lines):
        parts.append(f'<path class="line c{number % _COLOURS}{_dots(name)}" '
                     f'd="{_path(times, values, end, top)}"/>')
    parts.append("</svg>")
    legend = "".join(
        f'<li><svg viewBox="0 0 24 8"><path class="line c{number % _COLOURS}{_dots(name)}" '
        f'd="M0 4H24"/></svg>{escaped(_shown(name))}</li>'
        for number, (name, _, _) in enumerate(lines))
    return (f'<figure><figcaption>{escaped(title)}</figcaption>{"".join(parts)}'
            f'<ul class="legend">{legend}</ul></figure>')


def _dots(name: str) -> str:
    return " dotted" if name.endswith(" (dotted)") else ""


def _shown(name: str) -> str:
    return name.removesuffix(" (dotted)")


def _x(time: float, end: float) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (min(time / end, 1.0) if end > 0 else 0.0)


def _y(value: float, top: float) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * min(max(value / top, 0.0), 1.0)


def _path(times: Sequence[float], values: Sequence[float], end: float, top: float) -> str:
    """Returns the steps of a line; points that would not be seen are left out."""
    if not times:
        return "M0 0"
    stride = max(1, len(times) // _MOST_POINTS)
    parts: list[str] = []
    for number in range(0, len(times), stride):
        x, y = _x(times[number], end), _y(values[number], top)
        parts.append(f"M{x:.1f} {y:.1f}" if not parts else f"H{x:.1f}V{y:.1f}")
    parts.append(f"H{_x(times[-1], end):.1f}V{_y(values[-1], top):.1f}H{_x(end, end):.1f}")
    return "".join(parts)


def _step(high: float) -> float:
    """Returns a round distance between some four marks up to `high`."""
    rough = high / 4
    power: float = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
