"""Builds and runs the measured programs, and parses their results.

plan() lists the steps of a run: each is a title, a guess of its seconds for the progress bar, and a function that adds
its figures to a `Measured`.
"""

import dataclasses
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
VENV_BIN = ROOT / ".venv" / "bin"
GROUPS = ["filter", "scale", "cycle", "loop", "place", "autoscaler", "fork", "ingest", "boundary", "plugin", "state",
          "snapshot", "memory"]
# Those that are measured only if they are named.
BY_NAME = ["devices"]

# Per group: runs of libsched_bench, each a filter on names, the seconds of one repetition (None: it runs once), and a
# guess of all its seconds. Those marked False are left out of a quick run.
_RUNS = {
    "filter": [("^filter/.*/(limit|filter_nodes|pre_filter)", 0.01, 30, True), ("^filter/.*/check_pod", 0.01, 10, True),
               ("^run_filter/", 0.05, 10, True)],
    "scale": [("^scale/1000/", 0.02, 6, True), ("^scale/5000/", 0.02, 8, True), ("^scale/15000/", 0.02, 10, False),
              ("^scale/100000/", 0.05, 40, False)],
    "cycle": [("^cycle/plain/", 0.02, 40, True), ("^cycle/.*/warm", 0.05, 5, True), ("^cycle/.*/first", 0.01, 8, True)],
    "ingest": [("^ingest/", 0.2, 20, True)],
    "devices": [("^devices/[a-z]*$", 0.01, 60, True), ("^devices/.*/[24]x$", 0.01, 90, False), ("^cel/", 0.05, 5, True)],
    "fork": [("^fork/5000/", 0.1, 17, True), ("^fork/50000/", 0.1, 26, False)],
    "place": [("^place/", 0.05, 30, True), ("^rate/", 0.01, 40, True), ("^sign/", 0.05, 3, True),
              ("^capacity/", 0.05, 3, True)],
    "loop": [("^loop/5000/10000? |^arrive/", 0.01, 30, True), ("^loop/5000/100000 ", 0.01, 30, False),
             ("^million/", None, 40, False)],
    "state": [("^state/5000/", 0.05, 10, True), ("^state/50000/", 0.05, 20, False)],
    "snapshot": [("^snapshot/", 0.05, 20, True)],
    "plugin": [("^plugin/", 0.05, 10, True)],
    "memory": [("^memory/small", None, 4, False), ("^memory/3 KB", None, 10, False),
               ("^peak/15000/150000", None, 3, False), ("^peak/15000/1000000", None, 6, False)],
    "boundary": [("^boundary/", 0.02, 1, True)],
    "autoscaler": [("^sim/c/(5000|pack|drain)", 0.05, 36, True), ("^sim/c/50000", 0.05, 17, False)],
}
# The repetitions of a run's benchmarks take turns, so that ratios are of the same conditions. In these runs they do not,
# because most of their gates are absolute: the repetitions of a benchmark follow each other, in series that are some seconds
# apart, since a busy moment of a shared machine lasts longer than one series.
_ALONE = ("^fork/", "^rate/", "^run_filter/", "^sim/")
_SERIES = 3
_KINDS_OF_CYCLE = "basic,spread,spread-hard,spread-soft,affinity-pref,affinity-req,anti-pref,anti-req"
# Per group, what is asked of upstream: a title, the arguments, a guess of the seconds, and whether a quick run has it.
_UPSTREAM = {
    "filter": [("filters", "-parts serial -kinds basic,taints,nodeaffinity -nodes 5000 -runs 10", 20, True)],
    "scale": [("1,000 nodes", "-parts scale -nodes 1000 -runs 5", 6, True),
              ("5,000 nodes", "-parts scale -nodes 5000 -runs 5", 12, True),
              ("15,000 nodes", "-parts scale -nodes 15000 -runs 5", 25, False),
              ("100,000 nodes", "-parts scale -nodes 100000 -runs 5", 100, False)],
    "cycle": [("whole cycles", f"-parts whole -kinds {_KINDS_OF_CYCLE} -nodes 5000 -runs 10", 60, True)],
    "loop": [("the scheduler's loop", "-parts loop -kinds basic -nodes 5000 -runs 10", 40, True)],
    "autoscaler": [("packing pods", "-parts pack -runs 3", 20, True), ("emptying nodes", "-parts drain -runs 2", 25, True)],
    "devices": [(f"pods with claims, {variant}", "-parts devices -nodes 1 -runs 2 -documents {devices_" + variant + "}", 45,
                 variant == "plain") for variant in ("plain", "counters", "capacity", "shapes")],
    "ingest": [("pods from bytes", "-parts ingest -runs 7 -documents {documents}", 4, True)],
}
UPSTREAM_GROUPS = frozenset(_UPSTREAM)
_LIMIT = {True: "12s", False: "20s"}  # of pack and drain each, by `quick`
_MEMORY_OF_100000 = 7 << 30


class Failure(Exception):
    """A program that cannot be built or run."""


@dataclasses.dataclass
class Figure:
    """One benchmark: CPU time in ns of each repetition, and its counters."""
    times: list
    counters: dict

    @property
    def minimum(self):
        return min(self.times)

    @property
    def median(self):
        return statistics.median(self.times)


@dataclasses.dataclass
class Measured:
    figures: dict = dataclasses.field(default_factory=dict)
    context: dict = dataclasses.field(default_factory=dict)
    python: dict = dataclasses.field(default_factory=dict)  # of python_plugin.py
    upstream: dict = dataclasses.field(default_factory=dict)  # of `oracle bench`, parts joined
    notes: list = dataclasses.field(default_factory=list)  # what was switched off, and why


@dataclasses.dataclass(frozen=True)
class Step:
    title: str
    seconds: float
    run: Callable


@dataclasses.dataclass
class Programs:
    """The built programs; None: not there."""
    bench: pathlib.Path
    oracle: pathlib.Path | None = None
    go: pathlib.Path | None = None
    documents: pathlib.Path | None = None      # a List of pods
    sim_documents: pathlib.Path | None = None  # of a simulated cluster
    devices: dict = dataclasses.field(default_factory=dict)  # files by variant


def _run(command, what, **options):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, check=False, **options)
    if done.returncode != 0:
        for text in (done.stdout, done.stderr):
            if text:
                print(text.decode(errors="replace").rstrip(), file=sys.stderr)
        raise Failure(f"{what} failed with exit code {done.returncode}")
    return done


def _printed(command, what, **options):
    """The JSON that a program prints."""
    return json.loads(_run(command, what, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options).stdout)


def _go_environment(**more):
    # A Go in .venv exists only if the system's is missing or too old.
    path = [os.environ.get("PATH", ""), str(VENV_BIN)]
    if (VENV_BIN / "go").exists():
        path.reverse()
    return {**os.environ, "PATH": os.pathsep.join(path), "GOTOOLCHAIN": "local", **more}


def has_go():
    return shutil.which("go", path=_go_environment()["PATH"]) is not None


def build_bench():
    _run(["packaging/build.sh", "bench", "libsched_bench"], "the build of libsched_bench", stdout=sys.stderr)
    return BUILD / "bench" / "bin" / "libsched_bench"


def _go_build(folder, program, **environment):
    program.parent.mkdir(parents=True, exist_ok=True)
    _run(["go", "build", "-C", folder, "-o", program, "."], f"the build of {folder}",
         env=_go_environment(**environment), stdout=sys.stderr)
    return program


def build_oracle():
    return _go_build("tests/oracle", BUILD / "oracle" / "oracle")


def build_go_bench():
    """The benchmarks in Go, with the library of the preset release."""
    _run(["packaging/build.sh", "release", "libsched"], "the build of the library", stdout=sys.stderr)
    return _go_build("tests/bench/go", BUILD / "bench" / "bin" / "go_bench", GOFLAGS="-tags=libsched_repo")


def install_python():
    _run(["packaging/install_python.sh"], "installing the Python package", stdout=sys.stderr)


def write_documents(bench, name, *arguments):
    """A file of what libsched_bench prints, for the programs that measure elsewhere."""
    path = BUILD / "bench" / name
    path.write_bytes(_run([bench, *arguments], "libsched_bench", stdout=subprocess.PIPE).stdout)
    return path


def plan(groups, programs, repetitions, quick):
    """The steps that measure some groups, in order."""
    steps = []
    for group in groups:
        for title, arguments, seconds, in_quick in _UPSTREAM.get(group, ()):
            if programs.oracle and (in_quick or not quick) and (group != "devices" or programs.devices):
                steps.append(_upstream_step(f"upstream: {title}", arguments, seconds, programs, quick))
        for pattern, least, seconds, in_quick in _RUNS[group]:
            if quick and not in_quick:
                continue
            if quick and least:
                least, seconds = least / 5, seconds / 5
            steps.append(_bench_step(pattern, least, seconds, programs.bench, repetitions, quick))
        part = {"boundary": "boundary", "ingest": "ingest", "autoscaler": "sim"}.get(group)
        if part and programs.go:
            steps.append(_go_step(part, programs, repetitions, quick))
        if group == "autoscaler":
            steps.append(Step("libsched: a simulated cluster from Python", 8, lambda measured: _add(
                measured, _printed([VENV_BIN / "python", "tests/bench/sim.py", programs.sim_documents, repetitions],
                                   "sim.py"))))
        if group == "boundary":
            steps.append(Step("libsched: calls from Python", 3, lambda measured: _add(
                measured, _printed([VENV_BIN / "python", "tests/bench/boundary.py", repetitions], "boundary.py"))))
        if group == "plugin":
            def plugin(measured):
                measured.python = _printed([VENV_BIN / "python", "tests/bench/python_plugin.py", repetitions],
                                           "python_plugin.py")
            steps.append(Step("libsched: a plugin in Python", 3, plugin))
    return steps


def _add(measured, figures):
    for item in figures:
        measured.figures[item["name"]] = Figure(item["times"], item.get("counters") or {})


def _go_step(part, programs, repetitions, quick):
    least = "2ms" if quick else "20ms"
    return Step(f"libsched: {part} from Go", 3, lambda measured: _add(measured, _printed(
        [programs.go, "-parts", part, "-runs", repetitions, "-least", least, "-documents", programs.documents or "",
         "-sim-documents", programs.sim_documents or ""],
        "the benchmarks in Go")))


def available_memory():
    """Bytes, or None where nobody tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as info:
            return next(int(line.split()[1]) << 10 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return None


def _upstream_step(title, arguments, seconds, programs, quick):
    words = [word.format(documents=programs.documents, **{f"devices_{key}": path for key, path in programs.devices.items()}) for word in arguments.split()]
    if quick:
        words[words.index("-runs") + 1] = "5"

    def run(measured):
        memory = available_memory()
        if "100000" in words and memory is not None and memory < _MEMORY_OF_100000:
            measured.notes.append(f"{title} was left out: {memory / 2**30:.1f} GiB of memory are too little")
            return
        told = _printed([programs.oracle, "bench", "-limit", _LIMIT[quick], *words], "oracle bench",
                        env={**os.environ, "GOMAXPROCS": "1"})
        joined = measured.upstream
        if "devices" in told:  # of one variant
            told[title.removeprefix("upstream: ").replace("pods with claims, ", "devices ")] = told.pop("devices")
        for key, value in told.items():
            joined[key] = joined.get(key, []) + value if isinstance(value, list) else value
    return Step(title, seconds / 3 if quick else seconds, run)


def _bench_step(pattern, least, seconds, program, repetitions, quick):
    alone = pattern.startswith(_ALONE)

    def run(measured):
        command = [program, f"--benchmark_filter={pattern}", "--benchmark_format=json"]
        if least is not None:
            command += [f"--benchmark_min_time={least}", f"--benchmark_repetitions={repetitions}"]
            if not alone:
                command.append("--benchmark_enable_random_interleaving=true")
        for _ in range(_SERIES if alone and not quick else 1):
            _take_report(measured, _printed(command, "libsched_bench"))
    return Step(f"libsched: {re.sub(r'[$^()?]|[.][*]/?', '', pattern).strip('/ ')}", seconds, run)


def _take_report(measured, report):
    measured.context = report["context"]
    known = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads",
             "iterations", "real_time", "cpu_time", "time_unit", "family_index",
             "per_family_instance_index"}
    # Taking turns, they end in a random order; family_index is the order in which they are defined.
    for item in sorted(report["benchmarks"], key=lambda item: item["family_index"]):
        if item["run_type"] != "iteration":
            continue
        if item.get("error_occurred"):
            raise Failure(f"{item['name']}: {item['error_message']}")
        name = re.sub(r"/(process_time|iterations:\d+|repeats:\d+)", "", item["run_name"])
        figure = measured.figures.setdefault(name, Figure([], {}))
        figure.times.append(item["cpu_time"])
        figure.counters.update({key: item[key] for key in item.keys() - known})


def _first_line(path, key):
    try:
        with open(path, encoding="utf-8") as info:
            return next((line.split(":", 1)[1].strip() for line in info if line.startswith(key)), None)
    except OSError:
        return None


def machine(context):
    """The machine on which the figures were measured."""
    known = {"sse2": "SSE2", "avx": "AVX", "avx2": "AVX2", "fma": "FMA", "bmi2": "BMI2", "avx512f": "AVX-512F",
             "avx512dq": "AVX-512DQ", "avx512bw": "AVX-512BW", "avx512vl": "AVX-512VL", "asimd": "NEON", "sve": "SVE"}
    flags = (_first_line("/proc/cpuinfo", "flags") or _first_line("/proc/cpuinfo", "Features") or "").split()
    total = _first_line("/proc/meminfo", "MemTotal")
    return {"cpu": _first_line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
            "cpus": os.cpu_count(), "architecture": platform.machine(),
            "memory_gib": round(int(total.split()[0]) / 2**20, 1) if total else None,
            "caches": {f"L{item['level']} {item['type'].lower()}": item["size"] for item in context.get("caches", ())},
            "system": f"{platform.system()} {platform.release()}", "python": platform.python_version(),
            "instruction_sets": [name for flag, name in known.items() if flag in flags],
            "instruction_set": context.get("instruction_set"), "libsched": context.get("libsched"),
            "dependent_add_ns": round(float(context.get("dependent_add_ns", 0)), 3) or None}
