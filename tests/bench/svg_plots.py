"""Plots as SVG, without a script: lines over the size of the cluster, strips of a row's figures, and bars of ratios.

All axes of values are logarithmic, because the sides differ by factors of a thousand. Colours are CSS classes of
page.css: limit, libsched, upstream.
"""

import html
import math

_WIDTH, _HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 70, 12, 34
_STRIP_WIDTH, _STRIP_HEIGHT = 220, 18
_LABEL_HEIGHT = 13  # two labels at the end of lines are at least so far apart


def decades(values):
    """The powers of ten around some positive values: the exponents of the first and the last."""
    low, high = min(values), max(values)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return first, max(last, first + 1)


def _apart(positions, least):
    """The positions, from top to bottom, moved so that none is nearer to the one before than `least`."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    out = list(positions)
    for before, at in zip(order, order[1:]):
        out[at] = max(out[at], out[before] + least)
    return out


def lines(title, series, value_text, count_text):
    """A figure with a line for each side over the number of nodes.

    `series` is a list of (class, label, [(nodes, value), ...]); without any point there is no figure.
    """
    series = [(kind, label, points) for kind, label, points in series if points]
    values = [value for _, _, points in series for _, value in points]
    if not values:
        return ""
    sizes = sorted({nodes for _, _, points in series for nodes, _ in points})
    first, last = decades(values)

    def x(nodes):
        if len(sizes) == 1:
            return (_LEFT + _WIDTH - _RIGHT) / 2
        part = math.log(nodes / sizes[0]) / math.log(sizes[-1] / sizes[0])
        return _LEFT + 8 + part * (_WIDTH - _RIGHT - _LEFT - 16)

    def y(value):
        part = (math.log10(value) - first) / (last - first)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(title)}">']
    step = 1 if last - first <= 5 else 2
    for exponent in range(first, last + 1):
        at = y(10.0 ** exponent)
        parts.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}"/>')
        if (exponent - first) % step == 0:
            parts.append(f'<text class="tick" text-anchor="end" x="{_LEFT - 7}" y="{at + 4:.1f}">'
                         f"{html.escape(value_text(10.0 ** exponent))}</text>")
    for nodes in sizes:
        parts.append(f'<text class="tick" text-anchor="middle" x="{x(nodes):.1f}" y="{_HEIGHT - 16}">'
                     f"{html.escape(count_text(nodes))}</text>")
    parts.append(f'<text class="tick axis" text-anchor="middle" x="{(_LEFT + _WIDTH - _RIGHT) / 2}" '
                 f'y="{_HEIGHT - 2}">nodes</text>')
    ends = _apart([y(points[-1][1]) for _, _, points in series], _LABEL_HEIGHT * 2)
    overflow = max(ends) - (_HEIGHT - _BOTTOM - 4)
    ends = [end - max(0.0, overflow) for end in ends]
    for (kind, label, points), end in zip(series, ends):
        path = "L".join(f"{x(nodes):.1f} {y(value):.1f}" for nodes, value in points)
        parts.append(f'<path class="line {kind}" d="M{path}"/>')
        for nodes, value in points:
            parts.append(f'<circle class="dot {kind}" cx="{x(nodes):.1f}" cy="{y(value):.1f}" r="3.5">'
                         f"<title>{html.escape(f'{label}: {value_text(value)} at {count_text(nodes)} nodes')}</title></circle>")
        at = _WIDTH - _RIGHT + 7
        parts.append(f'<text class="end {kind}" x="{at}" y="{end:.1f}">{html.escape(label)}</text>'
                     f'<text class="end value" x="{at}" y="{end + _LABEL_HEIGHT:.1f}">'
                     f"{html.escape(value_text(points[-1][1]))}</text>")
    parts.append("</svg>")
    return f'<figure class="plot"><figcaption>{html.escape(title)}</figcaption>{"".join(parts)}</figure>'


class Strips:
    """Strips of one group of rows, on one axis."""

    def __init__(self, values):
        self._first, self._last = decades(values)

    def _x(self, value):
        part = (math.log10(value) - self._first) / (self._last - self._first)
        return 5 + part * (_STRIP_WIDTH - 10)

    def axis(self, value_text):
        """The axis, for the head of the column: its ends."""
        return (f'<svg class="strip" viewBox="0 0 {_STRIP_WIDTH} 14" aria-hidden="true">'
                f'<text class="tick" x="0" y="11">{html.escape(value_text(10.0 ** self._first))}</text>'
                f'<text class="tick" text-anchor="end" x="{_STRIP_WIDTH}" y="11">'
                f"{html.escape(value_text(10.0 ** self._last))}</text></svg>")

    def strip(self, figures, label):
        """`figures` is a list of (class, value); those that are None or 0 are left out."""
        shown = [(kind, value) for kind, value in figures if value]
        middle = _STRIP_HEIGHT / 2
        parts = [f'<svg class="strip" viewBox="0 0 {_STRIP_WIDTH} {_STRIP_HEIGHT}" role="img" '
                 f'aria-label="{html.escape(label)}">']
        for exponent in range(self._first, self._last + 1):
            at = self._x(10.0 ** exponent)
            parts.append(f'<path class="grid" d="M{at:.1f} 2V{_STRIP_HEIGHT - 2}"/>')
        if len(shown) > 1:
            places = [self._x(value) for _, value in shown]
            parts.append(f'<path class="span" d="M{min(places):.1f} {middle}H{max(places):.1f}"/>')
        for kind, value in shown:
            at = self._x(value)
            if kind == "limit":
                parts.append(f'<path class="mark limit" d="M{at:.1f} 2V{_STRIP_HEIGHT - 2}"/>')
            else:
                parts.append(f'<circle class="dot {kind}" cx="{at:.1f}" cy="{middle}" r="4.5"/>')
        parts.append("</svg>")
        return "".join(parts)


def bars(items, number_text):
    """Bars of ratios: `items` is a list of (label, ratio, note)."""
    items = [item for item in items if item[1] and item[1] > 0]
    if not items:
        return ""
    last = max(1, math.ceil(math.log10(max(ratio for _, ratio, _ in items))))
    rows = []
    for label, ratio, note in items:
        part = min(1.0, max(0.004, math.log10(max(ratio, 1.0)) / last))
        marks = "".join(f'<path class="grid" d="M{1000 * mark / last:.1f} 0V20"/>' for mark in range(1, last + 1))
        rows.append(f'<li><span class="what">{html.escape(label)}</span>'
                    f'<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">{marks}'
                    f'<rect class="bar" width="{1000 * part:.1f}" height="20" rx="3"/></svg>'
                    f'<span class="ratio">{html.escape(number_text(ratio))}</span>'
                    f'<span class="note">{html.escape(note)}</span></li>')
    return f'<ol class="bars">{"".join(rows)}</ol>'
