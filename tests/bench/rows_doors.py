"""Rows of the result: how objects and calls get in. Documents of pods by every door, and the cost of crossing a boundary."""

from row import gate as _gate, row as _row

_INGEST_PODS_PER_S = 100_000.0
_NODES = 5000  # of the callbacks in Go
_PYTHON_CALL_NS, _GO_CALL_NS, _C_CALL_NS = 250.0, 100.0, 5.0
_CHANGED_COPIES = 4.0  # apply(pod.replace(...)) in Python over add_pods, which copies nothing


def ingest(figures, peer):
    """A pod of 3 KB. The limit of JSON is simdjson alone; upstream decodes and makes a PodInfo."""
    out = []
    simdjson = figures.get("ingest/limit-simdjson")
    limit = simdjson.minimum / simdjson.counters["objects"] if simdjson else None
    upstream = {item["what"]: float(item["cpu_ns_per_pod_min"]) for item in (peer or {}).get("ingest", [])}
    for name, figure in figures.items():
        if not name.startswith("ingest/") or name.startswith("ingest/limit-"):
            continue
        pods, size = figure.counters["objects"], figure.counters["bytes_per_pod"]
        a_pod = figure.minimum / pods
        rate = 1e9 / a_pod
        compact = name != "ingest/parse indented"
        made = _row("ingest, a pod", f"JSON, {name.split('/')[1]} ({size:,.0f} bytes a pod)", a_pod,
                    figure.median / pods, limit=limit if compact else None,
                    upstream=upstream.get("json") if compact else None,
                    notes={"pods_per_second": rate, "pods": pods})
        if name == "ingest/parse":
            _gate(made, f">= {_INGEST_PODS_PER_S:,.0f} pods/s", rate >= _INGEST_PODS_PER_S)
        out.append(made)
    for door, title in (("json", "JSON"), ("protobuf", "protobuf"), ("flat", "the flat form")):
        for part, way in (("read", "read from {}, a document a pod"), ("write", "written by Go as {}")):
            figure = figures.get(f"doors/{door}/{part}")
            if figure:
                size = figure.counters["bytes_per_pod"]
                out.append(_row("ingest, a pod", f"{way.format(title)} ({size:,.0f} bytes)", figure.minimum, figure.median,
                                limit=limit if (door, part) == ("json", "read") else None,
                                upstream=upstream.get(door) if part == "read" else None,
                                notes={"pods_per_second": 1e9 / figure.minimum}))
    return out


def boundary(figures):
    """A call that does next to nothing, and a callback a node, less the same call without the plugin."""
    out = []
    for name, title, most in (("boundary/call", "a call of the C API", _C_CALL_NS),
                              ("boundary/go/call", "the same call from Go", _GO_CALL_NS),
                              ("boundary/python/call", "the same call from Python", _PYTHON_CALL_NS)):
        if name in figures:
            made = _row("boundary", title, figures[name].minimum, figures[name].median)
            _gate(made, f"<= {most:.0f} ns", figures[name].minimum <= most)
            out.append(made)
    for language, title in (("go", "Go"), ("python", "Python")):
        without = figures.get(f"boundary/{language}/without")
        for what, asked in (("filter", "node by node, a node"), ("filter_batch", f"once for {_NODES:,} nodes, a node")):
            figure = figures.get(f"boundary/{language}/{what}")
            if figure and without:
                out.append(_row("boundary", f"a Filter plugin in {title}, asked {asked}",
                                max(0.0, figure.minimum - without.minimum) / _NODES,
                                max(0.0, figure.median - without.median) / _NODES))
    return out + _steps(figures)


def _steps(figures):
    """A pod that Python puts onto a node, less the fork around it."""
    out = []
    fork, added = (figures.get(f"boundary/python/step/{what}") for what in ("fork", "add_pods"))
    for what, title in (("add_pods", "add_pods([pod], node)"), ("apply", "apply(pod.replace(node_name=node))"),
                        ("update", "update(pod.replace(node_name=node))")):
        figure = figures.get(f"boundary/python/step/{what}")
        if figure and fork and added:
            made = _row("boundary", f"a pod onto a node from Python: {title}", figure.minimum - fork.minimum,
                        figure.median - fork.median)
            if what != "add_pods":
                _gate(made, f"<= {_CHANGED_COPIES:.0f} x add_pods",
                      figure.minimum - fork.minimum <= _CHANGED_COPIES * (added.minimum - fork.minimum))
            out.append(made)
    return out
