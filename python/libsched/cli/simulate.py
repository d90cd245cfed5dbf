"""`libsched simulate`: what happens to a workload over time?"""

from __future__ import annotations

import argparse
import datetime
import functools
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from .._amounts import amounts
from ..cluster import Cluster
from ..errors import Error, FileError, InvalidError
from ..framework import Framework
from ..objects import Objects, Workload
from ..report.simulation import simulation_html
from ..simulation import START, Simulation, SimulationProgress, SimulationResult
from ..workload import TimedWorkload
from . import admission, asking, needs, output, reading, semantics, what_if
from .candidate import ENDED, Candidate
from .digits import shown, whole
from .progress import Progress
from .question import asks_extenders, bring_along
from .terminal import Terminal, table

DESCRIPTION = """\
Runs a whole scheduler on a virtual clock: queue, scheduling and binding cycles, preemption, an API
server in memory. The pods of the workload arrive over time, wait, run for their duration and finish.
The same input, options and seed give the same results.

A workload is a file of manifests, whose pods and workloads have the times in annotations
(libsched/arrival, libsched/duration, libsched/interval: "90s", "1h30m"), or CSV in the columns of the
openb trace (name, cpu_milli, memory_mib; num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time,
deletion_time, scheduled_time), if its name ends in .csv. Jobs run until enough of their pods have
finished, and CronJobs start Jobs by their schedule, which needs --until. Pods of CLUSTER without a node
arrive at once."""

EPILOG = """\
exit codes:
  0  every pod of the workload has been bound
  1  some are pending or waiting at the end, or were ignored because of their schedulerName
  2  no answer, such as after bad input

examples:
  libsched simulate cluster.yaml --workload pods.yaml
  libsched simulate nodes.yaml --workload trace.csv --until 24h --html run.html
  libsched simulate nodes.yaml --workload trace.csv --json | jq .wait.p99
  libsched simulate nodes.yaml --workload trace.csv --tables out/ --plot run.svg"""

_PARTS = re.compile(r"([0-9]+(?:[.][0-9]+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 292 * 365 * 86400.0  # what 63 bits hold in nanoseconds
_STATES = (("finished", "good"), ("running", "good"), ("pending", "bad"), ("waiting", "note"),
           ("preempted", "note"), ("replaced", "note"), ("ignored", "bad"))
_MOST_ROWS = 10


def add(made: argparse.ArgumentParser) -> None:
    """What happens to a workload over time?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("cluster", nargs="+", metavar="CLUSTER",
                      help="manifests of nodes and pods (YAML or JSON, compressed or not); - is standard "
                      "input; several are merged")
    made.add_argument("--workload", action="append", default=[], metavar="FILE",
                      help="pods over time: manifests, or CSV (*.csv); may be repeated")
    made.add_argument("--until", type=_duration, metavar="TIME",
                      help='end at this time, such as "90s", "1h30m" or "7d" (default: when nothing '
                      "more happens)")
    made.add_argument("--start", default=START, metavar="DATE",
                      help=f"the date of the beginning, by which CronJobs are due, as RFC 3339 (default: {START})")
    made.add_argument("--ties", choices=("upstream", "name", "random"), default="upstream",
                      help="which of several best nodes (default: the first in upstream's order)")
    made.add_argument("--seed", type=whole(0, (1 << 64) - 1, "number of at most 64 bits"), default=0, metavar="N",
                      help="of --ties random and of preemption (default: 0)")
    made.add_argument("--sampling", action="store_true",
                      help="look at some of the nodes only, as upstream does in large clusters")
    made.add_argument("--interval", type=_duration, default=0.0, metavar="TIME",
                      help="at least so much time between two samples (default: about 1,000 samples)")
    made.add_argument("--provision-time", type=_duration, default=0.0, metavar="TIME",
                      help="how long it takes to make a volume for a claim (default: no time)")
    made.add_argument("--gpu-resource", default="", metavar="NAME",
                      help="the resource that GPUs of CSV request in thousandths (default: "
                      "alibabacloud.com/gpu-milli)")
    made.add_argument("--gpu-label", default="", metavar="KEY",
                      help="the node label that gpu_spec selects by (default: "
                      "alibabacloud.com/gpu-card-model)")
    made.add_argument("--scheduler-name", default="", metavar="NAME",
                      help="the schedulerName of the pods of CSV (default: default-scheduler)")
    output.add(made, "print the summary as JSON", table=False)
    made.add_argument("--tables", metavar="FOLDER", help="write all results there as CSV")
    made.add_argument("--html", metavar="FILE", help="write a self-contained page about the run")
    made.add_argument("--plot", metavar="FILE",
                      help="draw the run with matplotlib, as PNG, SVG or PDF by the file's name")
    asking.add_claims(made)
    asking.add_judging(made)
    made.set_defaults(run=run)


def _duration(text: str) -> float:
    """Converts "1h30m" to seconds."""
    parts = _PARTS.findall(text)
    found = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not parts or "".join(number + unit for number, unit in parts) != text or found > _LONGEST:
        raise argparse.ArgumentTypeError(f'{shown(text)} is no time such as "90s", "1h30m" or "7d" of at most 292 years')
    return found


def run(options: argparse.Namespace) -> int:
    """Runs the simulation; returns 0, 1 or 2."""
    errors = Terminal(sys.stderr)
    cluster, workload, remarks = _read(options, errors)
    simulation = Simulation(cluster, workload, _frameworks(options), ties=options.ties,
                            seed=options.seed, sampling=options.sampling,
                            sample_interval=options.interval,
                            claims_from_templates=options.claims,
                            provision_time=options.provision_time, start=options.start)
    begin = time.monotonic()
    with Progress("simulating", 2 * len(workload)) as bar:

        def tell(progress: SimulationProgress) -> None:
            bar.update(progress.arrived + progress.bound,
                       f"{time_text(progress.now)}, {progress.bound:,} of {progress.total:,} bound")

        result = _run(simulation, options.until, tell)
    took = time.monotonic() - begin
    _write(options, result)
    if options.json:
        output.print_document({**result.summary, **remarks}, options.output)
    else:
        show(result, took, Terminal(sys.stdout))
    left = sum(result.states[state] for state in ("pending", "waiting", "ignored"))
    return 1 if left else 0


def _run(simulation: Simulation, until: float | None, tell: Callable[[SimulationProgress], None]) -> SimulationResult:
    """Runs the simulation; an error about the end names the option."""
    try:
        return simulation.run(until, progress=tell)
    except InvalidError as error:
        if error.path == "until":
            error.path = "--until"
        raise


def _read(options: argparse.Namespace,
          errors: Terminal) -> tuple[Cluster, TimedWorkload, dict[str, Any]]:
    """Returns the cluster, the workload, and the remarks on them for JSON output."""
    if [*options.cluster, *options.workload].count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")
    cluster, workload = Cluster(), TimedWorkload()
    keep_raw = asks_extenders(options)
    classes: Objects | None = None
    parts: list[tuple[str, Objects]] = []
    notes: list[str] = []
    warnings: list[tuple[str, dict[str, str]]] = []
    for name in options.cluster:
        objects = reading.read(name, defaults=options.defaults, strict=options.strict,
                               keep_annotations=True, keep_raw=keep_raw)
        cluster.apply(objects)
        classes = objects if objects.priority_classes() is not None else classes
        _tell(name, objects, options, errors)
        parts.append((name, objects))
    if not len(cluster):
        raise InvalidError(f"there are no nodes in {', '.join(options.cluster)}")
    release = semantics.settle(options, cluster)
    dumped = ", ".join(options.cluster)
    arriving = [(dumped, Candidate(pod))
                for _, objects in parts for pod in objects.pods if not pod.node_name]
    for name in options.workload:
        if name.endswith(".csv"):
            continue
        objects = reading.read(name, defaults=options.defaults, strict=options.strict,
                               classes=classes, keep_annotations=True, keep_raw=keep_raw)
        _tell(name, objects, options, errors)
        made = (admission.admitted(cluster, name, objects, dumped=False, strict=options.strict)
                if options.defaults else admission.as_given(name, objects))
        told = bring_along(cluster, name, made.objects)
        if told and not options.json:
            errors.note(told)
        notes += admission.folded(made.notes)
        warnings += [(name, warning) for warning in made.warnings]
        warnings += admission.not_imitated([*parts, (name, objects)], made.namespaces)
        arriving += [(name, Candidate(pod)) for pod in made.pods if pod.phase not in ENDED]
        arriving += [(name, Candidate(one.pod, one.kind, one.replicas)) for one in made.workloads]
    files = {(one.kind, one.pod.key): name for name, one in reversed(arriving)}
    new = functools.partial(admission.new_pod, cluster) if options.defaults else Candidate
    left, edited = what_if.apply(options.edits, cluster, parts, [one for _, one in arriving], pending=True,
                                 new=new)
    notes += [*edited, *(text for one in left for text in one.notes)]
    needs.check(options, cluster, [one.pod for one in left],
                [one.pod for one in left if files.get((one.kind, one.pod.key), dumped) != dumped])
    of_file: dict[str, list[Candidate]] = {}
    seen = 0
    for one in left:
        of_file.setdefault(files.get((one.kind, one.pod.key), dumped), []).append(one)
    for name in (dumped, *options.workload):
        if name.endswith(".csv") and name != dumped:
            workload.add_trace(name, scheduler_name=options.scheduler_name,
                               gpu_resource=options.gpu_resource, gpu_model_label=options.gpu_label)
        for one in of_file.pop(name, ()):
            added = Workload(one.kind, one.replicas, one.pod) if one.kind else [one.pod]
            _named(name, lambda added=added: workload.add_objects(added))
        without_effect = workload.warnings
        warnings += [(name, warning) for warning in without_effect[seen:]]
        seen = len(without_effect)
    if not len(workload) and not workload.warnings and not any(one.kind == "CronJob" for one in left):
        raise InvalidError("there is no pod to schedule; name a file with --workload")
    told_once = list(dict.fromkeys(f"{reading.shown(name)}: " + ": ".join(filter(None, warning.values()))
                                   for name, warning in warnings))
    if not options.json:
        for text in told_once:
            errors.warn(text)
        for text in notes:
            errors.note(text)
    return cluster, workload, {**release, **({"notes": notes} if notes else {}),
                               **({"warnings": told_once} if told_once else {})}


def _tell(name: str, objects: Objects, options: argparse.Namespace, errors: Terminal) -> None:
    if not options.json:
        reading.tell(name, objects, errors, each_field=False)


def _named(name: str, call: Any) -> None:
    """Makes a call whose errors are about a file."""
    try:
        call()
    except Error as error:
        error.message, error.path = f"{reading.shown(name)}: {error}", ""
        raise


def _frameworks(options: argparse.Namespace) -> list[Framework]:
    """Returns a framework for each profile, or for the one that is asked for."""
    profiles = asking.Profiles(options)
    names: Sequence[str] = [options.profile] if options.profile else profiles.names
    return [profiles.framework(name) for name in names]


def _write(options: argparse.Namespace, result: SimulationResult) -> None:
    if options.tables:
        try:
            os.makedirs(options.tables, exist_ok=True)
        except OSError as error:
            raise FileError(f"{options.tables}: {error.strerror}") from None
        for made in result.tables:
            made.write(os.path.join(options.tables, f"{made.name}.csv"))
    if options.html:
        output.write_page(options.html, simulation_html(result))
    if options.plot:
        result.plot(options.plot)


def time_text(seconds: float) -> str:
    """Formats a time for people."""
    if 0 < seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms" if seconds >= 0.0009995 else f"{seconds * 1e6:.3g} us"
    if seconds < 120:
        return f"{seconds:.3g} s"
    whole = datetime.timedelta(seconds=round(seconds))
    return str(whole)


def show(result: SimulationResult, took: float, out: Terminal) -> None:
    """Writes the summary as text."""
    counts = [out.paint(paint, f"{result.states[state]:,} {state}")
              for state, paint in _STATES if result.states[state]]
    if result.pods_total > result.arrived:
        counts.append(f"{result.pods_total - result.arrived:,} not arrived")
    out.line(f"{result.pods_total:,} pods: {', '.join(counts)}")
    speed = f", {result.time / took:,.0f} times as fast as real time" if 0 < took <= result.time else ""
    out.note(f"{time_text(result.time)} in {took:.1f} s{speed}; {result.attempts:,} attempts, "
             f"{result.preemption_count:,} preemptions")
    if result.bound:
        wait = result.wait
        out.line("waited for a node: " + ", ".join(
            f"{name} {time_text(value)}" for name, value in (
                ("median", wait.median), ("90% up to", wait.p90), ("99% up to", wait.p99),
                ("longest", wait.longest))))
    for reason, count in list(result.pending_reasons.items())[:_MOST_ROWS]:
        by_plugins = reason not in ("error", "no nodes", "its group") and not reason.startswith("gated by ")
        out.line(f"  {count:,} pending, {'rejected by ' * by_plugins}{reason}")
    for name, count in list(result.ignored_schedulers.items())[:_MOST_ROWS]:
        out.line(f"  {count:,} ignored, schedulerName {name}")
    if result.resources_now:
        rows = [["resource", "allocatable", "used", "", "free", "fragmented", ""]]
        for use in result.resources_now:
            allocatable, used, free, fragmented = amounts(use.resource, use.allocatable, use.used, use.free,
                                                          round(use.fragmented))
            rows.append([use.resource, allocatable, used, f"{use.utilisation:.1%}", free, fragmented,
                         f"{use.fragmentation:.1%}"])
        head, *lines = table(rows, right=range(1, 7))
        out.line("at the end:")
        out.line(out.paint("faint", head))
        for line in lines:
            out.line(line)
