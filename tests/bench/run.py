#!/usr/bin/env python3
"""Measures libsched against the hardware's limit and against the real upstream framework.

    make bench                                     a table, and the page build/bench/report.html
    tests/bench/run.py --json bench.json           the figures for machines as well (-: on standard output, no table)
    tests/bench/run.py --only filter scale         some groups
    tests/bench/run.py --quick --only scale        small sizes and short runs: does it work?
    tests/bench/run.py --from docs/bench.json      the table and the page of a recorded run; measures nothing

One run has all sides, on one thread each: the limit kernels (limit_kernels.hpp, limit_cycle.hpp, simdjson),
libsched through its C API (libsched_bench, built with the preset `bench`), Go and Python, and upstream's framework
(tests/oracle; needs Go). Figures are CPU time, the minimum of the repetitions; where several pods are
judged, the median over the pods. Repetitions of benchmarks take turns; only rates of placing, RunFilterPlugins, forks and
simulated clusters are measured one benchmark after the other. The limit is the fastest of the kernels that the machine can run.
Exit code 0 if every gate is met, 1 if not, 2 if nothing could be measured.
"""

import argparse
import datetime
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import html_page  # noqa: E402
import measuring  # noqa: E402
import progress  # noqa: E402
import result_rows  # noqa: E402
import table  # noqa: E402

PAGE = measuring.BUILD / "bench" / "report.html"


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    add = parser.add_argument
    add("--json", nargs="?", const="-", metavar="FILE", help="write the figures as JSON; -: to standard output, instead of the table")
    add("--html", metavar="FILE", default=str(PAGE), help="the page (%(default)s); -: none")
    add("--only", nargs="+", choices=measuring.GROUPS + measuring.BY_NAME, default=measuring.GROUPS, metavar="GROUP",
        help=f"measure some groups only; gates of the others are left out: {' '.join(measuring.GROUPS)}; by name alone: {' '.join(measuring.BY_NAME)}")
    add("--quick", action="store_true", help="small sizes and short runs, for a test of the benchmark itself")
    add("--repetitions", type=int, help="of each benchmark, at least 7, or 5 with --quick (which are the defaults)")
    add("--from", dest="recorded", metavar="FILE", help="show a recorded run (JSON) and measure nothing")
    add("--bench", metavar="PROGRAM", help="a built libsched_bench (default: build it)")
    add("--oracle", metavar="PROGRAM", help="a built oracle (default: build it)")
    add("--no-upstream", action="store_true", help="leave upstream out; its gates are not met")
    add("--no-go", action="store_true", help="leave upstream and the Go packages out")
    options = parser.parse_args(arguments)
    least = 5 if options.quick else 7
    options.repetitions = options.repetitions or least
    if options.repetitions < least:
        parser.error(f"--repetitions: at least {least}")
    return options


def build(options, notes):
    """The programs that the groups need; what is missing is noted."""
    groups = set(options.only)
    say = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: E731
    go = not options.no_go and measuring.has_go()
    if not go:
        notes.append("no Go" if not options.no_go else "Go was left out")
    say("building libsched_bench ...")
    programs = measuring.Programs(pathlib.Path(options.bench).resolve() if options.bench else measuring.build_bench())
    if options.no_upstream:
        notes.append("upstream was left out")
    elif go and groups & measuring.UPSTREAM_GROUPS:
        say("building the oracle ...")
        programs.oracle = pathlib.Path(options.oracle).resolve() if options.oracle else measuring.build_oracle()
    if go and groups & {"boundary", "ingest", "autoscaler"}:
        say("building the benchmarks in Go ...")
        programs.go = measuring.build_go_bench()
    if groups & {"boundary", "plugin", "autoscaler"}:
        measuring.install_python()
    if "ingest" in groups:
        programs.documents = measuring.write_documents(programs.bench, "live-pods.json", "live-pods",
                                                       1000 if options.quick else 5000)
    if "devices" in groups and programs.oracle:
        programs.devices = {variant: measuring.write_documents(programs.bench, f"devices-{variant}.json", "devices", variant)
                            for variant in ("plain", "counters", "capacity", "shapes")}
    if "autoscaler" in groups:
        programs.sim_documents = measuring.write_documents(programs.bench, "sim-documents.json", "sim-documents")
    return programs


def measure(options):
    measured = measuring.Measured()
    load_before = os.getloadavg()
    programs = build(options, measured.notes)
    steps = measuring.plan(options.only, programs, options.repetitions, options.quick)
    progress.Progress(steps).run(measured)
    peer = measured.upstream
    made = result_rows.make(measured, peer)
    gates = [gate for row in made for gate in row["gates"]]
    return {
        "format": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "quick": options.quick, "groups": list(options.only), "repetitions": options.repetitions,
        "machine": measuring.machine(measured.context),
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "upstream": {key: peer[key] for key in ("kubernetes", "go")} if peer else "left out",
        "notes": measured.notes,
        "rows": made,
        "gates_met": bool(gates) and all(gate["met"] for gate in gates),
    }


def main(arguments):
    options = parse(arguments)
    try:
        if options.recorded:
            result = json.loads(pathlib.Path(options.recorded).read_text(encoding="utf-8"))
        else:
            result = measure(options)
    except (measuring.Failure, OSError, ValueError) as failure:
        print(f"tests/bench/run.py: {failure}", file=sys.stderr)
        return 2
    if options.json == "-":
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        table.show(result)
    if options.json not in (None, "-"):
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.html != "-":
        page = pathlib.Path(options.html)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(html_page.page(result), encoding="utf-8")
        print(f"the page: {os.path.relpath(page)}", file=sys.stderr)
    return 0 if result["gates_met"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
