"""Rows of the result: filters, cycles and placing on 5,000 nodes, the state, plugins and memory, with their gates."""

import re
import statistics

from row import US, gate as _gate, row as _row

_FILTER_TO_LIMIT = 2.0
_FILTER_OVER_UPSTREAM = 1000.0
_CYCLE_TO_LIMIT = 1.5
_CYCLE_OVER_UPSTREAM = 1000.0
_RUN_FILTER_NS = 150.0
_FORK_US = {"5000": 100.0, "50000": 150.0}
_BATCH_NS = 2.0
_PYTHON_BATCH_US = 5.0
_CHECK_OVER_FILTER = 4.0
_CHECK_ONE_US = 2.0
_PLACE_US = 20.0
_PLACE_NOWHERE_US = 2.0
# Pods a second, by kind; of plain pods by the number of shapes.
_RATE_OF_SHAPES = {1: 1e6, 10: 1e6, 100: 200e3, 10_000: 40e3}
_RATE_HARD, _RATE_SOFT = 500e3, 150e3
_NODES = 5000
_SNAPSHOT_US = {"after a pod": 20.0, "after a node's labels": 100.0}
_SPEEDUP = 1.8
_LOOP_OVER_UPSTREAM = {1: 200.0, 10: 200.0, 100: 200.0, 10_000: 50.0}  # by the number of shapes
_LOOP_GROWTH = 1.2
_MILLION_S, _MILLION_GIB = 60.0, 4.0


def judging(figures, peer):
    """Filters and whole cycles on 5,000 nodes, and decisions about a pod that fits nowhere."""
    out = []
    if any(name.startswith("filter/") for name in figures):
        out += _filter(figures, peer) + _run_filter(figures, peer)
    if any(name.startswith("cycle/") for name in figures):
        out += _cycle(figures, peer)
    return out + _check(figures)


def scheduling(figures, peer):
    """A pod of many: placed, signed, counted, and through the whole scheduler."""
    return _place(figures, peer) + _rate(figures) + _loop(figures, peer)


def state(figures):
    """Single changes and snapshots."""
    return _state(figures) + _snapshot(figures)


def plugins(figures, python):
    """Batch plugins in C and in Python."""
    return _plugin(figures) + _python_plugin(python)


def _over_pods(figures, prefix):
    """Median over the pods: of the minima, and of the medians, of each pod's repetitions."""
    found = [figure for name, figure in figures.items() if re.fullmatch(prefix + r"/\d+", name)]
    return (statistics.median(figure.minimum for figure in found),
            statistics.median(figure.median for figure in found), len(found))


def _limit(figures, name):
    """The fastest of the kernels that the machine can run, with all their figures."""
    kernels = sorted({found[1] for found in
                      (re.match(rf"{name}/limit-(\w+)/", key) for key in figures) if found})
    each = {kernel: _over_pods(figures, f"{name}/limit-{kernel}")[0] for kernel in kernels}
    return min(each.values()), each


def _peer(peer, kind):
    """Upstream's serial loop over the nodes in ns, its PreFilter in ns, and ns a node."""
    for item in (peer or {}).get("filter", []):
        if item["kind"] == kind:
            a_node = item["serial_cpu_ns_per_node_min"]
            return a_node * item["nodes"], item["prefilter_us"] * US, a_node
    return None, None, None


def _over_upstream(row, times):
    _gate(row, f">= {times:,.0f} x upstream", (row["over_upstream"] or 0) >= times)


def _filter(figures, peer):
    out = []
    for name, title, kind in (("plain", "plain pods", "basic"),
                              ("taints", "taints on the nodes", "taints"),
                              ("selectors", "taints and nodeSelectors", None),
                              ("affinity", "required node affinity", "nodeaffinity")):
        limit, kernels = _limit(figures, f"filter/{name}")
        loop, before, _ = _peer(peer, kind)
        minimum, median, pods = _over_pods(figures, f"filter/{name}/filter_nodes")
        row = _row("filter", title, minimum, median, limit=limit, upstream=loop,
                   notes={"pods": pods, "nodes": 5000, "limits": kernels})
        if name == "plain":
            _gate(row, f"<= {_FILTER_TO_LIMIT:g} x limit", row["to_limit"] <= _FILTER_TO_LIMIT)
            _over_upstream(row, _FILTER_OVER_UPSTREAM)
        out.append(row)
        minimum, median, _ = _over_pods(figures, rf"filter/{name}/pre_filter\+filter_nodes")
        row = _row("filter", title + ", with PreFilter", minimum, median, limit=limit,
                   upstream=loop + before if loop else None)
        if name == "plain":
            _over_upstream(row, _FILTER_OVER_UPSTREAM)
        out.append(row)
        minimum, median, _ = _over_pods(figures, f"filter/{name}/check_pod_fits")
        out.append(_row("filter", title + ", check_pod_fits with all reasons", minimum, median))
    return out


def _whole(peer, kind):
    """Upstream's PreFilter, Filter, PreScore and Score on every node, in ns."""
    return next((item["cpu_us_per_pod_min"] * US for item in (peer or {}).get("whole", [])
                 if item["kind"] == kind), None)


def _cycle(figures, peer):
    limit, kernels = _limit(figures, "cycle/plain")
    minimum, median, pods = _over_pods(figures, "cycle/plain/run_cycle")
    row = _row("cycle, every node judged and scored", "plain pods", minimum, median, limit=limit,
               upstream=_whole(peer, "basic"),
               notes={"pods": pods, "nodes": 5000, "limits": kernels})
    _gate(row, f"<= {_CYCLE_TO_LIMIT:g} x limit", row["to_limit"] <= _CYCLE_TO_LIMIT)
    out = [row]
    if any(name.startswith("cycle/plain/kept/") for name in figures):
        minimum, median, _ = _over_pods(figures, "cycle/plain/kept")
        out.append(_row("cycle, answers kept by class", "plain pods, no node has changed", minimum,
                        median, upstream=_whole(peer, "basic")))
    for name, figure in figures.items():
        if not name.startswith("cycle/") or name.startswith("cycle/plain/"):
            continue
        _, kind, how = name.split("/")
        row = _row("cycle, every node judged and scored", f"{kind}, {how}", figure.minimum,
                   figure.median, upstream=_whole(peer, kind), notes=figure.counters)
        if how == "warm":
            _over_upstream(row, _CYCLE_OVER_UPSTREAM)
        out.append(row)
    return out


def _run_filter(figures, peer):
    out = []
    for name, figure in figures.items():
        if not name.startswith("run_filter/"):
            continue
        _, verdict, how = name.split("/")
        row = _row("RunFilterPlugins on a random node", f"{verdict}, {how}", figure.minimum,
                   figure.median, upstream=_peer(peer, "basic")[2] if verdict == "fits" else None)
        _gate(row, f"<= {_RUN_FILTER_NS:.0f} ns", figure.minimum <= _RUN_FILTER_NS)
        out.append(row)
    return out


def _check(figures):
    """Of a pod that fits nowhere; an unread decision has gates."""
    out = []
    for name, figure in figures.items():
        if not name.startswith("check/") or name.endswith("/filter_nodes"):
            continue
        _, nodes, what = name.split("/")
        filters = figures[f"check/{nodes}/filter_nodes"]
        row = _row("check_pod_fits, the pod fits nowhere", f"{int(nodes):,} nodes: {what}",
                   figure.minimum, figure.median, notes={"filter_nodes": filters.minimum})
        if what == "any node":
            _gate(row, f"<= {_CHECK_OVER_FILTER:.0f} x filter_nodes",
                  figure.minimum <= _CHECK_OVER_FILTER * filters.minimum)
        elif what == "one node":
            _gate(row, f"<= {_CHECK_ONE_US:.0f} us", figure.minimum <= _CHECK_ONE_US * US)
        out.append(row)
    return out


def forks(figures, upstream):
    """An autoscaler's what-if; upstream's figure is that of 5,000 nodes."""
    out = []
    for name, figure in figures.items():
        if not name.startswith("fork/"):
            continue
        _, nodes, what = name.split("/", 2)
        row = _row("fork + 100 nodes + 1,000 pods + revert", f"{int(nodes):,} nodes, {what}",
                   figure.minimum, figure.median,
                   upstream=upstream if (nodes, what) == ("5000", "10 pods a node") else None)
        if what == "10 pods a node":
            _gate(row, f"<= {_FORK_US[nodes]:.0f} us", figure.minimum <= _FORK_US[nodes] * US)
        out.append(row)
    return out


def _place(figures, peer):
    """A pod. Upstream has no batches: it runs its whole cycle for each pod."""
    out = []
    for name, figure in figures.items():
        if not name.startswith(("place/", "sign/", "capacity/")):
            continue
        what, nodes, pods = name.split("/", 2)
        count = figure.counters["pods"]
        title = {"place": "placing", "sign": "signing", "capacity": "capacity:"}[what]
        row = _row("many pods, a pod", f"{title} {pods}, {int(nodes):,} nodes",
                   figure.minimum / count, figure.median / count,
                   upstream=_whole(peer, "basic") if what == "capacity" else None)
        if row["upstream"]:
            _gate(row, ">= 1,000 x upstream", row["over_upstream"] >= 1000)
        if what == "place":
            most = _PLACE_NOWHERE_US if pods.endswith("that fit nowhere") else _PLACE_US
            _gate(row, f"<= {most:.0f} us a pod", figure.minimum / count <= most * US)
        out.append(row)
    return out


def _rate(figures):
    """A parsed pod from PreFilter to assume, each shape interned and compiled."""
    titles = {"plain": "plain", "zone": "hard spread by zone", "host": "hard spread by hostname",
              "anti": "anti-affinity by hostname", "all": "hard spread and anti-affinity", "soft": "soft spread"}
    out = []
    for name, figure in figures.items():
        if not name.startswith("rate/"):
            continue
        _, nodes, kind, what = name.split("/")
        count = figure.counters["pods"]
        a_pod = figure.minimum / count
        row = _row("many pods, a pod", f"10,000 pods, {titles[kind]}, of {what}, {int(nodes):,} nodes", a_pod,
                   figure.median / count, notes={"pods_per_second": 1e9 / a_pod})
        shapes = int(what.split()[0])
        least = (_RATE_OF_SHAPES[shapes] if kind == "plain" else
                 None if shapes != 10 else _RATE_SOFT if kind == "soft" else _RATE_HARD)
        if least is not None:
            _gate(row, f">= {least:,.0f} pods/s", 1e9 / a_pod >= least)
        out.append(row)
    return out


def _loop(figures, peer):
    """A pod. Upstream's ScheduleOne loop runs on a fake API, with its own sampling.

    Both are timed from when the queue has the pods; upstream's figure is the CPU time of its process.
    """
    upstream = next((item["cpu_ns_per_pod_min"] for item in (peer or {}).get("loop", [])
                     if item["kind"] == "basic"), None)
    out = []
    for name, figure in figures.items():
        if not name.startswith(("loop/", "arrive/", "million/")):
            continue
        count = figure.counters["pods"]
        group, nodes, *what = name.split("/")
        title = what[0] if what else "1,000,000 pods of 100 shapes"
        if group == "arrive":
            out.append(_row("scheduler, a pod", f"coming to the queue: {title}", figure.minimum / count,
                            figure.median / count))
            continue
        row = _row("scheduler, a pod", f"{title}, {int(nodes):,} nodes", figure.minimum / count,
                   figure.median / count, upstream=upstream)
        if group == "million":
            gib = figure.counters["peak_bytes"] / 2**30
            row["notes"]["peak_gib"] = gib
            _gate(row, f"<= {_MILLION_S:.0f} s", figure.minimum <= _MILLION_S * 1e9)
            _gate(row, f"<= {_MILLION_GIB:.0f} GiB", gib <= _MILLION_GIB)
        elif title.startswith("10000 "):
            least = _LOOP_OVER_UPSTREAM[int(title.split()[3])]
            _gate(row, f">= {least:.0f} x upstream", (row["over_upstream"] or 0) >= least)
        elif title.startswith("100000 "):
            short = figures[f"loop/{nodes}/1000 pods of 1 shapes"]
            few = short.minimum / short.counters["pods"]
            _gate(row, f"<= {_LOOP_GROWTH} x a pod of 1,000", row["libsched"]["min"] <= _LOOP_GROWTH * few)
        out.append(row)
    return out


def _state(figures):
    out = []
    for name, figure in figures.items():
        if name.startswith("state/"):
            _, nodes, what = name.split("/", 2)
            out.append(_row("state", f"{int(nodes):,} nodes: {what}", figure.minimum,
                            figure.median, notes=figure.counters))
    return out


def _snapshot(figures):
    """One change and a snapshot; and how much more two threads do than one, in wall time."""
    out = []
    for name, figure in figures.items():
        if not name.startswith("snapshot/"):
            continue
        _, nodes, what = name.split("/", 2)
        row = _row("snapshot", f"{int(nodes):,} nodes: {what}", figure.minimum, figure.median,
                   notes=figure.counters)
        if what in _SNAPSHOT_US:
            _gate(row, f"<= {_SNAPSHOT_US[what]:.0f} us", figure.minimum <= _SNAPSHOT_US[what] * US)
        else:
            _gate(row, f">= {_SPEEDUP} x one thread", figure.counters["speedup"] >= _SPEEDUP)
        out.append(row)
    return out


def _plugin(figures):
    """The cost per node, above the plugin's own work and the cost without a plugin."""
    out = []
    for name, call in figures.items():
        if not name.startswith("plugin/") or not name.endswith("/call"):
            continue
        what = name.split("/")[1]
        others = [figures[f"plugin/{what}/{how}"] for how in ("without", "bare")]
        own = [(getattr(call, kind) - sum(getattr(other, kind) for other in others)) / _NODES
               for kind in ("minimum", "median")]
        row = _row("a plugin in C, a node", what, *own, notes={"call": call.minimum / _NODES})
        if what.startswith("filter_batch"):
            _gate(row, f"<= {_BATCH_NS:.0f} ns", own[0] <= _BATCH_NS)
        out.append(row)
    return out


def _python_plugin(figures):
    """The cost per call, above the plugin's own work and the cost without a plugin."""
    out = []
    for what, figure in figures.items():
        row = _row("a plugin in Python, a call", f"filter_batch, {what}", figure["min"],
                   figure["median"])
        _gate(row, f"<= {_PYTHON_BATCH_US:.0f} us", figure["min"] <= _PYTHON_BATCH_US * US)
        out.append(row)
    return out


def memory(figures):
    """Resident bytes of a cluster."""
    out = []
    for name, figure in figures.items():
        if name.startswith("memory/"):
            what = name.split("/")[1]
            node, pod = figure.counters["bytes_per_node"], figure.counters["bytes_per_pod"]
            if not any(row["name"] == "a node" for row in out):
                out.append(_row("memory, resident", "a node", node, node, unit="bytes"))
            out.append(_row("memory, resident", f"a pod ({what})", pod, pod, unit="bytes"))
    return out
