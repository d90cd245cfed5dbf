"""The installed library has the hardening of cmake/hardening.cmake."""

import platform
import re

import project
import pytest

MODULE = next((project.ROOT / ".venv" / "lib").glob("python3*/site-packages/libsched/_core*.so"), None)
BUILT = [pytest.param(project.LIBRARY, id="library"), pytest.param(MODULE, id="module")]


@pytest.mark.parametrize("built", BUILT)
def test_relocations_are_read_only(built):
    """Memory that the loader filled in is read-only afterwards."""
    dynamic = project.run("readelf", "-dW", built)
    assert "BIND_NOW" in dynamic or "NOW" in re.search(r"FLAGS_1.*", dynamic)[0]
    segments = project.run("readelf", "-lW", built)
    assert "GNU_RELRO" in segments


@pytest.mark.parametrize("built", BUILT)
def test_no_memory_is_writable_and_executable(built):
    segments = project.run("readelf", "-lW", built)
    flags = dict(re.findall(r"^ +(\w+) +0x.* ([R ][W ][E ]) +0x\w+$", segments, re.MULTILINE))
    assert flags["GNU_STACK"] == "RW "
    assert not re.findall(r" RWE +0x", segments)


@pytest.mark.parametrize("built", BUILT)
def test_stacks_have_canaries(built):
    assert "__stack_chk_fail" in project.run("nm", "-D", "--undefined-only", built)


def test_calls_of_the_c_library_are_checked():
    checked = re.findall(r"__(\w+)_chk\b", project.run("nm", "-D", "--undefined-only", project.LIBRARY))
    assert checked


@pytest.mark.skipif(platform.machine() != "x86_64", reason="an x86 instruction")
def test_functions_begin_with_landing_pads():
    """Code has endbr64, so that processors with this check refuse other targets of indirect jumps."""
    content = project.LIBRARY.read_bytes()
    loads = [[int(number, 16) for number in line.split()[1:5]]
             for line in project.run("readelf", "-lW", project.LIBRARY).splitlines()
             if line.split()[:1] == ["LOAD"]]
    functions = re.findall(r"^(\w+) T (libsched_\w+)", project.run("nm", "-D", project.LIBRARY), re.MULTILINE)
    assert functions
    for address, name in functions:
        place = int(address, 16)
        offset = next(place - start + at for at, start, _, size in loads if start <= place < start + size)
        assert content[offset:offset + 4] == b"\xf3\x0f\x1e\xfa", name
