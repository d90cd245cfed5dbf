"""Tables of results, which other libraries read through Arrow's C data interface."""

from __future__ import annotations

import csv
import importlib
import io
import os
from collections.abc import Iterator
from typing import Any, Union

from . import _core
from ._arguments import names_arguments
from .errors import FileError

_CSV, _JSON = 0, 1


@names_arguments
class ResultTable:
    """A table of results. It never changes.

    Arrow libraries read it without a copy (``pyarrow.table(table)``, ``polars.DataFrame(table)``).
    Times are durations in nanoseconds there; in CSV and JSON, and in `rows`, they are seconds.
    """

    __slots__ = ("_handle", "name")

    def __init__(self, name: str, handle: _core.Table) -> None:
        self.name: str = name
        self._handle = handle

    def __len__(self) -> int:
        return self._handle.size()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._handle.stream()

    def csv(self) -> bytes:
        """Returns the table as CSV with a header, in UTF-8."""
        pieces: list[bytes] = []
        self._handle.write(_CSV, pieces.append)
        return b"".join(pieces)

    def json(self) -> bytes:
        """Returns the table as a JSON array of objects, in UTF-8."""
        pieces: list[bytes] = []
        self._handle.write(_JSON, pieces.append)
        return b"".join(pieces)

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file: CSV, or JSON if its name ends in ``.json``.

        Raises
        ------
        FileError
        """
        name = os.fspath(path)
        try:
            with open(name, "wb") as opened:
                self._handle.write(_JSON if name.endswith(".json") else _CSV, opened.write)
        except OSError as error:
            raise FileError(f"{name}: {error.strerror}") from None

    def rows(self) -> Iterator[dict[str, str]]:
        """Iterates over the rows as texts by column; null is an empty text."""
        yield from csv.DictReader(io.StringIO(self.csv().decode(), newline=""))

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame with times in seconds. Null is NaN."""
        pandas = importlib.import_module("pandas")
        return pandas.read_csv(io.BytesIO(self.csv()), keep_default_na=False, na_values=[""])


    def __repr__(self) -> str:
        return f"<ResultTable {self.name}: {len(self):,} row{'s' * (len(self) != 1)}>"


def columns(table: ResultTable, *names: str) -> list[list[Any]]:
    """Returns columns of numbers, as floats, for plots and reports; texts stay texts."""
    found: list[list[Any]] = [[] for _ in names]
    for row in table.rows():
        for column, name in zip(found, names):
            try:
                column.append(float(row[name]))
            except ValueError:
                column.append(row[name])
    return found
