"""The reference of the C headers as a part of the site, and a page of the site that lists its symbols.

The reference is a page of its own (`docs/reference`), with a search of its own; the list lets the site's search find
its symbols.
"""

import pathlib

from reference import model
from reference.__main__ import version_of
from reference.page import Page

NAME = "c"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = "reference/headers/index.html"


def pages():
    headers = model.read_reference(ROOT)
    yield "", PLACE, Page(headers).html(version_of(headers))
    lines = ["# C and C++", "",
             "The headers are the manual of the C API. [Their reference](headers/index.html) is one page, with each "
             "function, its errors, ownership and threads, and a search of its own (press `/`). This page lists the "
             "symbols by header. C++ programs use the same functions, and `libsched/plugin.hpp` makes plugins of C++ "
             "classes ([plugin guide](../plugins.md)).", ""]
    for header in (header for header in headers if header.symbols):
        lines += [f"## {header.name}", ""]
        shown = [f"[`{symbol.name}`](headers/index.html#{_anchor(symbol)})" for symbol in header.symbols]
        lines += [" · ".join(shown), ""]
    yield "C and C++", "reference/c.md", "\n".join(lines)


def _anchor(symbol):
    return f"enum-{symbol.name}" if symbol.kind == "enum" else symbol.name
