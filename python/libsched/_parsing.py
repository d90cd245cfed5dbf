"""Parsing for Pod, Node and Objects, with errors that name places as the user knows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar

from . import _core
from ._arguments import flag, whole
from ._sources import Document, Source
from ._typos import kind_hint, quantity_hint
from .errors import Error, InvalidError, MisuseError

_One = TypeVar("_One")


class Contents(Protocol):
    """The contents of documents, for error messages; implemented by `Objects`."""

    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def skipped(self) -> list[dict[str, Any]]: ...


def parse(document: Document, **options: Any) -> _core.Objects:
    try:
        if document.path is not None:
            return _core.Objects.load(document.path, **options)
        return _core.Objects.parse(document.text, **options)
    except UnicodeEncodeError as error:
        raise InvalidError(f"the text is not Unicode: {error.reason}") from None
    except Error as error:
        _tell_place(error, document)
        raise
    except TypeError:
        for name, value in options.items():
            if name == "max_decompressed_bytes":
                whole(value, name, 0, (1 << 64) - 1)
            elif name != "classes":
                flag(value, name)
        raise


def _tell_place(error: Error, document: Document) -> None:
    """Adds a hint and the file to an error, and renames items of a List that `_sources` made."""
    error.message += quantity_hint(error.message)
    if document.path is not None and document.path not in error.message:
        error.message = f"{error.message} ({document.path})"
    if document.places and error.path.startswith("items["):
        index, _, rest = error.path[len("items["):].partition("]")
        if index.isdigit() and int(index) < len(document.places):
            error.path = document.places[int(index)] + rest


def implied(source: Source, kind: str) -> Source:
    """Returns a source with `kind` filled in if it is a dict without one."""
    if isinstance(source, dict) and "kind" not in source and (
            "metadata" in source or "spec" in source):
        return {"apiVersion": "v1", "kind": kind, **source}
    return source


def text_of(document: object) -> bytes | bytearray | memoryview:
    if isinstance(document, str):
        try:
            return document.encode()
        except UnicodeEncodeError as error:
            raise InvalidError(f"the text is not Unicode: {error.reason}") from None
    if isinstance(document, (bytes, bytearray, memoryview)):
        return document
    raise MisuseError(f"a document is a str or bytes, not a {type(document).__name__}")


def enveloped(message: bytes | bytearray | memoryview, kind: str) -> bytes:
    """Returns a protobuf message of `kind` in the envelope that names the kind, if it is in none."""
    if not isinstance(message, (bytes, bytearray, memoryview)):
        raise MisuseError(f"a protobuf message is bytes, not a {type(message).__name__}")
    raw = bytes(message)
    if not raw or raw.startswith(b"k8s\0"):
        return raw
    name = kind.encode()
    size, length = len(raw), bytearray()
    while size > 0x7f:
        length.append(size & 0x7f | 0x80)
        size >>= 7
    length.append(size)
    of_type = b"\n\x02v1\x12" + bytes([len(name)]) + name
    return b"k8s\0\n" + bytes([len(of_type)]) + of_type + b"\x12" + bytes(length) + raw


def copy_names(name: str, count: int, pattern: str) -> Iterator[str]:
    if count < 0:
        raise InvalidError(f"{count} copies: the number must not be negative")
    if count > 1 and "{index}" not in pattern:
        raise InvalidError(f'the name "{pattern}" needs {{index}}, or all copies have the same')
    return (pattern.replace("{name}", name).replace("{index}", str(index))
            for index in range(count))


def sums(counts: Iterable[Iterable[tuple[str, int]]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for entries in counts:
        for name, count in entries:
            if count:
                total[name] = total.get(name, 0) + count
    return total


def the_only(found: list[_One], kind: str, objects: Contents) -> _One:
    if len(found) == 1:
        return found[0]
    if not found:
        some(found, kind, objects)
    raise InvalidError(f"{len(found)} {kind}s where one is expected; libsched.Objects reads many")


def some(found: list[_One], kind: str, objects: Contents) -> list[_One]:
    if found:
        return found
    other = ", ".join(f"{count} {name}" for name, count in sorted(objects.counts.items()))
    skipped = ", ".join(f"{entry['count']} {entry['kind']}" for entry in objects.skipped)
    there = ", ".join(text for text in (other, skipped) if text)
    hint = kind_hint(objects.skipped)
    raise InvalidError(f"there is no {kind}" + (f", only {there}" if there else "")
                       + (f"; {hint}" if hint else ""))
