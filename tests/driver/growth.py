"""Growth: twice the document is twice the work, counted in instructions.

The processor's counter does it, or, where the machine has none for us, valgrind with smaller
documents. Where there is neither, nothing is said to have passed.
"""

import re
import shutil
import tempfile

from .counts import Counts, of_closing_line
from .shell import BUILD, build, environment

_MOST_PER_DOUBLING = 2.3
_NO_COUNTER = 77
_LOAD = "libsched_growth_load"


def needs():
    """The processor's counter, which only the program itself can try, or valgrind."""
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
    """One run of all forms; callgrind writes a file at the end of each load."""
    with tempfile.TemporaryDirectory() as folder:
        result = shell.must(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={_LOAD}", f"--dump-after={_LOAD}",
             f"--callgrind-out-file={folder}/out", program, "--load"], "valgrind")
        counts = [_instructions(folder, number + 1) for number in range(3 * _forms(result))]
    names = _names(result)
    failed = 0
    for index, name in enumerate(names):
        small, middle, large = counts[3 * index:3 * index + 3]
        # What is there at any size weighs much in small documents: it falls out of the differences,
        # of which the second is that of twice the bytes.
        per_doubling = (large - middle) / max(middle - small, 1)
        good = 0 < small < middle < large and per_doubling <= _MOST_PER_DOUBLING
        failed += not good
        shell.note(f"{name:55} {small:12} x {per_doubling:.2f}" + ("" if good else "  FAILED"))
    return Counts(passed=len(names) - failed, failed=failed)


def _names(result):
    return [line for line in result.output.splitlines() if re.match(r"[a-z ]+\S.*", line)
            and not line.startswith("==")]


def _forms(result):
    return len(_names(result))


def _instructions(folder, number):
    with open(f"{folder}/out.{number}", encoding="utf-8") as dump:
        found = re.search(r"^(?:totals|summary): (\d+)", dump.read(), re.MULTILINE)
    return int(found.group(1)) if found else 0
