"""The package as a whole: doctests, types, the stub of the extension module, versions."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import libsched
from libsched import _core

MODULES = ["libsched", *(module.name for module in
                         pkgutil.walk_packages(libsched.__path__, "libsched.") if module.name not in
                         ("libsched._core", "libsched.__main__"))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = sum(len(test.examples) for name in MODULES
                for test in finder.find(importlib.import_module(name)))
    assert found > 30


def test_everything_public_is_documented():
    for name in libsched.__all__:
        thing = getattr(libsched, name)
        if inspect.isclass(thing):
            assert inspect.getdoc(thing), name
            for method, value in vars(thing).items():
                if inspect.isfunction(value) and not method.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{method}"


def test_versions():
    assert re.fullmatch(r"\d+\.\d+\.\d+", libsched.__version__)
    assert libsched.k8s_version == "1.36"
    assert _core.abi_version() == _core.ABI_VERSION


def test_the_stub_knows_the_extension_module():
    """Every class, method and function of the module, and no other, is in the stub."""
    stub = (pathlib.Path(libsched.__file__).parent / "_core.pyi").read_text()
    declared = set()
    owner = ""
    for line in stub.splitlines():
        if found := re.match(r"class (\w+)", line):
            owner = found[1]
            declared.add(owner)
        elif found := re.match(r"( *)def (\w+)", line):
            if found[2] != "__buffer__":  # only Python 3.12 lets it be seen
                declared.add(f"{owner}.{found[2]}" if found[1] else found[2])
    real = set()
    for name, thing in vars(_core).items():
        if inspect.isclass(thing):
            real.add(name)
            real |= {f"{name}.{method}" for method in vars(thing)
                     if not method.startswith("_") or method == "__init__"}
        elif callable(thing) and not name.startswith("_"):
            real.add(name)
    # Classes that Python code cannot make have an __init__ that only says so.
    real -= {name for name in real if name.endswith(".__init__")} - declared
    assert real == declared


def test_types(tmp_path):
    """The sources of the package and of tests/evaluate, with the settings of pyproject.toml."""
    pytest.importorskip("mypy")
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)],
                          cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_is_needed_at_run_time():
    """The package imports with the standard library alone."""
    code = ("import sys; before = set(sys.modules); import libsched, libsched.cli; "
            "print(*{name.split('.')[0] for name in set(sys.modules) - before})")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = set(sys.stdlib_module_names) | {"libsched"}
    assert set(done.stdout.split()) <= known


def test_the_package_says_that_it_is_typed():
    assert (pathlib.Path(libsched.__file__).parent / "py.typed").exists()
