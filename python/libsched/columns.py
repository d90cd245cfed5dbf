"""Columns: the nodes of a view as numpy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import MOST, names_arguments, whole
from .errors import NotFoundError

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Array = numpy.typing.NDArray[Any]
    _Ints = numpy.typing.NDArray[numpy.int64]


@names_arguments
class Columns:
    """The nodes of a view as read-only numpy arrays with an element for each row.

    Rows without a node are 0 or None. Arrays are made once for each state of the view.

    >>> from libsched import Cluster
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a",
    ...     "labels": {"zone": "x"}}, "status": {"allocatable": {"cpu": "4"}}})
    >>> cluster.columns.allocatable("cpu"), cluster.columns.label("zone")
    (array([4000]), array(['x'], dtype=object))
    """

    __slots__ = ("_allocatable", "_requested", "_texts", "_version", "_view")

    def __init__(self, view: _core.View) -> None:
        self._view = view
        self._version = -1
        self._allocatable: dict[str, _Ints] = {}
        self._requested: dict[str, _Ints] = {}
        self._texts: dict[str | None, _Texts] = {}

    def allocatable(self, resource: str, *, missing: int | None = None) -> _Ints:
        """Returns a resource of the nodes: thousandths of ``"cpu"``, bytes of ``"memory"``, ...

        Parameters
        ----------
        resource : str
        missing : int, optional
            The value of every node if no node offers the resource and no pod requests it.

        Raises
        ------
        NotFoundError
            No node offers the resource, no pod requests it, and `missing` was not given.
        """
        return self._numbers(self._allocatable, self._view.allocatable_column, resource, missing)

    def requested(self, resource: str, *, missing: int | None = None) -> _Ints:
        """Returns the requests of the nodes' pods, with the units and errors of `allocatable`."""
        return self._numbers(self._requested, self._view.requested_column, resource, missing)

    def _numbers(self, made: dict[str, _Ints], read: Callable[[str], bytes], resource: str,
                 missing: int | None) -> _Ints:
        if missing is not None and type(missing) is not int:
            missing = whole(missing, "missing", -MOST - 1, MOST)
        self._refresh()
        found = made.get(resource)
        if found is not None:
            return found
        import numpy

        found = numpy.frombuffer(read(resource), numpy.int64)
        if not found.any():
            known = self._view.resources()
            if resource not in known:
                if missing is None:
                    raise NotFoundError(f'no node and no pod has the resource "{resource}"; there '
                                        f"are: {', '.join(sorted(known))}")
                found = numpy.full(len(found), missing, numpy.int64)
                found.flags.writeable = False
                return found
        made[resource] = found
        return found

    @property
    def names(self) -> _Array:
        """The nodes' names."""
        return self._text(None).array()

    def label(self, key: str) -> _Array:
        """Returns the values of a label; None for nodes without it."""
        return self._text(key).array()

    def label_codes(self, key: str) -> tuple[_Array, list[str]]:
        """Returns a label as indexes into a list of its distinct values; -1 for no such label."""
        text = self._text(key)
        return text.codes, text.values

    def _text(self, key: str | None) -> _Texts:
        self._refresh()
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = _Texts(key)
        if found.version != self._version:
            found.update(self._view)
            found.version = self._version
        return found

    def _refresh(self) -> None:
        version = self._view.version
        if version != self._version:
            self._version = version
            self._allocatable.clear()
            self._requested.clear()


class _Texts:
    """A column of texts. An update reads only rows whose node has changed."""

    __slots__ = ("_array", "_column", "codes", "values", "version")

    def __init__(self, key: str | None) -> None:
        self._column = _core.TextColumn(key)
        self._array: _Array | None = None
        self.codes: Any = None
        self.values: list[str] = []
        self.version = -1

    def update(self, view: _core.View) -> None:
        if self._column.update(view) or self.codes is None:
            import numpy

            self.codes = numpy.frombuffer(self._column.codes(), numpy.int32)
            self.values = self._column.values()
            self._array = None

    def array(self) -> _Array:
        if self._array is None:
            import numpy

            values = numpy.array([*self.values, None], dtype=object)  # -1 is the None at the end
            self._array = values[self.codes]
            self._array.flags.writeable = False
        return self._array
