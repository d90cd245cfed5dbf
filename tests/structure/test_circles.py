"""Python modules do not import each other in a circle, and C++ files do not include each other in one.

Every Python import counts, even one for type checkers alone (`if TYPE_CHECKING`) and one inside a
function: a module that names another module's types cannot be understood without it. The packages around
an imported module do not count, although Python runs their `__init__`, because those import all their modules.
"""

import ast
import pathlib
import re

import sources

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
CPP = {".cpp", ".hpp", ".c", ".h"}
# The compilers look in these folders for a header that is not beside the including file.
FOLDERS = (".", "capi/include", "capi/src")


def circle(graph):
    """The nodes of a circle in a graph {node: its successors}, in order; None without a circle."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):]
        if node in done:
            return None
        path.append(node)
        for successor in sorted(graph.get(node, ())):
            if found := visit(successor):
                return found
        path.pop()
        done.add(node)
        return None

    return next((found for node in sorted(graph) if (found := visit(node))), None)


def module_of(path, root):
    """The dotted name of a file below `root`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(text, module, is_package, modules):
    """The modules among `modules` that a module with this text imports."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            inner = {f"{source}.{name.name}" for name in node.names} & modules
            found |= inner
            if len(inner) < len(node.names):  # a name that is no module but is defined in one
                found.add(source)
    return (found & modules) - {module}


def python_graph(folder):
    """The imports of each module of the package in a folder."""
    paths = [path for path in sources.files() if path.suffix in (".py", ".pyi") and folder in path.parents]
    modules = {module_of(path, folder.parent): path for path in paths}
    return {module: imports(sources.text(path), module, path.name == "__init__.py", set(modules))
            for module, path in modules.items()}


def cpp_graph():
    """The project's own headers that each C or C++ file includes."""
    files = {path for path in sources.files() if path.suffix in CPP}
    graph = {}
    for path in files:
        graph[str(path)] = {
            str(found) for header in INCLUDE.findall(sources.text(path) or "")
            if (found := next((place for folder in (path.parent, *FOLDERS)
                               if (place := pathlib.Path(folder) / header) in files), None))}
    return graph


def test_no_circle_of_python_imports():
    for folder in ("python/libsched", "tests/evaluate/libsched_evaluate"):
        graph = python_graph(pathlib.Path(folder))
        assert len(graph) > 5 and sum(map(len, graph.values())) > len(graph)
        assert circle(graph) is None


def test_no_circle_of_includes():
    graph = cpp_graph()
    assert len(graph) > 100 and sum(map(len, graph.values())) > len(graph)
    assert circle(graph) is None


def test_the_checks_find_what_they_should():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None
    modules = {"p", "p.a", "p.b", "p.q", "p.q.c"}
    text = "from . import a\nif TYPE_CHECKING:\n    from .b import B\ndef f():\n    import p.q.c\n"
    assert imports(text, "p", True, modules) == {"p.a", "p.b", "p.q.c"}
    assert imports("from . import made\nfrom ..a import x\n", "p.q.c", False, modules) == {"p.q", "p.a"}
    assert imports("from .. import b, version\n", "p.q", True, modules) == {"p.b", "p"}
    assert imports("import os, p\nfrom json import loads\n", "p.a", False, modules) == {"p"}
