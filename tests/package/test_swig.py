"""The headers pass through SWIG, which further languages are bound with; Python serves as one here."""

import sysconfig

import project

NAMES = ["base", "objects", "cluster", "framework", "evaluator", "scoring", "plugin"]


def test_headers_make_a_working_module(tmp_path):
    swig = project.need("swig")
    interface = tmp_path / "swigged.i"
    includes = "\n".join(f"%include <libsched/{name}.h>" for name in NAMES)
    interface.write_text("%module swigged\n%{\n#include <libsched.h>\n%}\n%include <stdint.i>\n"
                         + includes + "\n")
    assert {header.stem for header in project.HEADERS} - {"libsched"} <= set(NAMES)
    project.run(swig, "-python", "-Werror", "-w451", "-I" + str(project.INCLUDE),
                "-outdir", tmp_path, "-o", tmp_path / "swigged_wrap.c", interface)
    libraries = project.LIBRARY.parent
    project.run("gcc", "-shared", "-fPIC", "-O0", "-I", project.INCLUDE, "-I",
                sysconfig.get_paths()["include"], tmp_path / "swigged_wrap.c", "-o",
                tmp_path / "_swigged.so", "-L", libraries, "-lsched", f"-Wl,-rpath,{libraries}")
    program = "import swigged as s; print(s.libsched_version(), s.libsched_abi_version())"
    printed = project.run(project.ROOT / ".venv" / "bin" / "python", "-c", program,
                          env={"PYTHONPATH": str(tmp_path)})
    assert printed.startswith("0.")
