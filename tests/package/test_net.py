"""libsched-net.so has the only sockets: its symbols, its dependencies, and its installation."""

import re

import project
import pytest

WRITTEN = project.ROOT / "net" / "libsched_net.symbols"
# What a program needs to open a connection, and libraries that do.
SOCKETS = re.compile(r"\b(socket|connect|getaddrinfo|sendto|recv|recvfrom|curl_\w+|SSL_\w+)\b")
NETWORK_LIBRARIES = re.compile(r"libcurl|libssl|libcrypto|libgnutls")


def undefined(library):
    return project.run("nm", "-D", "--undefined-only", library)


def needed(library):
    return re.findall(r"NEEDED.*\[(.*)\]", project.run("readelf", "-dW", library))


def test_the_core_opens_no_socket_and_links_no_network_library():
    assert not SOCKETS.findall(undefined(project.LIBRARY))
    assert not [name for name in needed(project.LIBRARY) if NETWORK_LIBRARIES.search(name)]


def test_the_check_finds_sockets():
    project.need_net()
    assert "curl_easy_perform" in SOCKETS.findall(undefined(project.NET_LIBRARY))
    assert [name for name in needed(project.NET_LIBRARY) if NETWORK_LIBRARIES.search(name)]


def test_exported_symbols_are_those_written_down_and_declared():
    project.need_net()
    lines = project.run("nm", "-D", "--defined-only", project.NET_LIBRARY).splitlines()
    symbols = {line.split()[-1] for line in lines} - {"LIBSCHED_NET_1"}
    assert all(symbol.endswith("@@LIBSCHED_NET_1") for symbol in symbols)
    names = sorted(symbol.split("@")[0] for symbol in symbols)
    assert names == WRITTEN.read_text().split()
    text = re.sub(r"/\*.*?\*/", "", "".join(h.read_text() for h in project.NET_HEADERS), flags=re.DOTALL)
    assert names == sorted(set(re.findall(r"\b(libsched_net_\w+)\s*\((?!\*)", text)))


def test_the_library_finds_the_core_beside_itself():
    project.need_net()
    dynamic = project.run("readelf", "-dW", project.NET_LIBRARY)
    assert re.search(r"SONAME.*\[libsched-net\.so\.0\.\d+\]", dynamic)
    assert re.findall(r"R(?:UN)?PATH.*\[(.*)\]", dynamic) == ["$ORIGIN"]
    assert str(project.ROOT) + "/" not in project.run("strings", "-n", "6", project.NET_LIBRARY)


@pytest.mark.parametrize("compiler", [["gcc", "-x", "c", "-std=c11", "-Wstrict-prototypes"],
                                      ["g++", "-x", "c++", "-std=c++20"]], ids=["c11", "c++20"])
def test_the_header_compiles_alone(compiler):
    project.run(*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", project.INCLUDE,
                "-I", project.NET_INCLUDE, "-", text="#include <libsched/net.h>\n#include <libsched/net.h>\n")


PROGRAM = """#include <libsched/net.h>
#include <stdio.h>
int main(void) { puts(libsched_net_version()); return 0; }
"""


def test_pkg_config(prefix, tmp_path):
    project.need_net()
    libraries = next(prefix.rglob("libsched-net.so")).parent
    env = {"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
    flags = project.run("pkg-config", "--cflags", "--libs", "libsched-net", env=env).split()
    project.run("gcc", "-x", "c", "-", "-x", "none", *flags, f"-Wl,-rpath,{libraries}", "-o", tmp_path / "x",
                text=PROGRAM)
    assert project.run(tmp_path / "x").startswith("0.")


def test_find_package(prefix, tmp_path):
    project.need_net()
    (tmp_path / "x.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\nfind_package(libsched REQUIRED)\n"
        "add_executable(x x.c)\ntarget_link_libraries(x libsched::net)\n")
    project.run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    project.run("cmake", "--build", tmp_path / "b")
    assert project.run(tmp_path / "b" / "x").startswith("0.")
