"""HTML pages about decisions: `explain_html` makes a self-contained file of a result.

A page needs no network and runs only its own code: its content security policy lists the hashes of
its script and style sheet, and data from a cluster is embedded as text.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import importlib.resources
import json
from collections.abc import Mapping
from typing import Any

from .data import Decision, page_data

__all__ = ["Decision", "explain_html", "page_data"]

_SCRIPTS = ("model.js", "cells.js", "table.js", "panels.js", "main.js")


def explain_html(decision: Decision, *, compact: bool = False, most_nodes: int = 0) -> str:
    """Returns a page about a decision: nodes by plugins, with sorting, search and reasons.

    Parameters
    ----------
    decision : FitResult or mapping
        A result of `Framework.score` or `Framework.fit`, or its `to_dict`.
    compact : bool
        Show little but the table, for a frame in a notebook.
    most_nodes : int
        Show only that many nodes, the best ones; 0 means all.

    Returns
    -------
    str
        An HTML document, to be written in UTF-8.

    Examples
    --------
    >>> page = explain_html({"pod": "default/<web>", "nodes": [], "feasible": []})
    >>> "<title>default/&lt;web&gt;" in page, "default/<web>" in page
    (True, False)
    """
    return page_of(page_data(decision, most_nodes), compact)


def page_of(data: Mapping[str, Any], compact: bool = False) -> str:
    """Returns the document for the result of `page_data`."""
    style, script = _asset("page.css"), _script()
    parts = {
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
                  "base-uri 'none'; form-action 'none'",
        "title": html.escape(f"{data['pod'] or 'pod'} · libsched explain"),
        "class": "compact" if compact else "full",
        "style": style,
        "script": script,
        "data": _embedded(data),
    }
    # A single pass, so that placeholders within the inserted parts are not replaced.
    pieces = _asset("page.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def _embedded(data: Mapping[str, Any]) -> str:
    """Returns JSON without characters that could end the script element around it."""
    text = json.dumps(data, separators=(",", ":"))  # ASCII only: U+2028 and the like are escaped
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@functools.cache
def _script() -> str:
    body = "\n".join(_asset(name) for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'


@functools.cache
def _asset(name: str) -> str:
    return (importlib.resources.files(__package__) / "page" / name).read_text(encoding="utf-8")
