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


def _parameters(signature):
    """(name, whether it has a default) of each parameter in what pybind11 says of a function."""
    inside = signature[signature.index("(") + 1:signature.rindex(" -> ")].rstrip().removesuffix(")")
    parts, depth = [""], 0
    for character in inside:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [(part.split(":")[0].strip(), " = " in part) for part in parts
            if part.strip() not in ("", "*", "/")]


def test_the_stub_has_the_parameters_of_the_extension_module():
    """Their number, which may be left out and, where the module names them, their names."""
    stub = ast.parse((pathlib.Path(libsched.__file__).parent / "_core.pyi").read_text())
    functions = [(None, node) for node in stub.body] + [
        (owner, node) for owner in stub.body if isinstance(owner, ast.ClassDef)
        for node in owner.body]
    compared = 0
    for owner, node in functions:
        if not isinstance(node, ast.FunctionDef) or node.args.vararg or node.args.kwarg:
            continue
        thing = getattr(_core, owner.name) if owner else _core
        doc = getattr(getattr(thing, node.name, None), "__doc__", None) or ""
        first = doc.splitlines()[0] if doc else ""
        if not first.startswith(f"{node.name}(") or "*args" in first:  # overloads, or none of ours
            continue
        name = f"{owner.name}.{node.name}" if owner else node.name
        real = _parameters(first)
        arguments = node.args.posonlyargs + node.args.args
        optional = len(arguments) - len(node.args.defaults)
        declared = [(one.arg, i >= optional) for i, one in enumerate(arguments)] + [
            (one.arg, default is not None)
            for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
        assert len(real) == len(declared), name
        for (is_called, left_out), (called, may_be_left_out) in zip(real, declared, strict=True):
            assert left_out == may_be_left_out, f"{name}: {called}"
            assert is_called == called or re.fullmatch(r"arg\d+|self", is_called), f"{name}: {called}"
        compared += 1
    assert compared > 100


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
