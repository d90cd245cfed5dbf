"""Scores: the scores of each plugin for each node that fits, without copies."""

from __future__ import annotations

import dataclasses

from . import _core
from ._arguments import names_arguments
from ._near import hint
from .errors import NotFoundError
from .status import Status


@dataclasses.dataclass(frozen=True, slots=True)
class PluginScore:
    """A plugin's score of a node: as the plugin gave it, normalised to 0..100, and weighted."""

    raw: int
    normalized: int
    weighted: int


@names_arguments
class Scores:
    """The scores of the nodes that fit. Made by `Framework.score`.

    Columns are memoryviews over the library's memory, in the order of `nodes`. They stay valid for
    as long as they are referenced, and ``numpy.asarray(column)`` makes no copy.

    Attributes
    ----------
    nodes : list of str
        The scored nodes.
    plugins : dict of str to int
        The Score plugins that ran, in their order, with their weights.
    """

    __slots__ = ("nodes", "plugins", "_columns", "_table")

    def __init__(self, table: _core.ScoreTable, nodes: list[str]) -> None:
        self._table = table
        self.nodes: list[str] = nodes
        self.plugins: dict[str, int] = dict(table.columns())
        self._columns = {name: index for index, name in enumerate(self.plugins)}

    @property
    def totals(self) -> memoryview:
        """The sums of the weighted scores."""
        return memoryview(self._table.totals())

    def raw(self, plugin: str) -> memoryview:
        """Returns the scores that a plugin gave the nodes."""
        return memoryview(self._table.raw(self._column(plugin)))

    def normalized(self, plugin: str) -> memoryview:
        """Returns a plugin's scores after normalisation, from 0 to 100."""
        return memoryview(self._table.normalized(self._column(plugin)))

    def weighted(self, plugin: str) -> memoryview:
        """Returns a plugin's normalised scores multiplied by its weight."""
        return memoryview(self._table.weighted(self._column(plugin)))

    @property
    def best(self) -> list[str]:
        """The nodes with the highest total."""
        totals = self.totals
        top = max(totals, default=0)
        return [node for node, total in zip(self.nodes, totals, strict=True) if total == top]

    def total(self, node: str) -> int:
        """Returns the total of a node."""
        return int(self.totals[self._index(node)])

    def __getitem__(self, node: str) -> dict[str, PluginScore]:
        """Returns the score of every plugin for a node."""
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
            raise NotFoundError(f'no plugin "{plugin}" gave scores', hint=lambda: hint(plugin, self._columns)) from None

    def _index(self, node: str) -> int:
        try:
            return self.nodes.index(node)
        except ValueError:
            raise NotFoundError(f'no node "{node}" was scored', hint=lambda: hint(node, self.nodes)) from None


@dataclasses.dataclass(frozen=True, slots=True)
class CycleResult:
    """The result of `Framework.cycle`. It is true if a node was chosen.

    Attributes
    ----------
    node : str or None
        The chosen node.
    total : int
        The total score of the chosen node; 0 if it was the only feasible one, since a single node
        is not scored.
    feasible : int
        The number of nodes that passed the filters.
    evaluated : int
        The number of nodes that were filtered, whether or not they passed.
    status : Status
        The reason why no node was chosen, in upstream's words, with the plugin if a single plugin
        rejected all nodes.
    next_start : int
        The node at which the next sampled cycle starts.
    """

    node: str | None
    total: int
    feasible: int
    evaluated: int
    status: Status
    next_start: int

    def __bool__(self) -> bool:
        return self.node is not None
