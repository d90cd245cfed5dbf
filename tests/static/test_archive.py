"""libsched.a defines the functions of the C API and nothing else, and needs nothing but the C library."""

import pathlib
import platform
import re

import pytest
from conftest import ROOT, run

SYMBOLS = (ROOT / "capi" / "libsched.symbols").read_text().split()


@pytest.fixture(scope="module")
def defined(static):
    """{name: (section, offset)} of the symbols that a program sees."""
    table = run("readelf", "-sW", static.archive)
    rows = re.findall(r"^ *\d+: (\w+) +\d+ \w+ +(GLOBAL|WEAK|UNIQUE) +\w+ +(\d+) (\S+)$", table, re.MULTILINE)
    return {name: (int(section), int(value, 16)) for value, _, section, name in rows}


@pytest.fixture(scope="module")
def needed(static):
    """Names that the archive needs, without those that may stay undefined."""
    return set(re.findall(r"^ +U (\S+)$", run("nm", "-u", static.archive), re.MULTILINE))


def test_only_the_c_api_is_global(defined):
    assert sorted(defined) == SYMBOLS


def test_it_is_one_object_without_section_groups(static):
    assert run("ar", "t", static.archive).split() == ["libsched.o"]
    assert "no section groups" in run("readelf", "-gW", static.archive)


def test_only_the_c_library_is_needed(static, needed, tmp_path):
    """The compiler's start files define __dso_handle, and the linker defines or replaces the others."""
    assert {"malloc", "getrandom", "pthread_atfork"} <= needed
    if static.libc == "musl":
        said = run(*static.cc, "-v", "-static", ROOT / "tests" / "consumers" / "consumer.c", "-o", tmp_path / "out",
                   *static.flags())
        archives = re.findall(r"\S+/lib(?:c|zigc|compiler_rt)\.a\b", said)
    else:
        folder = pathlib.Path(run(*static.cc, "-print-file-name=libc.a").strip()).parent
        archives = [folder / "libc.a", *folder.glob("libm[-.]*a")]
    assert len(archives) >= 2
    given = set()
    for path in archives:
        if pathlib.Path(path).read_bytes().startswith(b"!<arch>"):  # libm.a may be a linker script
            given |= set(re.findall(r" [A-TV-Zi] (\S+)$", run("nm", "-g", "--defined-only", path), re.MULTILINE))
    assert not needed - given - {"__dso_handle", "_GLOBAL_OFFSET_TABLE_", "__tls_get_addr"}


def test_it_never_asks_for_the_dynamic_loader(needed):
    assert not {name for name in needed if name.startswith(("dlopen", "dlsym", "dlclose"))}


def test_it_is_hardened(static, needed, defined):
    assert "__stack_chk_fail" in needed
    if static.libc == "gnu":  # musl has no checked functions
        assert [name for name in needed if name.endswith("_chk")]
    if platform.machine() == "x86_64":
        offsets = section_offsets(static.archive)
        content = static.archive.read_bytes()
        begin = content.index(b"\x7fELF")
        for name, (section, value) in defined.items():
            at = begin + offsets[section] + value
            assert content[at:at + 4] == b"\xf3\x0f\x1e\xfa", name  # endbr64


def section_offsets(archive):
    table = run("readelf", "-SW", archive)
    rows = re.findall(r"^ +\[ *(\d+)\] \S* +\w+ +\w+ (\w+) ", table, re.MULTILINE)
    return {int(number): int(offset, 16) for number, offset in rows}


def test_nothing_of_the_build_machine_is_in_it(static):
    assert str(ROOT) + "/" not in run("strings", "-n", "6", static.archive)
