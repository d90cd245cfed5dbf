"""Documents made of the assets in ``page``: self-contained, with a policy that allows their own parts alone."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import importlib.resources
from collections.abc import Mapping


def document(name: str, title: str, style: str, script: str = "", *, kind: str = "",
             **parts: str) -> str:
    """Returns an asset with its placeholders filled in."""
    scripts = f"script-src {_hash(script)}; " if script else ""
    policy = f"default-src 'none'; {scripts}style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    head = _filled("head.html", {"policy": policy, "title": html.escape(title), "class": kind, "style": style})
    return _filled(name, {"head": head, "script": script, **parts})


@functools.cache
def asset(name: str) -> str:
    return (importlib.resources.files(__package__) / "page" / name).read_text(encoding="utf-8")


def _filled(name: str, parts: Mapping[str, str]) -> str:
    # A single pass, so that placeholders within the inserted parts are not replaced.
    pieces = asset(name).split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
