"""Rows of the result: pods with claims of devices, and an expression on a device.

Figures are `devices/<variant>` and `cel/<number>`, of bench_devices.cpp. Upstream's side runs its own cycles on the same
objects (tests/oracle/peer/devices.go).
"""

import statistics

from row import gate as _gate, row as _row

_OVER_UPSTREAM = 100.0
_MATCH_NS = 300.0
_TITLES = {"plain": "a device", "counters": "a device that takes counters", "capacity": "a share of a device"}


def make(figures, peer):
    out = []
    for variant, title in _TITLES.items():
        figure = figures.get(f"devices/{variant}")
        if figure is None:
            continue
        told = (peer or {}).get(f"devices {variant}")
        pods = figure.counters["pods"]
        made = _row("devices, a pod", f"a claim of {title}, 500 nodes x 8 devices, 2,500 claims", figure.minimum / pods,
                    figure.median / pods, upstream=float(told["cpu_ns_per_pod_min"]) if told else None,
                    notes={"upstream_pods": told["pods"]} if told else {})
        _gate(made, f">= {_OVER_UPSTREAM:.0f} x upstream", (made["over_upstream"] or 0) >= _OVER_UPSTREAM)
        out.append(made)
    matches = [figure for name, figure in figures.items() if name.startswith("cel/")]
    if matches:
        minimum = statistics.median(figure.minimum for figure in matches)
        made = _row("devices, a pod", "an expression on a device through the C API, median of 8", minimum,
                    statistics.median(figure.median for figure in matches))
        _gate(made, f"<= {_MATCH_NS:.0f} ns", minimum <= _MATCH_NS)
        out.append(made)
    return out
