#!/usr/bin/env python3
"""Measures libsched against the hardware's limit and against the real upstream framework.

    make bench                               a table
    tests/bench/run.py --json > bench.json   the same for machines, with every figure
    tests/bench/run.py --only filter         some groups: filter cycle ingest fork place loop state snapshot plugin memory

One run has all sides, on one thread each: the limit kernels (limit_kernels.hpp, limit_cycle.hpp),
libsched through its C API (libsched_bench, built with the preset `bench`), and upstream's plugins
(tests/oracle; needs Go): Filter node by node, and for `cycle` PreFilter, Filter, PreScore and Score. Figures are CPU time, the minimum of the repetitions; where several pods are
judged, the median over the pods. The limit is the fastest of the kernels that the machine can run.
Exit code 0 if every gate is met, 1 if not, 2 if nothing could be measured.
"""

import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import measuring  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    add = parser.add_argument
    add("--json", action="store_true", help="print JSON instead of the table")
    add("--only", nargs="+", choices=measuring.GROUPS, default=measuring.GROUPS, metavar="GROUP",
        help="measure some groups only; gates of the others are left out")
    add("--repetitions", type=int, default=7, help="of each benchmark, at least 5 (%(default)s)")
    add("--bench", metavar="PROGRAM", help="a built libsched_bench (default: build it)")
    add("--oracle", metavar="PROGRAM", help="a built oracle (default: build it)")
    add("--no-upstream", action="store_true", help="leave upstream out; its gates are not met")
    options = parser.parse_args(arguments)
    if options.repetitions < 5:
        parser.error("--repetitions: at least 5")
    return options


def main(arguments):
    options = parse(arguments)
    load_before = os.getloadavg()
    try:
        bench = options.bench or measuring.build_bench()
        peer, note = None, "left out"
        if set(measuring.UPSTREAM) & set(options.only) and not options.no_upstream:
            peer, note = measuring.upstream(options.oracle, options.only)
        measured = measuring.libsched(bench, options.only, options.repetitions)
    except measuring.Failure as failure:
        print(f"tests/bench/run.py: {failure}", file=sys.stderr)
        return 2
    result = {
        "machine": measuring.machine(measured.context),
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "upstream": {key: peer[key] for key in ("kubernetes", "go")} if peer else note,
        "rows": rows.make(measured, peer),
    }
    gated = [row for row in result["rows"] if row["gates"]]
    result["gates_met"] = bool(gated) and all(gate["met"] for row in gated for gate in row["gates"])
    if options.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        table.show(result)
    return 0 if result["gates_met"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
