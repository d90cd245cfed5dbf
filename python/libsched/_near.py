"""The name that somebody may have meant."""

from __future__ import annotations

import difflib
import heapq
import os
from collections.abc import Iterable

_MOST_COMPARED = 50  # difflib takes a while for each


def near(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that is most like another; None if none is like it.

    >>> near("general-a-11", ["general-a-1", "general-b-1"]), near("x", ["web"])
    ('general-a-1', None)
    """
    names = heapq.nlargest(_MOST_COMPARED, known, key=lambda one: _common(name, one) + _common(name[::-1], one[::-1]))
    found = difflib.get_close_matches(name, names, 1)
    return found[0] if found else None


def hint(name: str, known: Iterable[str]) -> str:
    """Returns the end of an error's text that names the name that was meant; empty if none is like it.

    >>> hint("semantic", ["plugins", "semantics"])
    '; did you mean "semantics"?'
    """
    found = near(name, known) if isinstance(name, str) else None  # a wrong type has an error of its own
    return "" if found is None else f'; did you mean "{found}"?'


def _common(one: str, other: str) -> int:
    return len(os.path.commonprefix((one, other)))
