"""The C ABI stays what programs were built with: that of each recorded release in packaging/abi.

After a change that is meant, and only before the release is out: packaging/abi/record.sh VERSION.
"""

import gzip
import re
import shutil
import subprocess
import sys

import project
import pytest

RECORDED = project.ROOT / "packaging" / "abi"
VERSIONS = sorted(path.name for path in RECORDED.iterdir() if path.is_dir() and (path / "capi.abi.gz").exists())
FOLDERS = {"capi": project.INCLUDE, "net": project.NET_INCLUDE}


def stub(headers, out):
    """The ABI of headers as a shared object."""
    project.run(sys.executable, RECORDED / "stub.py", headers, "--needs", project.INCLUDE, "--out", out)
    return out


# A struct with a struct_size may grow at its end: no program that was built before notices.
GROWN = re.compile(r"^'struct \w+' changed:\n  type size changed from (\d+) to \d+ \(in bits\)\n"
                   r"  \d+ data member insertions?:\n((?:    '[^']*', at offset \d+ \(in bits\) at [^\n]*\n)+)", re.MULTILINE)


def harmless(match):
    """"" for a struct that has grown beyond its former size, else the text as it is."""
    offsets = [int(offset) for offset in re.findall(r"at offset (\d+)", match[2])]
    return "" if min(offsets) >= int(match[1]) else match[0]


def differences(version, library, headers, folder):
    """What a program built with a recorded release would notice of other headers; "" if nothing."""
    abidiff = project.need("abidiff")
    old = folder / "old.abi"
    old.write_bytes(gzip.decompress((RECORDED / version / f"{library}.abi.gz").read_bytes()))
    done = subprocess.run([abidiff, "--no-added-syms", "--leaf-changes-only", old, stub(headers, folder / "new.so")],
                          check=False, text=True, capture_output=True)
    assert done.returncode & 3 == 0, done.stderr  # abidiff itself has failed
    said = "".join(line for line in done.stdout.splitlines(keepends=True)
                   if line.strip() and not re.match(r"(Leaf changes|Changed leaf types) summary", line)
                   and not re.match(r"Removed/Changed/Added \w+ summary: 0 Removed, 0 Changed,", line))
    return GROWN.sub(harmless, said).strip()


def test_a_release_is_recorded():
    assert VERSIONS


@pytest.mark.parametrize("library", FOLDERS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_abi_is_that_of_the_release(version, library, tmp_path):
    found = differences(version, library, FOLDERS[library], tmp_path)
    assert not found, f"{found}\nA struct grows at its end alone, and functions stay as they are (CONTRIBUTING.md)."


def changed(tmp_path, pattern, replacement):
    """Headers with one change."""
    folder = tmp_path / "include"
    shutil.copytree(project.INCLUDE, folder)
    count = 0
    for header in sorted(folder.rglob("*.h")):
        text, here = re.subn(pattern, replacement, header.read_text(), count=1)
        header.write_text(text)
        count += here
        if count:
            return folder
    raise AssertionError(f"no header has {pattern}")


@pytest.mark.parametrize("pattern, replacement", [
    (r"\nlibsched_rc libsched_cluster_fork\([^;]*;", ""),
    (r"(?<=libsched_rc libsched_cluster_fork\()libsched_cluster \*", "const libsched_str *"),
    (r"libsched_clock \*clock; /\* NULL: the machine's\. A", r"int64_t inserted; libsched_clock *clock; /* A"),
    (r"int64_t provision_ns;", "int32_t provision_ns;"),
], ids=["a function less", "a parameter of another type", "a member in the middle", "a member of another type"])
def test_the_gate_sees(pattern, replacement, tmp_path):
    assert differences(VERSIONS[0], "capi", changed(tmp_path, pattern, replacement), tmp_path)


@pytest.mark.parametrize("pattern, replacement", [
    (r"(int64_t provision_ns;[^}]*)\}", r"\1 int64_t appended; }"),
    (r"(\nlibsched_rc libsched_cluster_fork\([^;]*;)", r"\1 int libsched_new_function(int number);"),
], ids=["a member at the end", "a function more"])
def test_the_gate_lets_pass(pattern, replacement, tmp_path):
    assert not differences(VERSIONS[0], "capi", changed(tmp_path, pattern, replacement), tmp_path)


SHOP = project.ROOT / "examples" / "clusters" / "shop.yaml"
TRAIN = project.ROOT / "examples" / "clusters" / "pods" / "train.yaml"


@pytest.mark.parametrize("program, arguments", [("fit.c", [SHOP, TRAIN]),
                                                ("more_nodes.c", [SHOP, TRAIN, 20, "gpu-train-b-2", 3])])
def test_programs_of_the_oldest_headers_run(program, arguments, tmp_path):
    """Programs that were compiled with the oldest recorded headers run with today's library."""
    project.run("tar", "-C", tmp_path, "-xzf", RECORDED / VERSIONS[0] / "headers.tar.gz")
    cjson = project.run("pkg-config", "--cflags", "--libs", "libcjson").split()
    project.run("cc", "-std=c11", f"-I{tmp_path / 'capi/include'}", project.ROOT / "examples" / "c" / program,
                f"-L{project.LIBRARY.parent}", "-lsched", f"-Wl,-rpath,{project.LIBRARY.parent}", *cjson,
                "-o", tmp_path / "old")
    today = project.RELEASE / "examples" / f"example_c_{program.removesuffix('.c')}"
    assert project.run(tmp_path / "old", *arguments) == project.run(today, *arguments)
