#!/usr/bin/env python3
"""The import path of the Go module, which is written in packaging/go-module.txt and nowhere else by hand.

    packaging/go_module.py                 prints what does not agree with that file; exit code 1 if anything
    packaging/go_module.py PATH            moves to another path, such as example.org/someone/libsched/go
    packaging/go_module.py PATH --in COPY  the same in another checkout or a copy of some of its folders

The path names the folder `go/` of the public repository once there is one; its last part does not matter to programs,
because the package is named libsched. Until then the path is `libsched`, which cannot be fetched, and programs use a
replace directive. Packages below it (kube, kube/snapshot) follow. With a path that can be fetched, the modules require
the version of the headers of each other, whose tags are go/vX.Y.Z and go/kube/vX.Y.Z.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
BELOW = r"(/kube(?:/[a-z]+)*)?"  # modules and packages of libsched that are not the root
SKIPPED = {"build", ".git", ".venv", "node_modules"}
DOCUMENTS = {".md"}


def path_of(root: pathlib.Path) -> str:
    """Returns the path that a checkout has."""
    return (root / "packaging" / "go-module.txt").read_text().strip()


def can_be_fetched(path: str) -> bool:
    return "." in path.split("/")[0]


def version_of(root: pathlib.Path, path: str) -> str:
    """Returns the version that modules require of each other."""
    if not can_be_fetched(path):
        return "v0.0.0"
    header = (root / "capi" / "include" / "libsched" / "base.h").read_text()
    numbers = re.findall(r"^#define LIBSCHED_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)
    assert len(numbers) == 3, "base.h has the version"
    return f"v{'.'.join(numbers)}"


def files(root: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the files that may name the path: Go sources, go.mod files and documents with programs in Go."""
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root).parts
        if not SKIPPED & set(inner) and path.is_file() and (path.suffix in {".go", *DOCUMENTS} or path.name == "go.mod"):
            yield path


def renamed(name: str, text: str, old: str, new: str, version: str) -> str:
    """Returns the text of a file with another path."""
    before = re.escape(old)
    if name.endswith(".go") or name.endswith(".md"):
        # An import: a path in quotes that is alone on its line, or follows `import` or a name for the package.
        text = re.sub(rf'^(\s*(?:import )?(?:[\w.]+ )?)"{before}{BELOW}"((?: *//.*)?)$', rf'\1"{new}\2"\3', text,
                      flags=re.MULTILINE)
        text = re.sub(rf'(`import )"{before}{BELOW}"', rf'\1"{new}\2"', text)
    if name.endswith("go.mod") or name.endswith(".md"):
        text = re.sub(rf"^(\s*(?:module )?){before}{BELOW}$", rf"\1{new}\2", text, flags=re.MULTILINE)
        text = re.sub(rf"^(\s*(?:require )?){before}{BELOW} v[0-9.]+$", rf"\1{new}\2 {version}", text, flags=re.MULTILINE)
        text = re.sub(rf"^(\s*(?:replace )?){before}{BELOW} =>", rf"\1{new}\2 =>", text, flags=re.MULTILINE)
        text = re.sub(rf"(-require ){before}{BELOW}@v[0-9.]+", rf"\1{new}\2@{version}", text)
        text = re.sub(rf"(-replace ){before}{BELOW}=", rf"\1{new}\2=", text)
    return text


def move(root: pathlib.Path, new: str) -> None:
    """Writes another path into all files of a checkout."""
    old = path_of(root)
    version = version_of(root, new)
    for path in files(root):
        text = path.read_text()
        changed = renamed(path.name, text, old, new, version)
        if changed != text:
            path.write_text(changed)
    (root / "packaging" / "go-module.txt").write_text(f"{new}\n")


def differences(root: pathlib.Path) -> list[str]:
    """Returns what does not agree with the path of a checkout."""
    path = path_of(root)
    version = version_of(root, path)
    found = []
    for module, folder in ((path, "go"), (f"{path}/kube", "go/kube")):
        if f"module {module}\n" not in (root / folder / "go.mod").read_text():
            found.append(f"{folder}/go.mod: the module is not {module}")
    for file in files(root):
        name = str(file.relative_to(root))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if file.name == "go.mod":
                required = re.fullmatch(rf"\s*(?:require )?{re.escape(path)}{BELOW} (v\S+)", line)
                if required and required[2] != version:
                    found.append(f"{name}:{number}: requires {required[2]}, not {version}")
            elif file.suffix == ".go":
                # The package of a path that ends in libsched, or in /go or /kube below one, is one of ours.
                imported = re.fullmatch(rf'\s*(?:import )?(?:[\w.]+ )?"((?:\S+/)?libsched(?:/go)?{BELOW})"', line)
                if imported and not re.fullmatch(rf"{re.escape(path)}{BELOW}", imported[1]):
                    found.append(f"{name}:{number}: imports {imported[1]}, not {path}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", help="the new path")
    parser.add_argument("--in", dest="root", type=pathlib.Path, default=ROOT, help="another checkout")
    options = parser.parse_args()
    if options.path is None:
        found = differences(options.root)
        print("\n".join(found), end="\n" * bool(found))
        return 1 if found else 0
    if not re.fullmatch(r"[a-z0-9][a-z0-9.~_-]*(/[A-Za-z0-9][A-Za-z0-9.~_-]*)*", options.path):
        print(f"go_module.py: {options.path!r} is no import path", file=sys.stderr)
        return 2
    move(options.root, options.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
