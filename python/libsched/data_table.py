"""DataTable: columns of equal length, for notebooks, pandas, Arrow and files."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._arguments import names_arguments
from ._html import grid
from ._near import hint
from .errors import NotFoundError

if TYPE_CHECKING:
    import numpy
    import numpy.typing


class Tabular:
    """The base of results that are tables as well: their `table` has a row for each part."""

    __slots__ = ()

    def table(self) -> DataTable:
        """Returns the parts as a table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Returns the `table` as a pandas DataFrame."""
        return self.table().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)


@names_arguments
class DataTable:
    """A table of columns. Made by `sweep`, and by the method `table` of clusters' nodes and pods and of results.

    Arrow libraries read it (``pyarrow.table(table)``, ``polars.DataFrame(table)``). An absent value
    is None.

    >>> table = DataTable({"node": ["a", "b"], "cpu": [4000, 8000]})
    >>> table, list(table)[1], table.column("cpu").sum()
    (<DataTable: 2 rows of node, cpu>, {'node': 'b', 'cpu': 8000}, np.int64(12000))
    """

    __slots__ = ("columns",)

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        #: The columns by name, as lists.
        self.columns: dict[str, list[Any]] = {
            name: list(column) for name, column in columns.items()}

    def column(self, name: str) -> numpy.typing.NDArray[Any]:
        """Returns a column as a numpy array; texts and columns with None are of dtype object.

        Raises
        ------
        NotFoundError
            There is no such column.
        """
        import numpy

        try:
            values = self.columns[name]
        except KeyError:
            raise NotFoundError(f'no column "{name}"; there are: {", ".join(self.columns)}'
                                f"{hint(name, self.columns)}") from None
        plain = values and all(isinstance(value, (bool, int, float)) for value in values)
        return numpy.array(values, dtype=None if plain else object)

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame."""
        return importlib.import_module("pandas").DataFrame(self.columns)

    def csv(self) -> str:
        """Returns the table as CSV with a header; None is an empty text."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))
        return out.getvalue()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from . import _arrow  # ctypes takes a while

        return _arrow.stream(self.columns, len(self))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterates over the rows, as dicts."""
        for row in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataTable) and self.columns == other.columns

    def __repr__(self) -> str:
        count = len(self)
        return f"<DataTable: {count:,} row{'s' * (count != 1)} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return grid(self.columns, zip(*self.columns.values(), strict=True), len(self), "rows")


def table_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> DataTable:
    """Makes a table of rows."""
    listed = list(rows)
    return DataTable({name: [row[index] for row in listed] for index, name in enumerate(names)})
