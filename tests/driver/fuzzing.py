"""Fuzzers: replay the seeds in tests/fuzz/corpus/<fuzzer>, then search for a bounded time.

FUZZ_SECONDS sets the time per fuzzer; random sequences of C calls (tests/fuzz/capi/random_capi.cpp)
get three times as much, and six times as much on several threads under ThreadSanitizer. FUZZ_SEED is the seed
of all, by default 1, so that every fresh checkout makes the same search and a find belongs to the change under
test. `make fuzz` takes a new seed.
libFuzzer only replays sequences of C calls, because it makes fewer a second. Finds go to build/fuzz/found/,
and new interesting inputs to build/fuzz/corpus/<fuzzer>, from which later runs start.
"""

import concurrent.futures
import os
import re

from .counts import Counts, of_program
from .shell import BUILD, ROOT, Failure, build

SECONDS = int(os.environ.get("FUZZ_SECONDS", "10"))
SEED = os.environ.get("FUZZ_SEED", "1")


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
    if replay.failed or name == "fuzz_capi":
        return replay
    search = shell.run([binary, *limits, f"-seed={SEED}", f"-max_total_time={SECONDS}",
                        "-print_final_stats=1", grown, seeds], env=env, timeout=SECONDS + 300)
    found_inputs = sorted(found.glob(f"{name}-*"))
    for path in found_inputs[:3]:
        shell.note(f"{name}: found {path.name}: {path.read_bytes()[:400]!r}")
    return replay + of_program(search)


def _search_calls(shell, command, seconds, env=None):
    """Runs random sequences of C calls for so long; prints the program's line of counts."""
    search = shell.run([*command, "--seed", SEED, "--seconds", seconds], env=env, timeout=seconds + 300)
    if line := re.search(r"random_capi: seed .*", search.output):
        print(f"  {line[0]}", flush=True)
    return search


def _random_calls(shell, binary):
    """Runs random sequences of C calls for a while; prints and shrinks a failing one."""
    found = BUILD / "fuzz" / "found"
    found.mkdir(parents=True, exist_ok=True)
    prefix = found / "random_capi-"
    search = _search_calls(shell, [binary, "--found", prefix], SECONDS * 3)
    if search.code:
        shell.note(f"again: {binary} --seed {SEED} --found {prefix}")
        if written := re.search(r"--- input written to ([^;\n]+);", search.output):
            shell.run([binary, "--shrink", written[1]], timeout=300)
            shell.run([binary, f"{written[1]}.small"], timeout=120)
    return of_program(search)


def run_threads(shell):
    """Runs random sequences of C calls on threads that share objects, for a while."""
    build(shell, "tsan", ["random_capi"])
    threads = [BUILD / "tsan/random/random_capi", "--threads", os.cpu_count() or 2]
    return of_program(_search_calls(shell, threads, SECONDS * 6, {"TSAN_OPTIONS": "halt_on_error=1"}))


def run(shell):
    build(shell, "fuzz")
    binaries = sorted(path for path in (BUILD / "fuzz" / "fuzzers").glob("*") if path.is_file())
    if not binaries:
        raise Failure("no fuzzer was built")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        calls = pool.submit(_random_calls, shell, BUILD / "fuzz" / "random" / "random_capi")
        return sum(pool.map(lambda binary: _fuzz(shell, binary), binaries), Counts()) + calls.result()
