"""Pages of the C headers: one for each, and a list of them."""

import pathlib

from reference import model
from reference.page import Pages, place

NAME = "c"
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = "reference/c/index.md"


def pages():
    headers = model.read_reference(ROOT)
    made = Pages(headers)
    lines = ["# C and C++", "",
             "The headers are the manual of the C API: each function with its errors, ownership and threads. C++ programs use the same "
             "functions, by `libsched/libsched.hpp`, and `libsched/plugin.hpp` makes plugins of C++ classes "
             "([plugin guide](../../plugins.md)).", "",
             "| header | functions | |", "|---|---:|---|"]
    for header in headers:
        functions = sum(symbol.kind == "function" for symbol in header.symbols)
        about = header.about.text.split(". ")[0].removesuffix(".").replace("|", "\\|")
        lines.append(f"| [{header.name}]({place(header)}.md) | {functions or ''} | {about} |")
    yield "All headers", LIST, "\n".join([*lines, ""])
    for header in headers:
        yield header.name, f"reference/c/{place(header)}.md", made.markdown(header)
