"""Pages about decisions: `explain_html` makes one self-contained HTML file of a scored result.

The page needs no network and runs no code but its own: its content security policy names the
hashes of its one script and one style sheet, and whatever comes from a cluster is text in it.
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
    """A page about one decision: nodes x plugins, sortable, with search and reasons.

    Parameters
    ----------
    decision : FitResult or mapping
        The answer of `Framework.score` or `Framework.fit`, or what its `to_dict` gives.
    compact : bool
        Less of it around the table, for a frame in a notebook.
    most_nodes : int
        Only that many nodes, the best ones; 0: all.

    Returns
    -------
    str
        One HTML document; write it to a file in UTF-8.

    Examples
    --------
    >>> page = explain_html({"pod": "default/<web>", "nodes": [], "feasible": []})
    >>> "<title>default/&lt;web&gt;" in page, "default/<web>" in page
    (True, False)
    """
    return page_of(page_data(decision, most_nodes), compact)


def page_of(data: Mapping[str, Any], compact: bool = False) -> str:
    """The document around what `page_data` gave."""
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
    # One pass: what is put in is not looked at again.
    pieces = _asset("page.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def _embedded(data: Mapping[str, Any]) -> str:
    """JSON in which nothing can end the script element around it, or begin anything."""
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
