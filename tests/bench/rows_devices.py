"""Rows of the result: pods with claims of devices, and an expression on a device.

Figures are `devices/<variant>`, with `/2x` and `/4x` of as many times the nodes and claims, and `cel/<number>`, of
bench_devices.cpp. Upstream's side runs its own cycles on the same objects (tests/oracle/peer/devices.go), but not on more.
"""

import statistics

from row import gate as _gate, row as _row

_OVER_UPSTREAM = 100.0
_MATCH_NS = 300.0
_TITLES = {"plain": "a device", "counters": "a device that takes counters", "capacity": "a share of a device",
           "shapes": "a device, each with a selector of its own"}
_NODES = 500


def _case(title, times, pods):
    return f"a claim of {title}, {times * _NODES:,} nodes x 8 devices, {pods:,.0f} claims"


def make(figures, peer):
    out = []
    for variant, title in _TITLES.items():
        figure = figures.get(f"devices/{variant}")
        if figure is None:
            continue
        told = (peer or {}).get(f"devices {variant}")
        pods = figure.counters["pods"]
        made = _row("devices, a pod", _case(title, 1, pods), figure.minimum / pods, figure.median / pods,
                    upstream=float(told["cpu_ns_per_pod_min"]) if told else None,
                    notes={"upstream_pods": told["pods"]} if told else {})
        if variant != "shapes":  # nothing is remembered there that would make the difference
            _gate(made, f">= {_OVER_UPSTREAM:.0f} x upstream", (made["over_upstream"] or 0) >= _OVER_UPSTREAM)
        out.append(made)
        for times in (2, 4):
            figure = figures.get(f"devices/{variant}/{times}x")
            if figure is not None:
                pods = figure.counters["pods"]
                out.append(_row("devices, a pod", _case(title, times, pods), figure.minimum / pods, figure.median / pods))
    matches = [figure for name, figure in figures.items() if name.startswith("cel/")]
    if matches:
        minimum = statistics.median(figure.minimum for figure in matches)
        made = _row("devices, a pod", "an expression on a device through the C API, median of 8", minimum,
                    statistics.median(figure.median for figure in matches))
        _gate(made, f"<= {_MATCH_NS:.0f} ns", minimum <= _MATCH_NS)
        out.append(made)
    return out
