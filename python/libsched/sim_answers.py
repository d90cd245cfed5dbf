"""The answers of a `Sim`, and the place behind which its searches begin."""

from __future__ import annotations

import dataclasses
import enum
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import names_arguments
from ._sim_numbers import natural
from .fork import Fork
from .status import Code

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Ids = numpy.typing.NDArray[numpy.uint64]
    _Array = numpy.typing.NDArray[Any]


class Stage(enum.IntEnum):
    """How far a pod came."""

    PASSED = 0
    PREFILTER_REJECTED = 1
    PREFILTER_EXCLUDED = 2
    FILTER_REJECTED = 3
    NO_NODE = 4


@dataclasses.dataclass(frozen=True, slots=True)
class SimVerdict:
    """Whether a pod fits, and if not, why. True if it fits.

    Attributes
    ----------
    stage : Stage
        PREFILTER_REJECTED: a PreFilter plugin rejected the pod, or failed; PREFILTER_EXCLUDED:
        PreFilter plugins narrowed the nodes to others; FILTER_REJECTED: a Filter plugin rejected the
        node, or failed; NO_NODE: no node passed the filters.
    code : Code
        Of the plugin's status; SUCCESS where there is none.
    plugin : str
        The plugin that rejected; empty where there is none.
    reasons : tuple of str
        The plugin's reasons.
    excluders : tuple of str
        The plugins that narrowed the nodes, sorted by name.
    """

    stage: Stage = Stage.PASSED
    code: Code = Code.SUCCESS
    plugin: str = ""
    reasons: tuple[str, ...] = ()
    excluders: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.stage is Stage.PASSED

    @property
    def message(self) -> str:
        """All reasons in one text."""
        return ", ".join(self.reasons)

    def __repr__(self) -> str:
        by = self.plugin or ", ".join(self.excluders)
        return (f"<SimVerdict {self.stage.name}{f' by {by}' if by else ''}"
                f"{f': {self.message}' if self.reasons else ''}>")




@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """The answer of `Sim.first`. True if a node was found.

    Attributes
    ----------
    node : int
        The node's id; 0 if none was found.
    position : int
        The node's position in the order that was searched.
    pod : int
        The id of the pod that was put there; 0 if none was.
    verdict : SimVerdict
        Why no node was found.
    """

    node: int
    position: int
    pod: int
    verdict: SimVerdict

    def __bool__(self) -> bool:
        return self.node != 0


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The answer of `Sim.place_many`.

    Attributes
    ----------
    hits : structured numpy array of shape (pods,)
        Fields ``node``, ``pod`` and ``position`` of uint64: the node's id, the id of the pod that
        was put there and the node's position. Node and pod are 0 for a pod that found no node.
    count : int
        How many pods found one.
    ended : bool
        Whether the timeout or `cancel` ended the call. The pods placed before that stay.
    """

    hits: _Array
    count: int
    ended: bool


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """The answer of `Sim.bin_pack`. As a context manager it reverts at the end, unless it was
    committed.

    Attributes
    ----------
    nodes : numpy array of uint64
        The ids of the new nodes.
    on_node : numpy array of int32 of shape (pods,)
        Of each pod, in the order of the groups: the index in `nodes`; -1: not placed; -2: on a node
        that was there already.
    pods : numpy array of uint64 of shape (pods,)
        The id of each pod; 0: not placed.
    count : int
        How many pods were placed.
    stop : {"", "nodes", "deadline", "permit"}
        Why it ended; empty: all pods were tried.
    """

    nodes: _Ids
    on_node: _Array
    pods: _Ids
    count: int
    stop: str
    _fork: Fork = dataclasses.field(repr=False)

    def commit(self) -> None:
        """Keeps the new nodes and the pods on them."""
        self._fork.commit()

    def revert(self) -> None:
        """Removes the new nodes and the pods."""
        self._fork.revert()

    def __enter__(self) -> Packing:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self._fork.__exit__(kind, error, traceback)


@names_arguments
class Ring:
    """The place behind which searches begin, kept from search to search.

    A search begins at the position (`last` + `offset`) modulo the number of nodes, and a node that
    is found becomes `last`.
    """

    __slots__ = ("_handle",)

    def __init__(self, last: int = 0, offset: int = 0) -> None:
        self._handle = _core.SimRing()
        self.last = last
        self.offset = offset

    @property
    def last(self) -> int:
        return self._handle.last

    @last.setter
    def last(self, last: int) -> None:
        self._handle.last = natural(last, "last")

    @property
    def offset(self) -> int:
        return self._handle.offset

    @offset.setter
    def offset(self, offset: int) -> None:
        self._handle.offset = natural(offset, "offset")

    def __repr__(self) -> str:
        return f"Ring(last={self.last}, offset={self.offset})"


_PASSED = SimVerdict()


def verdict_of(parts: tuple[int, int, str, tuple[str, ...], tuple[str, ...]] | None) -> SimVerdict:
    """Returns a verdict of what the extension gives."""
    if parts is None:
        return _PASSED
    stage, code, plugin, reasons, excluders = parts
    return SimVerdict(Stage(stage), Code(code), plugin, reasons, excluders)
