"""libsched.so exports exactly the listed functions, and the headers declare them."""

import re

import project

WRITTEN = project.ROOT / "capi" / "libsched.symbols"


def exported():
    lines = project.run("nm", "-D", "--defined-only", project.LIBRARY).splitlines()
    return {line.split()[-1] for line in lines}


def names():
    """Exported functions, without the version node itself."""
    return sorted(symbol.split("@")[0] for symbol in exported() if not symbol.startswith("LIBSCHED_"))


def declared():
    text = "".join(header.read_text() for header in project.HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    text = re.sub(r"typedef struct \w+ \{.*?\} \w+;", "", text, flags=re.DOTALL)
    return sorted(set(re.findall(r"\b(libsched_\w+)\s*\((?!\*)", text)))


def test_exported_symbols_are_those_written_down():
    """After an intended change: nm -D --defined-only build/release/lib/libsched.so names them."""
    assert names() == WRITTEN.read_text().split()


def test_exported_symbols_are_those_declared():
    assert names() == declared()


def test_every_symbol_carries_the_version_of_the_abi():
    base = (project.INCLUDE / "libsched" / "base.h").read_text()
    node = "LIBSCHED_" + re.search(r"LIBSCHED_ABI_VERSION (\d+)", base)[1]
    assert not [symbol for symbol in exported() - {node} if not symbol.endswith("@@" + node)]


def test_the_library_is_named_by_its_abi():
    dynamic = project.run("readelf", "-dW", project.LIBRARY)
    assert re.search(r"SONAME.*\[libsched\.so\.0\.\d+\]", dynamic)
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic


def test_nothing_of_the_build_machine_is_in_the_library():
    found = project.run("strings", "-n", "6", project.LIBRARY)
    assert str(project.ROOT) + "/" not in found
