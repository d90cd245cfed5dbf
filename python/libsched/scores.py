"""Scores: what each Score plugin said about each node that fits, without copies."""

from __future__ import annotations

import dataclasses

from . import _core
from .errors import NotFoundError
from .status import Status


@dataclasses.dataclass(frozen=True, slots=True)
class PluginScore:
    """One plugin's score of one node: as the plugin gave it, normalised to 0..100, and weighted."""

    raw: int
    normalized: int
    weighted: int


class Scores:
    """The scores of the nodes that fit. Made by `Framework.score`.

    The columns are memoryviews over the library's own memory, parallel to `nodes`; they stay valid
    for as long as they are used, and ``numpy.asarray(column)`` makes no copy.

    Attributes
    ----------
    nodes : list of str
        The scored nodes.
    plugins : dict of str to int
        The Score plugins in their order, with their weights; without those that were skipped.
    """

    __slots__ = ("nodes", "plugins", "_columns", "_table")

    def __init__(self, table: _core.ScoreTable, nodes: list[str]) -> None:
        self._table = table
        self.nodes = nodes
        self.plugins: dict[str, int] = dict(table.columns())
        self._columns = {name: index for index, name in enumerate(self.plugins)}

    @property
    def totals(self) -> memoryview:
        """The sums of the weighted scores."""
        return memoryview(self._table.totals())

    def raw(self, plugin: str) -> memoryview:
        """What a plugin gave the nodes."""
        return memoryview(self._table.raw(self._column(plugin)))

    def normalized(self, plugin: str) -> memoryview:
        """The same after normalising: 0 to 100."""
        return memoryview(self._table.normalized(self._column(plugin)))

    def weighted(self, plugin: str) -> memoryview:
        """The same times the plugin's weight."""
        return memoryview(self._table.weighted(self._column(plugin)))

    @property
    def best(self) -> list[str]:
        """The nodes with the highest total."""
        totals = self.totals
        top = max(totals, default=0)
        return [node for node, total in zip(self.nodes, totals, strict=True) if total == top]

    def total(self, node: str) -> int:
        """The total of one node."""
        return int(self.totals[self._index(node)])

    def __getitem__(self, node: str) -> dict[str, PluginScore]:
        """Every plugin's score of one node."""
        at = self._index(node)
        return {plugin: PluginScore(self.raw(plugin)[at], self.normalized(plugin)[at],
                                    self.weighted(plugin)[at]) for plugin in self.plugins}

    def __contains__(self, node: object) -> bool:
        return node in self.nodes

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        count = len(self.nodes)
        return f"<Scores of {count:,} node{'s' * (count != 1)} by {', '.join(self.plugins)}>"

    def _column(self, plugin: str) -> int:
        try:
            return self._columns[plugin]
        except KeyError:
            raise NotFoundError(f'no plugin "{plugin}" gave scores') from None

    def _index(self, node: str) -> int:
        try:
            return self.nodes.index(node)
        except ValueError:
            raise NotFoundError(f'no node "{node}" was scored') from None


@dataclasses.dataclass(frozen=True, slots=True)
class CycleResult:
    """What a scheduling cycle chose. Made by `Framework.cycle`; it is true if there is a node.

    Attributes
    ----------
    node : str or None
        The chosen node.
    total : int
        Its score; 0 if no other node was feasible, because then nothing is scored.
    feasible : int
        How many nodes passed the filters.
    evaluated : int
        Those, and the ones that did not, as far as they were looked at.
    status : Status
        Why there is no node: in upstream's words, with the plugin if only one was in the way.
    next_start : int
        Where the next sampled cycle begins.
    """

    node: str | None
    total: int
    feasible: int
    evaluated: int
    status: Status
    next_start: int

    def __bool__(self) -> bool:
        return self.node is not None
