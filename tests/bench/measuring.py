"""Builds and runs the measured programs, and parses their results."""

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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
VENV_BIN = ROOT / ".venv" / "bin"
GROUPS = ["filter", "cycle", "ingest", "fork", "place", "loop", "state", "snapshot", "plugin",
          "memory"]

# Per group: runs of libsched_bench, each a filter on names and the seconds of one repetition.
_RUNS = {
    "filter": [("^filter/.*/(limit|filter_nodes|pre_filter)", 0.01), ("^filter/.*/check_pod", 0.01),
               ("^run_filter/", 0.05)],
    "cycle": [("^cycle/plain/", 0.02), ("^cycle/.*/warm", 0.05), ("^cycle/.*/first", 0.01)],
    "ingest": [("^ingest/", 0.2)],
    "fork": [("^fork/5000/", 0.1), ("^fork/50000/", 0.1)],
    "place": [("^place/", 0.05), ("^sign/", 0.05), ("^capacity/", 0.05)],
    "loop": [("^loop/|^arrive/", 0.01), ("^million/", None)],
    "state": [("^state/5000/", 0.05), ("^state/50000/", 0.05)],
    "snapshot": [("^snapshot/", 0.05)],
    "plugin": [("^plugin/", 0.05)],
    "memory": [("^memory/small", None), ("^memory/3 KB", None)],
}
# Per group, the part and the kinds of upstream's benchmark that have a counterpart here.
UPSTREAM = {"filter": ("serial", ("basic", "taints", "nodeaffinity")),
            "cycle": ("whole", ("basic", "spread", "spread-hard", "spread-soft", "affinity-pref",
                                "affinity-req", "anti-pref", "anti-req")),
            "place": ("whole", ("basic",)),
            "loop": ("loop", ("basic",))}


class Failure(Exception):
    """A program that cannot be built or run."""


@dataclasses.dataclass
class Figure:
    """One benchmark: thread CPU time in ns of each repetition, and its counters."""
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


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _run(command, what, **options):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, check=False, **options)
    if done.returncode != 0:
        for text in (done.stdout, done.stderr):
            if text:
                _say(text.decode(errors="replace").rstrip())
        raise Failure(f"{what} failed with exit code {done.returncode}")
    return done


def build_bench():
    _say("building libsched_bench ...")
    _run(["packaging/build.sh", "bench", "libsched_bench"], "the build of libsched_bench",
         stdout=sys.stderr)
    return BUILD / "bench" / "bin" / "libsched_bench"


def _go_environment():
    # A Go in .venv exists only if the system's is missing or too old.
    path = [os.environ.get("PATH", ""), str(VENV_BIN)]
    if (VENV_BIN / "go").exists():
        path.reverse()
    return {**os.environ, "PATH": os.pathsep.join(path), "GOTOOLCHAIN": "local"}


def upstream(program, groups):
    """The result of `oracle bench`, or None and the reason for its absence."""
    if not program:
        env = _go_environment()
        if not shutil.which("go", path=env["PATH"]):
            return None, "switched off (no Go)"
        _say("building the oracle ...")
        program = BUILD / "oracle" / "oracle"
        program.parent.mkdir(parents=True, exist_ok=True)
        _run(["go", "build", "-C", "tests/oracle", "-o", program, "."], "the build of the oracle",
             env=env, stdout=sys.stderr)
    peer = {}
    asked = set()
    for group, (part, kinds) in UPSTREAM.items():
        kinds = [kind for kind in kinds if (part, kind) not in asked]
        if group not in groups or not kinds:
            continue
        asked |= {(part, kind) for kind in kinds}
        _say(f"upstream: {group} of 5,000 nodes ...")
        done = _run([program, "bench", "-parts", part, "-nodes", "5000", "-runs", "10", "-kinds",
                     ",".join(kinds)], "oracle bench", stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, env={**os.environ, "GOMAXPROCS": "1"})
        for key, value in json.loads(done.stdout).items():
            peer[key] = peer.get(key, []) + value if isinstance(value, list) else value
    return peer, ""


def libsched(program, groups, repetitions):
    measured = Measured()
    for group in groups:
        for pattern, seconds in _RUNS[group]:
            _say(f"libsched: {pattern.strip('^')} ...")
            _bench(measured, program, pattern, seconds, repetitions)
    if "plugin" in groups:
        measured.python = _python_plugin(repetitions)
    return measured


def _python_plugin(repetitions):
    _say("libsched: a plugin in Python ...")
    _run(["packaging/install_python.sh"], "installing the Python package", stdout=sys.stderr)
    done = _run([VENV_BIN / "python", "tests/bench/python_plugin.py", repetitions],
                "python_plugin.py", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout)


def _bench(measured, program, pattern, seconds, repetitions):
    command = [program, f"--benchmark_filter={pattern}", "--benchmark_format=json"]
    if seconds is not None:  # repetitions of several benchmarks take turns, under the same conditions
        command += [f"--benchmark_min_time={seconds}", f"--benchmark_repetitions={repetitions}",
                    "--benchmark_enable_random_interleaving=true"]
    done = _run(command, "libsched_bench", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    report = json.loads(done.stdout)
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


def machine(context):
    """The machine on which the figures were measured."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next((line.split(":", 1)[1].strip() for line in info
                          if line.startswith("model name")), model)
    except OSError:
        pass
    return {"cpu": model, "cpus": os.cpu_count(), "instruction_set": context.get("instruction_set"),
            "libsched": context.get("libsched")}
