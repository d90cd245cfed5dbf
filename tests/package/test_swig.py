"""The interface for SWIG holds every header, and serves languages without typemaps of their own: here Python."""

import re
import sysconfig

import project

SWIG = project.ROOT / "bindings" / "swig"


def test_the_interface_includes_every_header():
    included = re.findall(r"%include <(libsched/\w+\.h)>", (SWIG / "libsched.i").read_text())
    umbrella = (project.INCLUDE / "libsched.h").read_text()
    assert included == re.findall(r"#include <(libsched/\w+\.h)>", umbrella)


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
