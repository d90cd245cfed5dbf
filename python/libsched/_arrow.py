"""Columns as a stream of Arrow's C interface, made with ctypes.

Everything that a consumer gets stays alive in `_kept` until the consumer calls `release`. A consumer
may move a struct, and children apart from their parent, so each struct has an entry of its own.
"""

from __future__ import annotations

import array
import ctypes
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_kept: dict[int, Any] = {}
_numbers = itertools.count(1)
_pointer = ctypes.c_void_p
_NULLABLE = 2
_NAME = b"arrow_array_stream"  # a capsule borrows it


class _Schema(ctypes.Structure):
    _fields_ = [("format", _pointer), ("name", _pointer), ("metadata", _pointer),
                ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", _pointer),
                ("dictionary", _pointer), ("release", _pointer), ("private_data", _pointer)]


class _Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("buffers", _pointer), ("children", _pointer),
                ("dictionary", _pointer), ("release", _pointer), ("private_data", _pointer)]


class _Stream(ctypes.Structure):
    _fields_ = [("get_schema", _pointer), ("get_next", _pointer), ("get_last_error", _pointer),
                ("release", _pointer), ("private_data", _pointer)]


_Release: Callable[[Any], Any] = ctypes.CFUNCTYPE(None, _pointer)
_Get: Callable[[Any], Any] = ctypes.CFUNCTYPE(ctypes.c_int, _pointer, _pointer)
_Text: Callable[[Any], Any] = ctypes.CFUNCTYPE(_pointer, _pointer)


def stream(columns: Mapping[str, Sequence[Any]], rows: int) -> Any:
    """Returns a capsule ``arrow_array_stream`` of one batch: texts, int64, double and bool.

    The type of a column is that of its first value that is not None; a column of None is of texts.
    """
    made = _Stream()
    made.get_schema = _address(_get_schema)
    made.get_next = _address(_get_next)
    made.get_last_error = _address(_get_last_error)
    made.release = _address(_release_stream)
    made.private_data = _keep({"columns": dict(columns), "rows": rows, "read": False})
    address = ctypes.addressof(made)
    _capsules[address] = made
    return _new_capsule(address, _NAME, _address(_destroy))


def _keep(what: Any) -> int:
    number = next(_numbers)
    _kept[number] = what
    return number


def _address(function: Any) -> int:
    found = ctypes.cast(function, _pointer).value
    assert found is not None
    return found


def _kind(column: Sequence[Any]) -> str:
    for value in column:
        if isinstance(value, bool):
            return "b"
        if isinstance(value, int):
            return "l"
        if isinstance(value, float):
            return "g"
        if value is not None:
            break
    return "U"


def _fill_schema(schema: Any, kind: str, name: str, children: Sequence[Any]) -> None:
    texts = [ctypes.create_string_buffer(text.encode()) for text in (kind, name)]
    pointers = (ctypes.c_void_p * max(1, len(children)))(*map(ctypes.addressof, children))
    schema.format, schema.name = map(ctypes.addressof, texts)
    schema.metadata = schema.dictionary = None
    schema.flags = 0 if children else _NULLABLE
    schema.n_children = len(children)
    schema.children = ctypes.addressof(pointers) if children else None
    schema.release = _address(_release_schema)
    schema.private_data = _keep((texts, pointers, children))


def _fill_array(filled: Any, rows: int, nulls: int, buffers: Sequence[bytes | None],
                children: Sequence[Any]) -> None:
    # An empty buffer has an address, too.
    owned = [None if one is None else ctypes.create_string_buffer(one, len(one) + 8)
             for one in buffers]
    starts = (ctypes.c_void_p * len(owned))(
        *[None if one is None else ctypes.addressof(one) for one in owned])
    pointers = (ctypes.c_void_p * max(1, len(children)))(*map(ctypes.addressof, children))
    filled.length, filled.null_count, filled.offset = rows, nulls, 0
    filled.n_buffers, filled.buffers = len(owned), ctypes.addressof(starts)
    filled.n_children = len(children)
    filled.children = ctypes.addressof(pointers) if children else None
    filled.dictionary = None
    filled.release = _address(_release_array)
    filled.private_data = _keep((owned, starts, pointers, children))


def _bits(flags: Sequence[Any]) -> bytes:
    packed = bytearray((len(flags) + 7) // 8)
    for index, flag in enumerate(flags):
        if flag:
            packed[index >> 3] |= 1 << (index & 7)
    return bytes(packed)


def _column(column: Sequence[Any]) -> Any:
    kind, made = _kind(column), _Array()
    there = [value is not None for value in column]
    nulls = there.count(False)
    buffers: list[bytes | None] = [_bits(there) if nulls else None]
    if kind == "b":
        buffers.append(_bits(column))
    elif kind == "U":
        texts = [b"" if value is None else str(value).encode() for value in column]
        ends = itertools.accumulate(map(len, texts), initial=0)
        buffers += [array.array("q", ends).tobytes(), b"".join(texts)]
    else:
        numbers = (0 if value is None else value for value in column)
        buffers.append(array.array("q" if kind == "l" else "d", numbers).tobytes())
    _fill_array(made, len(column), nulls, buffers, [])
    return made


@_Get
def _get_schema(stream: int, out: int) -> int:
    columns = _kept[_Stream.from_address(stream).private_data]["columns"]
    children = []
    for name, column in columns.items():
        child = _Schema()
        _fill_schema(child, _kind(column), name, [])
        children.append(child)
    _fill_schema(_Schema.from_address(out), "+s", "", children)
    return 0


@_Get
def _get_next(stream: int, out: int) -> int:
    state = _kept[_Stream.from_address(stream).private_data]
    filled = _Array.from_address(out)
    if state["read"]:
        filled.release = None  # the end of the stream
        return 0
    state["read"] = True
    _fill_array(filled, state["rows"], 0, [None], [_column(one) for one in
                                                   state["columns"].values()])
    return 0


@_Text
def _get_last_error(stream: int) -> None:
    return None


def _release(kind: Any, address: int) -> None:
    released = kind.from_address(address)
    for index in range(released.n_children if hasattr(released, "n_children") else 0):
        child = ctypes.c_void_p.from_address(
            released.children + index * ctypes.sizeof(ctypes.c_void_p)).value
        if child and kind.from_address(child).release:
            _release(kind, child)
    _kept.pop(released.private_data, None)
    released.release = None


@_Release
def _release_schema(address: int) -> None:
    _release(_Schema, address)


@_Release
def _release_array(address: int) -> None:
    _release(_Array, address)


@_Release
def _release_stream(address: int) -> None:
    _release(_Stream, address)


_capsules: dict[int, _Stream] = {}
# Prototypes of its own: those of ctypes.pythonapi are shared with other users.
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, _pointer, ctypes.c_char_p, _pointer)(
    ("PyCapsule_New", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(_pointer, _pointer, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


@_Release
def _destroy(capsule: int) -> None:
    address = _capsule_pointer(capsule, _NAME)
    if address is not None:
        if _Stream.from_address(address).release:
            _release(_Stream, address)
        _capsules.pop(address, None)
