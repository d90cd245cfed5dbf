"""Every public header compiles alone, as C11 and as C++20, without a warning."""

import re

import project
import pytest

STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I", project.INCLUDE]
NAMES = [str(header.relative_to(project.INCLUDE)) for header in project.HEADERS]


def test_there_are_headers():
    assert "libsched.h" in NAMES and len(NAMES) > 4


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compiler", [["gcc", "-x", "c", "-std=c11", "-Wstrict-prototypes"],
                                      ["g++", "-x", "c++", "-std=c++20"]],
                         ids=["c11", "c++20"])
def test_header_compiles_alone(compiler, name):
    project.run(*compiler, *STRICT, "-", text=f"#include <{name}>\n#include <{name}>\n")


@pytest.mark.parametrize("name", ["libsched.hpp", "plugin.hpp"])
def test_a_header_for_cpp_compiles_alone(name):
    project.run("g++", "-x", "c++", "-std=c++20", *STRICT, "-Wconversion", "-",
                text=f"#include <libsched/{name}>\n#include <libsched/{name}>\n")


def test_every_handle_has_an_owner_in_cpp():
    made = re.findall(r"void libsched_(\w+)_unref\(", "".join(header.read_text() for header in project.HEADERS))
    owned = re.findall(r"LIBSCHED_SDK_OWNED\((\w+)\)", (project.INCLUDE / "libsched" / "libsched.hpp").read_text())
    assert sorted(made) == sorted(set(owned) - {"name"}) and len(made) > 30


def test_init_macros_are_usable_in_both_languages(tmp_path):
    """Each LIBSCHED_X_INIT starts a struct of its type, with its size and nothing else set."""
    text = "".join(header.read_text() for header in project.HEADERS)
    names = sorted(set(re.findall(r"#define LIBSCHED_(\w+)_INIT\b", text)))
    assert names
    lines = ["#include <libsched.h>", "int main(void) {"]
    for name in names:
        lines.append(f"  {{ struct libsched_{name.lower()} x = LIBSCHED_{name}_INIT;"
                     " if (x.struct_size != sizeof x) return 1; }")
    source = "\n".join(lines + ["  return 0;", "}"])
    for compiler in (["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++20"]):
        program = tmp_path / "init"
        project.run(*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", project.INCLUDE,
                    "-o", program, "-", text=source)
        project.run(program)


def test_version_is_the_same_everywhere():
    base = (project.INCLUDE / "libsched" / "base.h").read_text()
    header = ".".join(re.search(rf"LIBSCHED_VERSION_{part} (\d+)", base)[1]
                      for part in ("MAJOR", "MINOR", "PATCH"))
    assert f"Version: {header}\n" in (project.RELEASE / "libsched.pc").read_text()
    assert project.run(project.ROOT / "packaging" / "version.sh") == f"{header}\n"
    for other in ("CMakeLists.txt", "pyproject.toml", "packaging/debian/rules", "packaging/deb.sh"):
        assert header not in re.sub("(?m)#.*", "", (project.ROOT / other).read_text()), f"{other} has a version of its own"
    assert f"## {header}" in (project.ROOT / "CHANGELOG.md").read_text()
