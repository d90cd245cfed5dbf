"""The benchmark's gates follow the measurements: a gate with a short or missing figure is not met."""

import sys

import pytest
import sources

sys.path.insert(0, str(sources.ROOT / "tests" / "bench"))

import measuring  # noqa: E402
import result_rows as rows  # noqa: E402
import table  # noqa: E402

PEER = {"filter": [{"kind": "basic", "nodes": 5000, "prefilter_us": 4.0,
                    "serial_cpu_ns_per_node_min": 300.0}],
        "loop": [{"kind": "basic", "cpu_ns_per_pod_min": 2e6}],
        "whole": [{"kind": "basic", "cpu_us_per_pod_min": 20_000.0},
                  {"kind": "spread", "cpu_us_per_pod_min": 50_000.0}]}


def measured(filter_ns=900.0, run_ns=100.0, pods_per_second=200_000.0, fork_us=140.0,
             cycle_us=11.0, spread_us=50.0, check_any=4.0, check_one_us=1.5, place_us=15.0, nowhere_us=1.0,
             loop_us=9.0, many_us=9.0, million_s=30.0, million_gib=2.0, rate_us=0.9, hard_us=1.9, soft_us=6.0):
    """Two pods with a limit of 600 ns each, and one figure of each other group."""
    figures = {}
    for name in ("plain", "taints", "selectors", "affinity"):
        for pod in ("00", "01"):
            figures[f"filter/{name}/limit-avx2/{pod}"] = [600.0, 900.0]
            figures[f"filter/{name}/limit-portable/{pod}"] = [1200.0]
            for what in ("filter_nodes", "pre_filter+filter_nodes", "check_pod_fits"):
                figures[f"filter/{name}/{what}/{pod}"] = [2 * filter_ns, filter_ns]
    for pod in ("00", "01"):
        figures[f"cycle/plain/limit-avx2/{pod}"] = [8e3, 9e3]
        figures[f"cycle/plain/limit-portable/{pod}"] = [30e3]
        figures[f"cycle/plain/run_cycle/{pod}"] = [2e3 * cycle_us, 1e3 * cycle_us]
    figures["cycle/spread/warm"] = [1e3 * spread_us]
    figures["cycle/spread/first touch"] = [1e3 * 100 * spread_us]
    figures["run_filter/fits/by name"] = [run_ns]
    figures["fork/50000/10 pods a node"] = [fork_us * 1e3]
    for nodes in (5000, 50000):
        figures[f"check/{nodes}/filter_nodes"] = [nodes / 2, nodes / 5]
        figures[f"check/{nodes}/any node"] = [nodes, check_any * nodes / 5]
        figures[f"check/{nodes}/any node, read"] = [20.0 * nodes]
        figures[f"check/{nodes}/one node"] = [9e3, check_one_us * 1e3]
    out = {name: measuring.Figure(times, {}) for name, times in figures.items()}
    out["place/5000/1000 equal pods"] = measuring.Figure([place_us * 1e6], {"pods": 1000})
    out["place/5000/1000 equal pods that fit nowhere"] = measuring.Figure([nowhere_us * 1e6], {"pods": 1000})
    out["rate/5000/plain/10 shapes"] = measuring.Figure([rate_us * 1e7], {"pods": 10000})
    out["rate/5000/zone/10 shapes"] = measuring.Figure([hard_us * 1e7], {"pods": 10000})
    out["rate/5000/zone/100 shapes"] = measuring.Figure([1e9], {"pods": 10000})
    out["rate/5000/soft/10 shapes, no pods before"] = measuring.Figure([soft_us * 1e7], {"pods": 10000})
    out["sign/5000/1000 equal pods"] = measuring.Figure([1e9], {"pods": 1000})
    out["loop/5000/10000 pods of 100 shapes"] = measuring.Figure([loop_us * 1e7], {"pods": 10000})
    out["loop/5000/1000 pods of 1 shapes"] = measuring.Figure([8e6], {"pods": 1000})
    out["loop/5000/100000 pods of 1 shapes"] = measuring.Figure([many_us * 1e8], {"pods": 100000})
    out["million/10000"] = measuring.Figure([million_s * 1e9],
                                            {"pods": 1e6, "peak_bytes": million_gib * 2**30})
    out["ingest/parse"] = measuring.Figure([1e9 * 20000 / pods_per_second],
                                           {"objects": 20000, "bytes_per_pod": 3000.0})
    return measuring.Measured(out)


def missed(result):
    return [gate["text"] for row in result for gate in row["gates"] if not gate["met"]]


def test_all_met():
    result = rows.make(measured(), PEER)
    assert missed(result) == []
    assert sum(len(row["gates"]) for row in result) == 21
    assert result[0]["to_limit"] == 1.5  # the faster kernel, and the minimum of both
    assert result[0]["over_upstream"] == pytest.approx(5000 * 300 / 900)


@pytest.mark.parametrize("change,text", [
    ({"filter_ns": 1201.0}, "<= 2 x limit"),
    ({"run_ns": 151.0}, "<= 150 ns"),
    ({"pods_per_second": 99_000.0}, ">= 100,000 pods/s"),
    ({"fork_us": 301.0}, "<= 150 us"),
    ({"place_us": 20.1}, "<= 20 us a pod"),
    ({"rate_us": 1.1}, ">= 1,000,000 pods/s"),
    ({"hard_us": 2.1}, ">= 500,000 pods/s"),
    ({"soft_us": 6.8}, ">= 150,000 pods/s"),
    ({"nowhere_us": 2.1}, "<= 2 us a pod"),
    ({"cycle_us": 12.1}, "<= 1.5 x limit"),
    ({"spread_us": 50.1}, ">= 1,000 x upstream"),
    ({"loop_us": 10.1}, ">= 200 x upstream"),
    ({"many_us": 9.7}, "<= 1.2 x a pod of 1,000"),
    ({"million_s": 61.0}, "<= 60 s"),
    ({"million_gib": 4.1}, "<= 4 GiB"),
])
def test_missed(change, text):
    assert missed(rows.make(measured(**change), PEER)) == [text]


@pytest.mark.parametrize("change,text", [
    ({"check_any": 4.1}, "<= 4 x filter_nodes"), ({"check_one_us": 2.1}, "<= 2 us")])
def test_checks_are_missed_at_any_size(change, text):
    assert missed(rows.make(measured(**change), PEER)) == [text, text]


def test_upstream_is_slow_or_missing():
    near = {**PEER, "filter": [{**PEER["filter"][0], "serial_cpu_ns_per_node_min": 100.0}]}
    assert missed(rows.make(measured(), near)) == [">= 1,000 x upstream"] * 2
    assert missed(rows.make(measured(), None)) == [">= 1,000 x upstream"] * 3 + [">= 200 x upstream"]


@pytest.mark.parametrize("number,unit,text", [
    (None, "ns", "-"), (0.5, "ns", "0.50 ns"), (75.04, "ns", "75.0 ns"), (1190.0, "ns", "1.19 us"),
    (1.26e6, "ns", "1.26 ms"), (2680.0, "bytes", "2.68 kB"), (123456.0, "ns", "123 us"),
])
def test_value(number, unit, text):
    assert table.value(number, unit) == text
