"""A test kit for authors of plugins: clusters in a line, and assertions that show what differs.

>>> import libsched
>>> from libsched.testing import assert_verdicts, cluster, node, pod
>>> @libsched.plugin
... class OnlyLarge:
...     def filter(self, state, pod, node):
...         return node.allocatable("cpu") > 4000 or "node is small"
>>> small = cluster("a b", node("large", cpu=16, labels={"zone": "x"}), cpu=4)
>>> result = libsched.Framework(plugins=[OnlyLarge]).fit(small, pod("web", cpu="500m"))
>>> assert_verdicts(result, '''
...     node   verdict
...     a      OnlyLarge: node is small
...     b      OnlyLarge: node is small
...     large  fits
... ''')
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from ._arguments import checks_arguments, names_arguments
from ._changed import Amount
from .cluster import Cluster
from .data_table import DataTable, table_of
from .errors import InvalidError, NotFoundError
from .objects import Node, Pod, Taint
from .plugins import _SPEC, PluginSpec, _spec_of
from .verdicts import Verdicts

__all__ = ["Timings", "assert_scores", "assert_verdicts", "cluster", "node", "pod", "scores", "verdicts"]

#: A quantity as in manifests; a number is one of cores, bytes or units.
Given = Union[str, int, float]


@checks_arguments
def node(name: str = "node", *, cpu: Given = 4, memory: Given = "16Gi", pods: int = 110,
         labels: Mapping[str, str] | None = None,
         taints: Iterable[Taint | Mapping[str, str] | str] = (), unschedulable: bool = False,
         resources: Mapping[str, Amount] | None = None) -> Node:
    """Makes a node with its hostname label.

    >>> node("a", cpu=8, taints=["gpu=only:NoSchedule"], resources={"example.com/gpu": 2})
    <Node a>
    """
    allocatable = {"cpu": cpu, "memory": memory, "pods": pods, **(resources or {})}
    made = Node({"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "status": {"allocatable": {key: str(amount) for key, amount in allocatable.items()}}},
        strict=True)
    taints = list(taints)
    return made.replace(taints=taints, unschedulable=unschedulable) if (
        taints or unschedulable) else made


@checks_arguments
def pod(name: str = "pod", *, cpu: Given | None = None, memory: Given | None = None,
        namespace: str = "default", labels: Mapping[str, str] | None = None,
        resources: Mapping[str, Amount] | None = None, **spec: Any) -> Pod:
    """Makes a pod of one container. `spec` has fields of the pod's spec as in manifests.

    >>> pod("web", cpu="500m", nodeSelector={"disk": "ssd"}, priority=5).requests
    {'cpu': 500}
    """
    requests = {key: str(amount) for key, amount in {
        "cpu": cpu, "memory": memory, **(resources or {})}.items() if amount is not None}
    return Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": name, "namespace": namespace, "labels": dict(labels or {})}, "spec": {
            "containers": [{"name": "c", "image": "registry.example/app", "resources": {
                "requests": requests, "limits": {
                    key: amount for key, amount in requests.items() if "/" in key}}}], **spec}},
        strict=True)


@checks_arguments
def cluster(*nodes: str | Node, pods: Mapping[str, Iterable[Pod] | Pod] | None = None,
            **options: Any) -> Cluster:
    """Makes a cluster of nodes and of names of nodes, which get the `options` of `node`.

    Parameters
    ----------
    *nodes : Node or str
        A text has names, separated by spaces.
    pods : mapping, optional
        The pods on each node.

    Examples
    --------
    >>> made = cluster("a b", node("c", cpu=16), pods={"a": pod("web", cpu=1)}, cpu=2)
    >>> made, made.nodes["a"].requested("cpu")
    (<Cluster: 3 nodes, 1 pod>, 1000)
    """
    made = Cluster()
    for given in nodes:
        made.add_nodes([node(name, **options) for name in given.split()]
                       if isinstance(given, str) else given)
    for name, bound in (pods or {}).items():
        made.add_pods(bound if isinstance(bound, Pod) else list(bound), name)
    return made


@checks_arguments
def verdicts(result: Verdicts) -> dict[str, str]:
    """Returns ``fits`` or ``Plugin: reasons`` by node.

    Raises
    ------
    AssertionError
        There are no verdicts, because a plugin has failed.
    """
    if result.error:
        raise AssertionError(f"there are no verdicts: {result.error}")
    return {one.node: "fits" if one.fits else
            f"{one.status.plugin}: {', '.join(one.status.reasons)}" for one in result}


@checks_arguments
def scores(result: Verdicts, plugin: str | None = None) -> dict[str, int]:
    """Returns the raw scores that a plugin gave the nodes, or the totals of all plugins.

    Raises
    ------
    AssertionError
        There are no scores, or none of this plugin.
    """
    table = result.scores
    if table is None:
        raise AssertionError("there are no scores: no node fits, or Framework.score was not called")
    try:
        column = table.totals if plugin is None else table.raw(plugin)
    except NotFoundError as error:
        raise AssertionError(f"{error.message}; {', '.join(table.plugins)} gave some") from None
    return dict(zip(table.nodes, column.tolist(), strict=True))


@checks_arguments
def assert_verdicts(result: Verdicts, expected: str | Mapping[str, str]) -> None:
    """Asserts the verdict on every node.

    Parameters
    ----------
    result : FitResult
    expected : str or mapping
        A mapping from node to verdict, as `verdicts` returns it, or such a table as text: a line
        for each node with its name and, behind spaces, its verdict. The line of titles and empty
        lines don't count.

    Raises
    ------
    AssertionError
        A verdict differs; the message lists all that do.
    """
    _same(verdicts(result), _parsed(expected, "verdict"))


@checks_arguments
def assert_scores(result: Verdicts, expected: str | Mapping[str, int],
                  plugin: str | None = None) -> None:
    """Asserts the raw scores of a plugin, or the totals, of every node that fits.

    >>> import libsched
    >>> result = libsched.Framework().score(cluster("a b"), pod())
    >>> assert_scores(result, {"a": 0, "b": 0}, "TaintToleration")
    """
    wanted = _parsed(expected, "score") if isinstance(expected, str) else expected
    try:
        numbers = {name: int(score) for name, score in wanted.items()}
    except ValueError as error:
        raise InvalidError(f"a score is a whole number: {error}") from None
    _same(scores(result, plugin), numbers)


def _parsed(expected: str | Mapping[str, str], title: str) -> Mapping[str, str]:
    if not isinstance(expected, str):
        return expected
    rows: dict[str, str] = {}
    for line in expected.splitlines():
        cells = line.split(maxsplit=1)
        if not cells or [cell.strip() for cell in cells] == ["node", title]:
            continue
        if len(cells) != 2 or cells[0] in rows:
            raise InvalidError(f"the line {line.strip()!r} needs a node, once, and its {title}")
        rows[cells[0]] = cells[1].strip()
    return rows


def _same(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    lines = []
    for name in sorted({*found, *expected}):
        if name not in found:
            lines.append(f"{name}: expected {expected[name]}, but there is no such node here")
        elif name not in expected:
            lines.append(f"{name}: {found[name]}, but nothing was expected")
        elif found[name] != expected[name]:
            lines.append(f"{name}: {found[name]}, but expected was {expected[name]}")
    if lines:
        raise AssertionError("\n".join(lines))


@names_arguments
class Timings:
    """The time that the methods of plugins in Python take.

    Parameters
    ----------
    *plugins : classes
        Plugins. `plugins` has classes in their place, for a Framework, under the same names.

    Notes
    -----
    For one thread at a time. The time includes calls that a method makes, but not what the library
    does to call it. The library's own plugins cannot be timed with it: they judge many nodes in one go,
    without a call for each of them; `Framework.fit` as a whole can be timed from outside.

    Examples
    --------
    >>> import libsched
    >>> class Late:
    ...     def filter(self, state, pod, node):
    ...         return True
    >>> timings = Timings(Late)
    >>> libsched.Framework(plugins=timings.plugins).fit(cluster("a b c"), pod()).nodes
    ['a', 'b', 'c']
    >>> timings.table().columns["method"], timings.table().columns["calls"]
    (['filter'], [3])
    """

    def __init__(self, *plugins: type) -> None:
        self._spent: dict[tuple[str, str], list[float]] = {}
        #: The classes to pass to `Framework`.
        self.plugins: list[type] = [self._timed(plugin) for plugin in plugins]

    def table(self) -> DataTable:
        """Returns a table with a row for each method: ``plugin``, ``method``, ``calls``,
        ``seconds`` in total and ``longest``. Methods that were not called are left out.
        """
        rows = [(*key, *spent) for key, spent in self._spent.items()]
        return table_of(("plugin", "method", "calls", "seconds", "longest"), rows)

    def _timed(self, plugin: type) -> type:
        if not isinstance(plugin, type):
            raise InvalidError(f"a class of a plugin is expected, not {plugin!r}")
        spec, _ = _spec_of(plugin)
        methods = {name: self._wrapped(spec.name, name, getattr(plugin, name))
                   for name in spec.methods}
        made = type(plugin.__name__, (plugin,), methods)
        setattr(made, _SPEC, PluginSpec(made, spec.name, spec.weight or None))
        return made

    def _wrapped(self, plugin: str, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def timed(*arguments: Any) -> Any:
            begin = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                passed = time.perf_counter() - begin
                spent = self._spent.setdefault((plugin, name), [0, 0.0, 0.0])
                spent[:] = spent[0] + 1, spent[1] + passed, max(spent[2], passed)

        return timed
