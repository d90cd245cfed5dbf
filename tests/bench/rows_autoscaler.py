"""Rows of the result: an autoscaler's questions to a simulated cluster, from C, Go and Python.

Figures are `sim/<language>/<what>`, of bench_sim.cpp, go/sim.go and sim.py. Upstream's side is a plain loop over its
framework in tests/oracle/peer/simulate.go and autoscaler.go.
"""

from row import MS, SECOND, US, gate as _gate, row as _row

_LANGUAGES = {"c": "C", "go": "Go", "python": "Python"}
_PODS, _NODES = 51_000, 2000
# What is asked on 5,000 nodes: a title, upstream's kind and question, and the most that it may take from a language, in ns.
_QUESTIONS = {
    "5000/nothing fits, basic": ("first fit, none of 5,000 nodes fits, plain pod", ("basic", "nothing fits"), {"go": 6 * US}),
    "5000/nothing fits, anti-app": ("first fit, none of 5,000 nodes fits, pod anti-affinity", ("anti-app", "nothing fits"),
                                    {"go": 10 * US}),
    "5000/nothing fits, basic, after a change": ("the same after a pod has come, plain pod", ("basic", "nothing fits"), {}),
    "5000/nothing fits, anti-app, after a change": ("the same after a pod has come, pod anti-affinity",
                                                    ("anti-app", "nothing fits"), {}),
    "5000/fork, add node, check, revert": ("fork, add a node, check it, revert", ("basic", "fork, add node, check, revert"),
                                           {"go": 3 * US}),
    "5000/fork, schedule, revert": ("fork, check a node, place, revert", ("basic", "fork, schedule, revert"), {}),
    "5000/fork, 100 nodes, 1000 pods, revert": ("fork, 100 nodes, 1,000 pods, revert; 5,000 nodes",
                                                ("basic", "fork, 100 nodes, 1000 pods, revert"), {"c": 100 * US}),
    "50000/fork, 100 nodes, 1000 pods, revert": ("fork, 100 nodes, 1,000 pods, revert; 50,000 nodes", None, {"c": 150 * US}),
    # Followed counts cost each pod that comes or goes; the goal does not name them.
    "5000/fork, 100 nodes, 1000 pods, revert, 20 selectors asked": (
        "the same after 20 selectors were asked for; 5,000 nodes", None, {}),
    "50000/fork, 100 nodes, 1000 pods, revert, 20 selectors asked": (
        "the same after 20 selectors were asked for; 50,000 nodes", None, {}),
    "look up a pod": ("a pod of k8s.io/api looked up by content", None, {"go": 1.5 * US}),
}
_PACK_S, _DRAIN_OVER_UPSTREAM = 0.04, 100.0
_SMALL_MIB, _LARGE_GIB = 80.0, 1.0


def make(figures, peer):
    return _simulations(figures, peer) + _questions(figures, peer) + _memory(figures)


def _figures(figures, what):
    """(language, its title, figure) of those that were measured."""
    return [(language, title, figures[f"sim/{language}/{what}"]) for language, title in _LANGUAGES.items()
            if f"sim/{language}/{what}" in figures]


def _whole(told):
    """Upstream's CPU time of a whole simulation, and a note if it was cut short."""
    if not told:
        return None, {}
    note = {} if told["steps"] == told["asked"] else {
        "text": f"upstream's figure is scaled up from the first {told['steps']:,} of {told['asked']:,} steps, and no gate is met"}
    return float(told["cpu_ns_per_step_min"]) * told["asked"], note


def _simulations(figures, peer):
    out = []
    for language, title, figure in _figures(figures, "pack"):
        upstream, note = _whole((peer or {}).get("pack"))
        made = _row("autoscaler", f"packing 51,000 pods of two groups onto 2,595 nodes, {title}", figure.minimum,
                    figure.median, upstream=upstream, notes={"ns_per_pod": figure.minimum / _PODS, **note})
        _gate(made, f"<= {_PACK_S * SECOND / MS:.0f} ms", figure.minimum <= _PACK_S * SECOND)
        out.append(made)
    for language, title, figure in _figures(figures, "drain"):
        upstream, note = _whole((peer or {}).get("drain"))
        made = _row("autoscaler", f"emptying 2,000 nodes with 80,000 pods, 1,200 can go, {title}", figure.minimum,
                    figure.median, upstream=upstream, notes={"ns_per_node": figure.minimum / _NODES, **note})
        # The first nodes are the ones that can go, and cost the most.
        _gate(made, f">= {_DRAIN_OVER_UPSTREAM:.0f} x upstream", not note and (made["over_upstream"] or 0) >= _DRAIN_OVER_UPSTREAM)
        out.append(made)
    return out


def _questions(figures, peer):
    out = []
    for what, (name, asked, most) in _QUESTIONS.items():
        upstream = next((float(item["cpu_ns_min"]) for item in (peer or {}).get("scale", [])
                         if asked and (item["nodes"], item["kind"], item["what"]) == (5000, *asked)), None)
        for language, title, figure in _figures(figures, what):
            made = _row("simulated cluster", f"{name}, {title}", figure.minimum, figure.median, upstream=upstream,
                        notes=figure.counters)
            if language in most:
                limit = most[language] / US
                _gate(made, f"<= {limit:g} us", figure.minimum <= most[language])
            if what == "look up a pod" and language == "go":
                _gate(made, "no allocation", figure.counters.get("allocations", 1) < 0.01)
            out.append(made)
    return out


def _memory(figures):
    """The peak of a process of its own."""
    out = []
    for pods, name in ((150_000, "15,000 nodes and 150,000 pods"), (1_000_000, "15,000 nodes and 1,000,000 pods")):
        figure = figures.get(f"peak/15000/{pods}")
        if figure is None:
            continue
        peak = figure.counters["peak_bytes"]
        made = _row("memory, peak", f"a process with {name}, simulated cluster", peak, peak, unit="bytes")
        if pods == 150_000:
            _gate(made, f"<= {_SMALL_MIB:.0f} MiB", peak <= _SMALL_MIB * 2**20)
        else:
            _gate(made, f"< {_LARGE_GIB:.0f} GiB", peak < _LARGE_GIB * 2**30)
            for key, what in (("bytes_per_node", "a node"), ("bytes_per_pod", "a pod")):
                number = figure.counters[key]
                out.append(_row("memory, peak", f"{what}, simulated cluster", number, number, unit="bytes"))
        out.append(made)
    return out
