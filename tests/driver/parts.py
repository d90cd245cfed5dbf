"""The parts of the test suite, in the order in which they run.

A part is a name, a list of needs (each returns None or the name of the missing thing), and a function
that runs it and returns counts. A part that runs no test has failed.
"""

import concurrent.futures
import dataclasses
import functools
import os
import platform
import re
import shutil
import subprocess
from typing import Callable

from . import counts, fuzzing, growth
from .counts import Counts
from .shell import BUILD, ROOT, VENV_BIN, Failure, build, environment, install_python, once


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    run: Callable
    needs: tuple = ()
    by_name: bool = False  # takes so long that it runs only if it is named
    builds: Callable = tuple  # returns (preset, targets) of what it builds beside the preset release


def tool(name, why=""):
    """A need: a program in PATH or .venv."""
    def check():
        found = shutil.which(name, path=environment()["PATH"])
        return None if found else f"no {name}{why}"
    return check


CLANG = tool("clang++-19")


def go_version():
    """A need: Go as new as packaging/go-version.txt says."""
    wanted = ROOT.joinpath("packaging/go-version.txt").read_text().strip()
    go = shutil.which("go", path=environment()["PATH"])
    if not go:
        return f"no Go {wanted} or newer"
    have = subprocess.run([go, "env", "GOVERSION"], env=environment(), capture_output=True, text=True,
                          check=False).stdout.strip().removeprefix("go")
    numbers = [int(number) for number in have.split("-")[0].split(".") if number.isdigit()]
    if numbers < [int(number) for number in wanted.split(".")]:
        return f"Go {have} is older than {wanted}"
    return None


def zig():
    """A need: zig in .venv, or one that ZIG names."""
    return None if os.environ.get("ZIG") else python_packages("ziglang")()


def _go_env(*tags):
    # The tag makes the Go package link to the library of this checkout.
    return {"CGO_ENABLED": "1", "GOFLAGS": f"-tags={','.join(('libsched_repo', *tags))}"}


def sources(*names):
    """A need: sources that setup fetches."""
    def check():
        missing = [name for name in names if not (BUILD / "sources" / name).is_dir()]
        return f"no sources of {', '.join(missing)}: packaging/setup.sh static fetches them" if missing else None
    return check


def build_static(libc):
    """A step: libsched.a for a C library."""
    def step(shell):
        once(shell, f"static library for {libc}", [f"packaging/static/{libc}.sh"])
    return step


def build_wheels(shell):
    """A step: the wheels for .venv's Python, of this machine and aarch64."""
    once(shell, "wheels", ["packaging/wheel.sh"])
    if platform.machine() == "x86_64":
        once(shell, "wheels of aarch64", ["packaging/wheel.sh", "--machine", "aarch64"])


def build_archives(shell):
    """A step: libsched.a for each platform of the Go modules."""
    once(shell, "archives", ["packaging/static/prebuilt.sh", "x86_64", "aarch64"])


def build_debian_packages(shell):
    """A step: the Debian packages for all releases."""
    once(shell, "Debian packages", ["packaging/deb.sh"])


def build_release_twice(shell):
    """A step: the files of a release, made twice at two places."""
    once(shell, "two releases", ["packaging/release.sh", "--check"], timeout=4 * 3600)


def superuser():
    """A need: roots can be made by the superuser alone."""
    return None if os.geteuid() == 0 else "not the superuser"


def python_packages(*names):
    """A need: modules in .venv."""
    def check():
        code = f"import {', '.join(names)}"
        done = subprocess.run([VENV_BIN / "python", "-c", code], capture_output=True, check=False)
        return None if done.returncode == 0 else f"no {', '.join(names)} in .venv"
    return check


def docs_packages():
    """A need: what makes the documentation site, which has a folder of its own."""
    return None if (BUILD / "docs-venv/bin/mkdocs").exists() else "no build/docs-venv: packaging/setup.sh docs makes it"


def _binaries(preset, folder):
    found = sorted(path for path in (BUILD / preset / folder).glob("*")
                   if path.is_file() and path.stat().st_mode & 0o111)
    return found


def at_once(function, items):
    """The sum of the counts of function(item), which runs for as many items at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return sum(pool.map(function, items), Counts())


def pytest(name, *runs, before=(), env=None, timeout=1800):
    """A part's function: a run of pytest over each of some lists of folders, separated by blanks."""
    def one(shell, number, folders):
        report = shell.log_path.with_suffix(f".{number}.xml")
        report.unlink(missing_ok=True)
        result = shell.run([VENV_BIN / "python", "-m", "pytest", "-q", "-rs", "--color=no",
                            "-p", "no:cacheprovider", f"--junitxml={report}", *folders.split()], env=env, timeout=timeout)
        return counts.of_junit(result, report)

    def run(shell):
        for step in before:
            step(shell)
        return at_once(lambda run: one(shell, *run), list(enumerate(runs)))
    run.__name__ = name
    return run


def build_release(shell):
    build(shell, "release")


def run_setup(shell):
    """A second setup does nothing, prints only the switched-off steps, and is quick."""
    result = shell.run(["packaging/setup.sh", "system", "python", "tests"], timeout=60)
    said = [line for line in result.output.splitlines() if "(optional)" not in line]
    return Counts(passed=1) if result.code == 0 and not said else Counts(failed=1)


def run_unit(shell, preset="release", arguments=(), env=None, wrapper=(), targets=()):
    """Every doctest binary of a preset."""
    build(shell, preset, targets)
    binaries = _binaries(preset, "unit")
    if not binaries:
        raise Failure("no unit test was built")
    return at_once(lambda binary: counts.of_doctest(shell.run([*wrapper, binary, *arguments], env=env)), binaries)


def run_ctests(shell, preset="release", env=None, wrapper=(), only="", targets=()):
    """Every C test program of a preset: exit code 0 is a pass."""
    build(shell, preset, targets)
    binaries = [path for path in _binaries(preset, "ctests") if only in path.name]
    return at_once(lambda path: counts.of_program(shell.run([*wrapper, path], env=env)), binaries)


def run_go(shell):
    build(shell, "release")
    # With -race like the tests, so that Go does not compile its library twice.
    vet = shell.run(["go", "vet", "-race", "./..."], env=_go_env(), cwd=ROOT / "go")
    test = shell.run(["go", "test", "-race", "-count=1", "-json", "./..."], env=_go_env(),
                     cwd=ROOT / "go")
    # Most without the race detector, which takes its time: what goroutines share, a catalog that ages, is tested with it.
    kube = shell.run(["go", "test", "-count=1", "-json", "./..."], env=_go_env(), cwd=ROOT / "go/kube")
    shared = shell.run(["go", "test", "-race", "-count=1", "-json", "-run=^Test(Age|Goroutines|Requests|Holds)", "./..."], env=_go_env(),
                       cwd=ROOT / "go/kube")
    # The same tests with the newest k8s.io/api of each minor, with fewer random objects: a *.mod file requires it.
    others = [shell.run(["go", "test", "-short", "-count=1", "-json", f"-modfile={file.name}", "./..."], env=_go_env(),
                        cwd=ROOT / "go/kube")
              for file in sorted(ROOT.glob("go/kube/k8s-*.mod"))]
    # Without cgo every test compiles, and calls answer that they are not supported.
    others += [shell.run(["go", "test", "-count=1", "-json", "-run=^TestWithoutCgo$", "./..."], env={"CGO_ENABLED": "0"}, cwd=ROOT / folder)
               for folder in ("go", "go/kube")]
    bench = shell.run(["go", "vet", "./..."], env=_go_env(), cwd=ROOT / "tests/bench/go")
    # The Cluster Autoscaler's snapshot, with libsched, without cgo and without its tag; and what tests it.
    for env, folders in ((_go_env("libsched"), ("tests/autoscaler/contract", "tests/autoscaler", "examples/go/cluster_autoscaler")),
                         ({"CGO_ENABLED": "0", "GOFLAGS": "-tags=libsched"}, ("examples/go/cluster_autoscaler",)),
                         ({"CGO_ENABLED": "0"}, ("examples/go/cluster_autoscaler",))):
        others += [shell.run(["go", "test", "-count=1", "-json", "./..."], env=env, cwd=ROOT / folder) for folder in folders]
    return (counts.of_program(vet) + counts.of_go_json(test) + counts.of_go_json(kube) + counts.of_go_json(shared) +
            sum(map(counts.of_go_json, others), Counts()) + counts.of_program(bench))


def run_goldens(shell):
    once(shell, "build of libsched_cycles", ["packaging/build.sh", "release", "libsched_cycles"])
    install_python(shell)
    result = shell.run([VENV_BIN / "python", "tests/conformance/conformance.py", "--goldens",
                        "tests/goldens", "--libsched", VENV_BIN / "libsched"])
    return counts.of_closing_line(result)


_SANITIZER_ENV = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
    "LIBSCHED_SANITIZED": "1",  # tests that measure memory or time, or run for long, may do less
}


# Kinds of recorded cases that a program without Python answers, and how many of each.
ANSWERED_BY_PROGRAM = "schedule,podgroup,cel,celany,dra,dra2,drascore,draclasses"
RECORDED_BY_ZIG = 60


def run_by_zig(preset, wrapper=()):
    """A part's function: the unit tests, and recorded verdicts of the real framework, built by zig's compiler.

    After fork(2) neither zig's malloc nor threads under qemu 7 work in the child, so tests of it are left out. As under
    sanitizers, tests that run for long do less.
    """
    def run(shell):
        layers = {path.relative_to(ROOT).parts[1] for path in ROOT.glob("libsched/**/*_test.cpp")}
        targets = sorted(f"libsched_{layer}_test" for layer in layers)
        once(shell, f"tests by zig, {preset}", ["packaging/zig/unit.sh", preset, *targets, "libsched_cycles"])
        total = at_once(lambda target: counts.of_doctest(shell.run(
            [*wrapper, BUILD / preset / "unit" / target, "--test-case-exclude=fork:*"], env=_SANITIZER_ENV)), targets)
        program = " ".join([*wrapper, str(BUILD / preset / "cycles/libsched_cycles")])
        return total + counts.of_closing_line(shell.run(
            [VENV_BIN / "python", "tests/conformance/conformance.py", "--goldens", "tests/goldens", "--libsched", program,
             "--kinds", ANSWERED_BY_PROGRAM, "--first", RECORDED_BY_ZIG, "--timeout", 600,
             "--out", BUILD / "conformance" / preset]))
    run.__name__ = preset
    return run


def _asan_builds():
    """With clang, whose build of the library the fuzzers need anyway, or GCC if clang is missing."""
    return [("asan-ubsan" if CLANG() else "fuzz", ())]


def run_asan(shell):
    [(preset, _)] = _asan_builds()
    total = run_unit(shell, preset, env=_SANITIZER_ENV)
    return total + run_ctests(shell, preset, env=_SANITIZER_ENV)


def _thread_tests():
    """The test programs with such tests; building the others would waste minutes."""
    layers = {path.relative_to(ROOT).parts[1] for path in ROOT.glob("libsched/**/*_test.cpp")
              if re.search(r'TEST_CASE\("[^"]*thread', path.read_text())}
    programs = [path.stem for path in ROOT.glob("tests/capi/*thread*_test.c")]
    return sorted([f"libsched_{layer}_test" for layer in layers]
                  + [f"capi_{name}" for name in programs] + ["libsched_cycles"])


RECORDED_WITH_THREADS = 200  # scripts of mode cycles


def _tsan_builds():
    return [("tsan-gcc" if CLANG() else "tsan", _thread_tests())]


def run_tsan(shell):
    """Tests with "thread" in their name or file name, and recorded scripts with threads for bindings."""
    [(preset, targets)] = _tsan_builds()
    # GCC 12's run time does not work with a randomised address space.
    still = ["setarch", "--addr-no-randomize"]
    wrapper = still if shell.run([*still, "true"]).code == 0 else []
    total = run_unit(shell, preset, arguments=["--test-case=*thread*"], env=_SANITIZER_ENV,
                     wrapper=wrapper, targets=targets)
    total += run_ctests(shell, preset, env=_SANITIZER_ENV, wrapper=wrapper, only="thread",
                        targets=targets)
    recorded = shell.run([*wrapper, BUILD / preset / "cycles/libsched_cycles", "--wall",
                          "tests/goldens/1.36/schedule.cycles.jsonl.xz", RECORDED_WITH_THREADS],
                         env=_SANITIZER_ENV)
    return total + counts.of_closing_line(recorded)


PARTS = (
    Part("setup", "a second setup has nothing to do", run_setup),
    Part("unit", "C++ unit tests", run_unit),
    Part("c", "C tests of the ABI", functools.partial(run_ctests, targets=("ctests",))),
    Part("growth", "twice the document is twice the work", growth.run, needs=(growth.needs,)),
    Part("structure", "layers, names, sizes, paths",
         pytest("structure", "tests/structure"), needs=(python_packages("pytest"),)),
    Part("package", "headers, symbols, pkg-config and find_package consumers, examples",
         pytest("package", "tests/package", before=(build_release, install_python)),
         needs=(python_packages("pytest"),)),
    Part("python", "Python package and command line",
         pytest("python", "python/tests", "tests/evaluate tests/conformance tests/remote tests/cases",
                before=(build_release, install_python)),
         needs=(python_packages("pytest", "numpy", "kubernetes", "prometheus_client"),)),
    Part("page", "the HTML page of a decision in a headless browser",
         pytest("page", "tests/page", before=(build_release, install_python)),
         needs=(python_packages("pytest"), tool("chromium"), tool("chromedriver"))),
    Part("docs", "the documentation site and the code blocks of its pages",
         pytest("docs", "tests/docs", before=(build_release, install_python)),
         needs=(python_packages("pytest", "numpy"), go_version, docs_packages)),
    Part("java", "Java bindings by SWIG and their example",
         pytest("java", "tests/java", before=(build_release,)),
         needs=(python_packages("pytest"), tool("swig"), tool("javac"), tool("java"))),
    Part("go", "Go module: vet and tests under the race detector", run_go, needs=(go_version,)),
    Part("static", "libsched.a: symbols, C and Go programs without shared objects",
         pytest("static", "tests/static", before=(build_static("gnu"),), env={"LIBSCHED_STATIC_LIBC": "gnu"}),
         needs=(python_packages("pytest", "pyarrow"), go_version, sources("simdjson"))),
    Part("musl", "libsched.a for musl by zig, tested as static",
         pytest("musl", "tests/static", before=(build_static("musl"),), env={"LIBSCHED_STATIC_LIBC": "musl"}),
         needs=(python_packages("pytest", "pyarrow"), go_version, zig,
                sources("simdjson", "libyaml", "zlib", "xz-utils", "libzstd")), by_name=True),
    Part("libcxx", "unit tests and recorded verdicts, by clang with libc++ and musl", run_by_zig("libcxx"),
         needs=(zig,), by_name=True),
    Part("aarch64", "unit tests and recorded verdicts, for aarch64 under qemu",
         run_by_zig("aarch64", wrapper=["qemu-aarch64"]),
         needs=(zig, tool("qemu-aarch64", ": Debian's package qemu-user")), by_name=True),
    Part("s390x", "unit tests and recorded verdicts, for s390x, which is big endian, under qemu",
         run_by_zig("s390x", wrapper=["qemu-s390x"]),
         needs=(zig, tool("qemu-s390x", ": Debian's package qemu-user")), by_name=True),
    Part("release", "wheels and Go modules: what is in them, and that they run where there is nothing else",
         pytest("release", "tests/release/test_wheel.py", "tests/release/test_go_modules.py",
                before=(build_wheels, build_archives)),
         needs=(python_packages("pytest", "auditwheel", "wheel"), go_version, tool("debootstrap"),
                tool("qemu-aarch64", ": Debian's package qemu-user")), by_name=True),
    Part("bare", "the demo and the C tests on a bare machine of Debian 12",
         pytest("bare", "tests/release/test_bare.py"),
         needs=(python_packages("pytest"), superuser, tool("debootstrap")), by_name=True),
    Part("fresh", "both commands, installation, wheel and packages on bare machines of Debian 12 and 13",
         pytest("fresh", "tests/release/test_fresh.py", timeout=4 * 3600),
         needs=(python_packages("pytest"), superuser, tool("debootstrap")), by_name=True),
    Part("topolvm", "a public extender that is built from Go modules",
         pytest("topolvm", "tests/topolvm", before=(build_release, install_python)),
         needs=(python_packages("pytest"), go_version), by_name=True),
    Part("debian", "Debian packages: lintian, and that they run in fresh roots and leave no trace",
         pytest("debian", "tests/release/test_debian.py", before=(build_debian_packages,)),
         needs=(python_packages("pytest"), superuser, tool("debootstrap"), tool("lintian")), by_name=True),
    Part("reproducible", "a release is made twice at two places, and its files are equal",
         pytest("reproducible", "tests/release/test_reproducible.py", before=(build_release_twice,)),
         needs=(python_packages("pytest", "scikit_build_core"), superuser, tool("debootstrap")), by_name=True),
    Part("goldens", "conformance with recorded verdicts of the real framework", run_goldens),
    Part("asan", "unit and C tests under AddressSanitizer and UBSan", run_asan, builds=_asan_builds),
    Part("tsan", "thread tests under ThreadSanitizer", run_tsan, builds=_tsan_builds),
    Part("calls", "random C calls on threads under ThreadSanitizer", fuzzing.run_threads, needs=(CLANG,), by_name=True),
    Part("fuzz", "fuzzers: corpus, then a bounded time each", fuzzing.run, needs=(CLANG,)),
)
