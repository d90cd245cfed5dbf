"""The interface for SWIG covers every header, and works without typemaps of a language, as for Python here."""

import re
import sysconfig

import project

SWIG = project.ROOT / "bindings" / "swig"


def test_the_interface_includes_every_header():
    included = re.findall(r"%include <(libsched/\w+\.h)>", (SWIG / "libsched.i").read_text())
    umbrella = (project.INCLUDE / "libsched.h").read_text()
    assert included == re.findall(r"#include <(libsched/\w+\.h)>", umbrella)


def test_java_returns_what_functions_put_out():
    """Every function that fills `out` with a handle or a text returns it in Java, or is ignored."""
    interface = (SWIG / "java.i").read_text() + (SWIG / "libsched.i").read_text()
    ignored = set(re.findall(r"%ignore (libsched_\w+);", interface))
    handles, texts = set(), set()
    for header in [*sorted(project.INCLUDE.glob("libsched/*.h")), SWIG / "plugin.hpp"]:
        code = re.sub(r"/\*.*?\*/|LIBSCHED_OWN ", "", header.read_text(), flags=re.DOTALL)
        for name, parameters in re.findall(r"^(?:inline )?libsched_rc (libsched_\w+)\(([^;{]*)\) ?[;{]", code, re.MULTILINE):
            if name in ignored or re.search(r"\bsize_t capacity\b", parameters):
                continue
            if found := re.search(r"(libsched_\w+) ?\*\* ?out\b", parameters):
                (texts if found[1] == "libsched_text" else handles).add(
                    name if found[1] == "libsched_text" else (found[1], name))
            elif re.search(r"libsched_str \*out\b", parameters):
                texts.add(name)
    assert handles == set(re.findall(r"^%gives\((libsched_\w+), (libsched_\w+)\)", interface, re.MULTILINE))
    assert texts == set(re.findall(r"^%gives_text\((libsched_\w+)\)", interface, re.MULTILINE))
    made = set(re.findall(r"%made\((libsched_\w+)\)", interface))
    assert {kind for kind, _ in handles} <= made


def test_headers_make_a_working_module(tmp_path):
    swig = project.need("swig")
    project.run(swig, "-c++", "-python", "-module", "swigged", "-Werror", "-w451",
                "-I" + str(project.INCLUDE), "-I" + str(SWIG), "-outdir", tmp_path,
                "-o", tmp_path / "swigged_wrap.cpp", SWIG / "libsched.i")
    libraries = project.LIBRARY.parent
    project.run("g++", "-std=c++20", "-shared", "-fPIC", "-O0", "-I", project.INCLUDE, "-I", SWIG,
                "-I", sysconfig.get_paths()["include"], tmp_path / "swigged_wrap.cpp", "-o",
                tmp_path / "_swigged.so", "-L", libraries, "-lsched", f"-Wl,-rpath,{libraries}")
    program = "import swigged as s; print(s.version(), s.abiVersion(), s.ERR_LIMIT)"
    printed = project.run(project.ROOT / ".venv" / "bin" / "python", "-c", program,
                          env={"PYTHONPATH": str(tmp_path)})
    assert printed.startswith("0.") and printed.endswith(" -7\n")
