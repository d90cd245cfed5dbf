#!/usr/bin/env python3
"""Compares libsched_cycles with the oracle on cases of mode cycles.

    tests/cycles/check.py PROGRAM ORACLE [KIND [FIRST_SEED [COUNT]]]

Generates cases, runs both, and prints the first differences of each case that differs. Times are
compared to the millisecond. Exit code 1 if a case differs.
"""

import itertools
import json
import subprocess
import sys

_TIMES = {"at", "now", "timestamp", "initialAttempt", "done"}
_SHOWN = 5


def differences(wanted, got, path, out):
    """Appends (path, wanted, got) for each place where two results differ."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in sorted(wanted.keys() | got.keys()):
            differences(wanted.get(key), got.get(key), f"{path}.{key}", out)
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (a, b) in enumerate(zip(wanted, got, strict=True)):
            differences(a, b, f"{path}[{index}]", out)
    elif path.rpartition(".")[2] in _TIMES and wanted is not None and got is not None:
        if wanted // 10**6 != got // 10**6:
            out.append((path, wanted, got))
    elif wanted != got:
        out.append((path, wanted, got))


def sort_flying(result):
    """Sorts neighbouring pods in flight: upstream pops the members of a group in any order."""
    for step in result.get("steps", ()):
        queue = step.get("queue", {})
        if "inFlight" in queue:
            runs = itertools.groupby(queue["inFlight"], lambda entry: entry.startswith("pod "))
            queue["inFlight"] = [entry for pods, run in runs
                                 for entry in (sorted(run) if pods else run)]


def compare(golden, result):
    """Returns the differences of the first step that has any."""
    if "error" in golden or "error" in result:
        out = []
        differences(golden.get("error"), result.get("error"), "error", out)
        return out
    for index, (a, b) in enumerate(zip(golden["steps"], result["steps"], strict=True)):
        out = []
        differences(a, b, f"steps[{index}] ({a['do']})", out)
        if out:
            return out
    return []


def main(program, oracle, kind="schedule", first="1", count="300"):
    generated = subprocess.run([oracle, "gen", "-kind", kind, "-seed", first, "-count", count],
                               check=True, stdout=subprocess.PIPE).stdout
    goldens, results = (
        [json.loads(line) for line in subprocess.run(command, input=generated, check=True,
                                                     stdout=subprocess.PIPE).stdout.splitlines()]
        for command in ([oracle, "run", "-keep-going", "-compact"], [program]))
    different = 0
    for golden, result in zip(goldens, results, strict=True):
        if kind == "podgroup":
            sort_flying(golden)
            sort_flying(result)
        found = compare(golden, result)
        different += bool(found)
        for path, a, b in found[:_SHOWN]:
            print(f"{golden['name']} {path}\n  upstream {json.dumps(a)}\n  libsched {json.dumps(b)}")
    print(f"{len(goldens)} cases, {different} different")
    return different != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
