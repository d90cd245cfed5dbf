"""Fuzzers: replay the seeds in tests/fuzz/corpus/<fuzzer>, then search for a bounded time.

FUZZ_SECONDS sets the time per fuzzer. Finds go to build/fuzz/found/, what is new and interesting to
build/fuzz/corpus/<fuzzer>, which later runs start from.
"""

import concurrent.futures
import os

from .counts import Counts, of_program
from .shell import BUILD, ROOT, Failure, build

SECONDS = int(os.environ.get("FUZZ_SECONDS", "20"))


def _fuzz(shell, binary):
    name = binary.name
    seeds = ROOT / "tests" / "fuzz" / "corpus" / name
    grown = BUILD / "fuzz" / "corpus" / name
    found = BUILD / "fuzz" / "found"
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    if not seeds.is_dir() or not any(seeds.iterdir()):
        shell.note(f"{name}: no seeds in tests/fuzz/corpus/{name}")
        return Counts(failed=1)
    limits = ["-timeout=20", "-rss_limit_mb=2560", f"-artifact_prefix={found}/{name}-"]
    env = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
           "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
    replay = of_program(shell.run([binary, *limits, "-runs=0", seeds], env=env, timeout=300))
    if replay.failed:
        return replay
    search = shell.run([binary, *limits, f"-max_total_time={SECONDS}", "-print_final_stats=1",
                        grown, seeds], env=env, timeout=SECONDS + 300)
    found_inputs = sorted(found.glob(f"{name}-*"))
    for path in found_inputs[:3]:
        shell.note(f"{name}: found {path.name}: {path.read_bytes()[:400]!r}")
    return replay + of_program(search)


def run(shell):
    build(shell, "fuzz")
    binaries = sorted(path for path in (BUILD / "fuzz" / "fuzzers").glob("*") if path.is_file())
    if not binaries:
        raise Failure("no fuzzer was built")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return sum(pool.map(lambda binary: _fuzz(shell, binary), binaries), Counts())
