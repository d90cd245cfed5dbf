"""Rows of the result: questions about clusters of 1,000 to 100,000 nodes, on all three sides.

The figures are those of bench_scale.cpp; upstream's are of tests/oracle/peer/simulate.go. Both sides run PreFilter and
the rest in one call of the question; `filter_nodes` is the filters alone, with PreFilter's results from before.
"""

import re

from row import row as _row

KINDS = {"basic": "plain pod", "selector": "node selector", "taints": "many taints", "spread-hard": "topology spread",
         "anti-app": "pod anti-affinity"}
# Question of libsched_bench: title, and the question of upstream that is the same.
_QUESTIONS = {
    "filter_nodes": ("filters alone", None),
    "filter": ("PreFilter and Filter on every node", "filter"),
    "evaluate": ("a whole evaluation, scores included", "evaluate"),
    "nothing fits": ("first fit, and nothing fits", "nothing fits"),
    "fork, schedule, revert": ("fork, check a node, place, revert", "fork, schedule, revert"),
    "fork, add node, check, revert": ("fork, add a node, check it, revert", "fork, add node, check, revert"),
}


def _upstream(peer, nodes, kind, question):
    return next((float(item["cpu_ns_min"]) for item in (peer or {}).get("scale", [])
                 if (item["nodes"], item["kind"], item["what"]) == (nodes, kind, question)), None)


def _limit(figures, nodes, kind):
    kernels = {name.rsplit("-", 1)[1]: figure.minimum for name, figure in figures.items()
               if name.startswith(f"scale/{nodes}/{kind}/limit-")}
    return (min(kernels.values()), kernels) if kernels else (None, {})


def make(figures, peer):
    """Rows in the order of questions, kinds and sizes."""
    out = []
    sizes = sorted({int(name.split("/")[1]) for name in figures if name.startswith("scale/")})
    for question, (title, asked) in _QUESTIONS.items():
        for kind, kind_title in KINDS.items():
            for nodes in sizes:
                figure = figures.get(f"scale/{nodes}/{kind}/{question}")
                if figure is None:
                    continue
                limit, kernels = _limit(figures, nodes, kind) if question in ("filter_nodes", "filter", "nothing fits") else (None, {})
                upstream = _upstream(peer, nodes, kind, asked) if asked else None
                out.append(_row(f"by size: {title}", f"{kind_title}, {nodes:,} nodes", figure.minimum, figure.median,
                                limit=limit, upstream=upstream,
                                notes={"limits": kernels, "found": figure.counters.get("found")},
                                plot={"question": question, "kind": kind, "nodes": nodes}))
    return out


def fork_of_upstream(peer, nodes):
    """Upstream's time for the what-if of the group `fork`, at the nearest size that was measured."""
    found = [item for item in (peer or {}).get("scale", []) if re.match("fork, 100 nodes", item["what"])]
    return next((float(item["cpu_ns_min"]) for item in found if item["nodes"] == nodes), None)
