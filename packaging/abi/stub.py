"""The C ABI that headers declare, as a shared object with debug information, for abidw and abidiff.

    stub.py FOLDER --out FILE.so [--needs FOLDER]        the headers of a folder, and those that they include

The object defines every declared function, with an empty body, so it has the types of all parameters, results
and structs. The library is compiled with the same headers, and tests/package compares its exported names with them;
so the stub stands for it, and no slow build with debug information is needed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

def headers_of(folder):
    """The C headers below a folder, as include lines name them."""
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*.h"))


def statements(text):
    """The declarations of a preprocessed header, each on a line, without those that have a body."""
    depth, begin = 0, 0
    for at, char in enumerate(text):
        if char in "{(":
            depth += 1
        elif char in "})":
            depth -= 1
        elif char == ";" and depth == 0:
            yield re.sub(r'^extern "C" \{', "", " ".join(text[begin:at].split())).strip()
            begin = at + 1


def functions(folder, flags):
    """The declarations of functions in the headers of a folder."""
    text = "".join(f"#include <{header}>\n" for header in headers_of(folder))
    out = subprocess.run(["cc", "-E", "-x", "c", *flags, "-"], input=text, check=True, text=True,
                         capture_output=True).stdout
    lines, here = [], False
    for line in out.splitlines():
        if line.startswith("#"):  # "# 12 "file" flags": where the lines that follow come from
            here = str(folder) in line
        elif here:
            lines.append(line)
    pattern = re.compile(r"(?!typedef|struct|enum|static)[^=(]*\blibsched_\w+\s*\(")
    return [one for one in statements("\n".join(lines)) if pattern.match(one)]


def build(folder, out, needs=()):
    """Compiles the stub."""
    flags = [f"-I{path}" for path in (folder, *needs)]
    declared = functions(folder, flags)
    if not declared:
        raise SystemExit("stub.py: the headers declare no function")
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work, "stub.c")
        source.write_text(
            "".join(f"#include <{header}>\n" for header in headers_of(folder)) +
            "".join(f"__attribute__((visibility(\"default\"))) {one} {{ __builtin_trap(); }}\n" for one in declared))
        subprocess.run(["cc", "-std=gnu2x", "-g", "-O0", "-w", "-shared", "-fPIC", "-fno-eliminate-unused-debug-types",
                        "-fvisibility=hidden", "-Wl,-soname,libsched.so", *flags, str(source), "-o", str(out)],
                       check=True)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--needs", action="append", default=[])
    given = parser.parse_args()
    build(given.folder, given.out, given.needs)


if __name__ == "__main__":
    sys.exit(main())
