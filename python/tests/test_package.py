"""The package as a whole: doctests, types, the stub of the extension module, versions."""

import doctest
import importlib
import ast
import inspect
import pathlib
import pkgutil
import pydoc
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


PUBLIC = sorted(name for name, value in vars(libsched).items()
                if not name.startswith("_") and not inspect.ismodule(value))


def test_help_is_an_overview():
    """The names that matter and an index, not the classes themselves."""
    text = pydoc.plain(pydoc.render_doc(libsched))
    assert len(text.splitlines()) < 180 and "CLASSES" not in text and "FUNCTIONS" not in text
    for name in PUBLIC:
        assert f"`{name}`" in libsched.__doc__, f"{name} is missing in the index"
    for name in re.findall(r"`(\w+)`", libsched.__doc__.split("matter most")[1].split("\n\n", 2)[2]):
        assert hasattr(libsched, name), name
    assert "Framework" in text and "sweep" in text


def test_type_checkers_know_the_public_names():
    tree = ast.parse(pathlib.Path(libsched.__file__).read_text())
    named = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)
                 and node.targets[0].id == "__all__")
    assert sorted(named) == PUBLIC


def test_everything_public_is_documented():
    for name in PUBLIC:
        thing = getattr(libsched, name)
        if inspect.isclass(thing):
            assert inspect.getdoc(thing), name
            for method, value in vars(thing).items():
                if inspect.isfunction(value) and not method.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{method}"


def test_versions():
    assert re.fullmatch(r"\d+\.\d+\.\d+", libsched.__version__)
    assert libsched.k8s_version == "1.37"
    assert _core.abi_version() == _core.ABI_VERSION


def test_the_stub_is_that_of_the_extension_module():
    """packaging/python_stub.py makes it. Texts of signatures differ between versions of pybind11."""
    pytest.importorskip("mypy")
    root = pathlib.Path(__file__).resolve().parents[2]
    pinned = re.search(r"^pybind11==(\S+)", (root / "packaging/requirements.txt").read_text(), re.M)
    if pytest.importorskip("pybind11").__version__ != pinned[1]:
        pytest.skip(f"the stub is made with pybind11 {pinned[1]}")
    made = subprocess.run([sys.executable, root / "packaging" / "python_stub.py"],
                          capture_output=True, text=True, check=True)
    assert (pathlib.Path(libsched.__file__).parent / "_core.pyi").read_text() == made.stdout


def test_types(tmp_path):
    """The sources of the package and of tests/evaluate, with the settings of pyproject.toml."""
    pytest.importorskip("mypy")
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)],
                          cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_types_of_a_users_program(tmp_path):
    pytest.importorskip("mypy")
    program = pathlib.Path(__file__).with_name("typed_program.py")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path), program],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    program = tmp_path / "wrong.py"
    program.write_text("import libsched\nscheduler = libsched.Framework(semantic='1.31')\nscheduler.fitt(libsched.Cluster())\n"
                       "number: int = scheduler.fit(libsched.Cluster(), 'p.yaml').nodes\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path), program],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.findall(r"py:(\d+): error: .*\[(.*)\]", done.stdout) == [("2", "call-arg"), ("3", "attr-defined"), ("4", "assignment")]


def test_nothing_is_needed_at_run_time():
    """The package imports with the standard library alone."""
    code = ("import sys; before = set(sys.modules); import libsched, libsched.cli; "
            "print(*{name.split('.')[0] for name in set(sys.modules) - before})")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    known = set(sys.stdlib_module_names) | {"libsched"}
    assert set(done.stdout.split()) <= known


def test_the_package_says_that_it_is_typed():
    assert (pathlib.Path(libsched.__file__).parent / "py.typed").exists()
