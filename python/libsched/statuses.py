"""NodeStatuses: why each node does not take a pod. PostFilter plugins get one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import _core
from ._arguments import checks_arguments, names_arguments, text
from ._handled import Handled
from .errors import NotFoundError
from .status import Code, Status, status_of
from .view import View


@names_arguments
class NodeStatuses(Handled):
    """The reasons why each node of a view does not take a pod: upstream's NodeToStatus.

    Parameters
    ----------
    statuses : mapping from node name to Status, optional
    absent : Status, optional
        The status of all other nodes; UnschedulableAndUnresolvable by default.
    """

    __slots__ = ("_absent", "_statuses")

    _handle: _core.NodeStatuses | None

    @checks_arguments
    def __init__(self, statuses: Mapping[str, Status] | Iterable[tuple[str, Status]] = (),
                 absent: Status | None = None) -> None:
        self._handle = None
        self._statuses = dict(statuses)
        # Compared with None, because a Status that is no success is false.
        self._absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE) if absent is None else absent

    def on(self, view: View) -> _core.NodeStatuses:
        """Returns the handle for a call on `view`. Nodes that the view lacks are left out."""
        if self._handle is not None:
            return self._handle
        made = _core.NodeStatuses()
        if self._absent is not None:
            made.set_absent(*_parts(self._absent))
        for name, status in self._statuses.items():
            row = view._handle.find_node(name)
            if row is not None:
                made.set(row, *_parts(status))
        return made

    def __getitem__(self, node: str) -> Status:
        """Returns the status of a node.

        Raises
        ------
        NotFoundError
            There is no such node. Only statuses that a plugin is given can tell.
        """
        if self._handle is None:
            return self._statuses.get(text(node, "node"), self._absent)
        return status_of(self._handle.get(self._row(self._handle, node)))

    def code(self, node: str) -> Code:
        """Returns the code of a node's status."""
        if self._handle is None:
            return self[node].code
        return Code(self._handle.code(self._row(self._handle, node)))

    @staticmethod
    def _row(handle: _core.NodeStatuses, node: str) -> int:
        row = handle.row(node)
        if row is None:
            raise NotFoundError(f'no node "{node}"')
        return row


def _parts(status: Status) -> tuple[int, list[str], str | None]:
    reasons = list(status.reasons)
    if status._error is not None:
        return int(status.code), reasons[1:], status._error
    return int(status.code), reasons, None
