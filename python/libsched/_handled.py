"""Handled: the base of objects that hold an object of the extension."""

from __future__ import annotations

from typing import Any, Self


class Handled:
    """Has a handle, of which objects are made without a call of ``__init__``."""

    __slots__ = ("_handle",)

    _handle: Any

    @classmethod
    def _of(cls, handle: Any) -> Self:
        made = object.__new__(cls)
        made._handle = handle
        return made
