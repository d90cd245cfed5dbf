"""Tests growth: twice the document takes twice the work, counted in instructions.

The processor's counter counts them or, on machines without access to it, valgrind with smaller
documents. Without either, the part does not pass.
"""

import math
import re
import shutil
import tempfile

from .counts import Counts, of_closing_line
from .shell import BUILD, build, environment

_MOST_PER_DOUBLING = 2.3
_NO_COUNTER = 77
_LOAD = "libsched_growth_load"


def needs():
    """Checks for the processor's counter, which only the program itself can try, or valgrind."""
    if shutil.which("valgrind", path=environment()["PATH"]) or _has_counter():
        return None
    return "no counter of instructions, and no valgrind"


def _has_counter():
    perf = shutil.which("perf", path=environment()["PATH"])
    program = BUILD / "release" / "growth" / "libsched_growth"
    return bool(perf) or program.exists()


def run(shell):
    build(shell, "release", ("libsched_growth",))
    program = BUILD / "release" / "growth" / "libsched_growth"
    result = shell.run([program])
    if result.code != _NO_COUNTER:
        return of_closing_line(result)
    if not shutil.which("valgrind", path=environment()["PATH"]):
        shell.note("growth: no counter of instructions, and no valgrind: nothing was counted")
        return Counts(skipped=1)
    return _with_valgrind(shell, program)


def _with_valgrind(shell, program):
    """Measures all forms in small documents, and again in larger ones if they seem to grow too fast.

    A table may double or a second buffer may be needed between two small sizes."""
    grown = _grown(shell, program)
    suspects = [name for name, growth in grown.items() if not growth <= _MOST_PER_DOUBLING]
    if suspects:
        grown |= _grown(shell, program, *suspects)
    failed = sum(not growth <= _MOST_PER_DOUBLING for growth in grown.values())
    return Counts(passed=len(grown) - failed, failed=failed)


def _grown(shell, program, *names):
    """One run of valgrind, which writes a file at the end of each load: {form: growth}."""
    with tempfile.TemporaryDirectory() as folder:
        result = shell.must(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={_LOAD}", f"--dump-after={_LOAD}",
             f"--callgrind-out-file={folder}/out", program, "--load", *names], "valgrind")
        names = _names(result)
        counts = [_instructions(folder, number + 1) for number in range(3 * len(names))]
    grown = {}
    for index, name in enumerate(names):
        small, middle, large = counts[3 * index:3 * index + 3]
        # Fixed costs weigh much in small documents, so differences between sizes are compared; the
        # second difference is for twice the bytes.
        grown[name] = ((large - middle) / (middle - small) if 0 < small < middle < large
                       else math.inf)
        shell.note(f"{name:55} {small:12} x {grown[name]:.2f}")
    return grown


def _names(result):
    return [line for line in result.output.splitlines() if re.match(r"[a-z ]+\S.*", line)
            and not line.startswith("==")]


def _instructions(folder, number):
    with open(f"{folder}/out.{number}", encoding="utf-8") as dump:
        found = re.search(r"^(?:totals|summary): (\d+)", dump.read(), re.MULTILINE)
    return int(found.group(1)) if found else 0
