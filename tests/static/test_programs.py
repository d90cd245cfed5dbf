"""Programs in C and C++ that are linked to libsched.a as a user links them."""

import pytest
from conftest import HERE, LIBC, ROOT, run

CAPI = ROOT / "tests" / "capi"
# Of the tests of the C API, those about what depends on the C library or the link. The test of memory asks glibc,
# and zig's own malloc does not survive fork(2) (docs/static.md).
OF_LIBC = {"gnu": ("fork", "loop", "memory", "reentry", "runtime", "threads", "worker_threads"),
           "musl": ("loop", "reentry", "runtime", "threads", "worker_threads")}


def test_a_program_without_shared_objects(static, tmp_path, alone):
    program = static.link(tmp_path / "consumer", ROOT / "tests" / "consumers" / "consumer.c")
    assert "There is no dynamic section" in run("readelf", "-d", program)
    assert alone(program).splitlines()[0].startswith("libsched 0.")


def test_a_program_with_a_shared_c_library(static, tmp_path):
    """It needs no other shared object, above all no libsched.so and no C++ library."""
    if static.libc == "musl":
        pytest.skip("the system has no musl to run it")
    program = static.link(tmp_path / "consumer", ROOT / "tests" / "consumers" / "consumer.c", static=False)
    needed = [line.split("[")[1].rstrip("]") for line in run("readelf", "-dW", program).splitlines()
              if "(NEEDED)" in line]
    assert "libc.so.6" in needed
    assert not [name for name in needed if not name.startswith(("libc.so", "libm.so", "ld-linux"))]
    assert run(program).startswith("libsched 0.")


def test_shared_objects_are_refused(static, tmp_path, alone):
    said = alone(static.link(tmp_path / "refusing", HERE / "refusing.c"))
    assert said.startswith('cannot load "plugin.so"') and "static library" in said and "libsched_registry_add" in said


@pytest.mark.parametrize("kind", ["static", "static-pie", "shared"])
def test_exceptions_inside_find_their_handlers(static, tmp_path, kind):
    if static.libc == "musl" and kind == "shared":
        pytest.skip("the system has no musl to run it")
    extra = ["-static-pie"] if kind == "static-pie" else []
    program = static.link(tmp_path / "failing", HERE / "failing.c", *extra, "-Wl,--wrap=malloc", static=kind == "static")
    assert "allocations failed" in run(program)


@pytest.mark.parametrize("fully", [True, False])
def test_a_program_may_have_functions_of_the_same_names(static, tmp_path, dumps, fully):
    if static.libc == "musl" and not fully:
        pytest.skip("the system has no musl to run it")
    program = static.link(tmp_path / "clashing", HERE / "clashing.cpp", cxx=True, static=fully)
    paths = sorted(dumps.iterdir())
    assert run(program, *paths).splitlines() == ["41 nodes"] * len(paths) + ["caught in a thread, the program's zlib"]


@pytest.mark.parametrize("name", OF_LIBC[LIBC])
def test_tests_of_the_c_api(static, tmp_path, name):
    source = CAPI / f"{name}_test.c"
    assert source.exists()
    program = static.link(tmp_path / name, source, f'-DLIBSCHED_SOURCE_DIR="{ROOT}"')
    run(program, cwd=ROOT)


def test_find_package(static, tmp_path):
    """CMake's package has the archive as libsched::static, beside the shared library."""
    if static.libc == "musl":
        pytest.skip("the CMake package is the system's")
    prefix = tmp_path / "prefix"
    run("cmake", "--install", ROOT / "build" / "release", "--prefix", prefix)
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\nfind_package(libsched 0.1 REQUIRED)\n"
        f"add_executable(x {ROOT}/tests/consumers/consumer.c)\n"
        "target_link_libraries(x PRIVATE libsched::static)\ntarget_link_options(x PRIVATE -static)\n")
    run("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "x").startswith("libsched 0.")
