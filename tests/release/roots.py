"""Roots of Debian releases, in which programs run as on a machine that has nothing else."""

import contextlib
import os
import pathlib
import platform
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
SHOP = ROOT / "examples" / "clusters" / "shop.yaml"
TRAIN = ROOT / "examples" / "clusters" / "pods" / "train.yaml"


def run(*command, cwd=ROOT, code=0):
    """Runs a program; fails with its output unless it exits with `code`. Returns what it printed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{command} exited with {done.returncode}:\n{done.stdout}"
    return done.stdout


@contextlib.contextmanager
def at_most(seconds):
    """Fails if what runs inside takes more, on the clock as well unless other programs make the machine busy."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    began, before = time.monotonic(), used()
    yield
    took, passed = used() - before, time.monotonic() - began
    print(f"installed and used in {took:.1f} s of processor time, {passed:.1f} s on the clock")
    assert took < seconds
    assert passed < seconds or os.getloadavg()[0] > os.cpu_count()


class Root:
    """A fresh root, a copy of one that debootstrap has made once."""

    def __init__(self, codename, folder, *packages):
        name = "-".join((codename, *packages)).replace("/", "_")
        made = BUILD / "roots" / name
        run(ROOT / "packaging" / "root.sh", codename, made, *packages)
        run("cp", "-a", made, folder)
        self.folder = folder

    def put(self, *files):
        """Copies files to /."""
        for file in files:
            shutil.copy(file, self.folder / pathlib.Path(file).name)

    def run(self, *command, code=0):
        """Runs a program in the root, without the variables of this process."""
        return run("env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", "chroot", self.folder, *command, code=code)

    def install(self, *packages):
        """Installs Debian packages."""
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)

    def packages(self):
        """The names of all packages that are installed, or have left anything."""
        return set(self.run("dpkg-query", "-W", "-f", "${Package}\n").split())

    def files(self):
        """The files of the root, but logs, caches and compiled Python."""
        skipped = {"proc", "sys", "dev", "tmp", "run", "var"}
        return {str(path.relative_to(self.folder)) for top in self.folder.iterdir() if top.name not in skipped
                for path in top.rglob("*") if "__pycache__" not in path.parts}


# Settings of this machine that programs need to reach the archives of packages.
_NETWORK = re.compile(r"(?i)(https?|no|all|ftp)_proxy|GO(PROXY|SUMDB|NOSUMDB|PRIVATE)|PIP_(INDEX|EXTRA|CERT|TRUSTED|DEFAULT).*"
                      r"|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE")
_NETWORK_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf",
                  str(pathlib.Path.home() / ".config/pip/pip.conf"))


def _prints(*command, otherwise):
    try:
        return run(*command).strip() or otherwise
    except (AssertionError, OSError):
        return otherwise


class Machine(Root):
    """A fresh machine of a Debian release with git, make and ca-certificates alone, and a clone of this checkout.

    The clone, of the last commit, is where this checkout is on the host, so that the compiler's cache serves both. The
    caches of apt, the compiler, pip and Go are the host's. Mounts belong to the command that runs, so none is left over.
    """

    def __init__(self, codename, folder):
        super().__init__(codename, folder, "git", "make", "ca-certificates")
        home = pathlib.Path.home()  # of both machines
        apt = BUILD / "roots" / "cache" / codename
        self._mounts = {
            apt: "var/cache/apt/archives", ROOT: "checkout",
            _prints("ccache", "--get-config", "cache_dir", otherwise=home / ".cache/ccache"): home / ".cache/ccache",
            _prints(sys.executable, "-m", "pip", "cache", "dir", otherwise=home / ".cache/pip"): home / ".cache/pip",
            _prints("go", "env", "GOMODCACHE", otherwise=home / "go/pkg/mod"): home / "go/pkg/mod",
            _prints("go", "env", "GOCACHE", otherwise=home / ".cache/go-build"): home / ".cache/go-build"}
        (apt / "partial").mkdir(parents=True, exist_ok=True)
        for name in _NETWORK_FILES:
            if os.path.exists(name):
                (folder / name[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(name, folder / name[1:])
        self.run("git", "clone", "-q", "/checkout", ROOT)

    def run(self, *command, code=0):
        """Runs a program in the clone, or in / before there is one, with devices, processes and caches."""
        steps = ["set -e", f"cd {shlex.quote(str(self.folder))}", "mount --rbind /dev dev", "mount --rbind /sys sys",
                 "mount -t proc proc proc"]
        for source, place in self._mounts.items():
            source, place = shlex.quote(str(source)), shlex.quote(str(place).lstrip("/"))
            steps.append(f"mkdir -p {source} {place}; mount --bind {source} {place}")
        steps.append('exec chroot . sh -c \'cd "$0" 2>/dev/null; exec "$@"\' "$@"')
        settings = [f"{name}={value}" for name, value in os.environ.items() if _NETWORK.fullmatch(name)]
        return run("env", "-i", f"HOME={pathlib.Path.home()}", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   "LANG=C.UTF-8", *settings, *(f"{name}={os.environ[name]}" for name in ("JOBS", "REQUIRE_ALL") if name in os.environ),
                   "unshare", "--mount", "--propagation", "slave", "sh", "-c", "\n".join(steps), "sh", ROOT, *command, code=code)

    def remove(self):
        """Removes the machine's files."""
        run("rm", "-rf", "--one-file-system", self.folder)


def closing_line(said):
    """The counts of the last line: passed, failed."""
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed(, \d+ skipped)?", said.splitlines()[-1])
    assert counts, said[-2000:]
    return int(counts[1]), int(counts[2])


def without_landing_pad(library):
    """The exported functions of a shared object that do not begin with endbr64."""
    content = library.read_bytes()
    loads = [[int(number, 16) for number in line.split()[1:5]]
             for line in run("readelf", "-lW", library).splitlines() if line.split()[:1] == ["LOAD"]]
    functions = re.findall(r"^(\w+) T (libsched_\w+|PyInit_\w+)", run("nm", "-D", library), re.MULTILINE)
    assert functions, library
    found = []
    for address, name in functions:
        place = int(address, 16)
        offset = next(place - start + at for at, start, _, size in loads if start <= place < start + size)
        if content[offset:offset + 4] != b"\xf3\x0f\x1e\xfa":
            found.append(name)
    return found


def is_for_x86_64(library):
    return "X86-64" in run("readelf", "-hW", library)


def checks_canaries(library):
    """Whether code reads the canary of its thread: zig's libraries have the function that ends the program inside.

    That is seen in code of x86-64 alone. Elsewhere it has no name, and the flags are the same.
    """
    return not is_for_x86_64(library) or "%fs:0x28" in run("objdump", "-d", "--no-show-raw-insn", library)


def check_hardening(objects):
    """Fails unless shared objects have the hardening of cmake/hardening.cmake."""
    checked = set()
    for library in objects:
        name = library.name
        dynamic = run("readelf", "-dW", library)
        segments = run("readelf", "-lW", library)
        assert re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic) or "BIND_NOW" in dynamic, f"{name}: no BIND_NOW"
        assert "GNU_RELRO" in segments, f"{name}: no RELRO"
        assert re.search(r"GNU_STACK .* RW  ", segments) and not re.search(r" RWE +0x", segments), f"{name}: memory is executable"
        imported = run("nm", "-D", "--undefined-only", library)
        assert "__stack_chk_fail" in imported or checks_canaries(library), f"{name}: no canaries"
        checked |= set(re.findall(r"__(\w+)_chk\b", imported))
        if is_for_x86_64(library):
            assert not without_landing_pad(library), name
    assert checked, "no call of the C library is checked"


def unpacked(codename, machine):
    """A folder with Python of a Debian release for another machine, for qemu."""
    folder = BUILD / "roots" / f"{codename}-{machine}"
    run(ROOT / "packaging" / "foreign.sh", codename, {"aarch64": "arm64"}[machine], folder, "python3", "libpython3-dev")
    return folder


def start_of(machine, codename="bookworm"):
    """The command that starts programs of a machine."""
    return [] if machine == platform.machine() else [f"qemu-{machine}", "-L", unpacked(codename, machine)]


def need_roots():
    """Roots can be made by the superuser alone."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("roots need debootstrap and the superuser")
