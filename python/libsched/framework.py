"""Framework: one profile of a scheduler's configuration, ready to be asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _core
from ._filtering import FilterCalls, nanoseconds
from ._runtime import RuntimeCalls
from ._sources import Source
from .cluster import Cluster, Snapshot
from .config import Config
from .errors import InvalidError, MisuseError
from .fit import FitResult
from .objects import Pod, pods_of
from .plugins import registry_of
from .scores import CycleResult
from .services import Services
from .state import CycleState
from .status import Status, status_of
from .view import View, _views

_TIES = ("upstream", "name", "random")


class Framework(FilterCalls, RuntimeCalls):
    """One profile of a scheduler's configuration with its plugins: what decisions are made by.

    Parameters
    ----------
    config : optional
        A `Config`, or what makes one: a path, a document or a dict. Nothing: upstream's defaults.
    profile : str, optional
        The scheduler name of the profile; needed if there are several.
    feature_gates : mapping or str, optional
        ``{"A": True}`` or ``"A=true,B=false"``; by default those of Kubernetes 1.36.
    semantics : {"1.36", "1.31"}
        Whose semantics. ``"1.31"`` switches exactly three things to that release: the formula of
        NodeResourcesBalancedAllocation, the reason text of TaintToleration, and ties, which are
        broken uniformly by a seed. Nothing else of 1.31 is followed.
    plugins : iterable of classes or objects, optional
        Plugins in Python: see `Plugin`. One that the profile does not name at any point is enabled
        at MultiPoint, after the profile's own.
    services : Services, optional
        Clock, API client, nominated and waiting pods; by default those of the cluster that is
        asked about. Frameworks that make up one scheduler share one.
    several_queue_sorts : bool
        The profile may have more than one QueueSort plugin: where one calls two pods equal, the
        next decides. A `Config` that lists them at ``queueSort`` is made with this option, too.
    parallelism : int
        On how many threads one call may work, the calling one counted: preemption tries nodes
        beside each other then. The answers are the same. Methods of plugins in Python stay on the
        thread that calls, and with them at PreFilter or Filter so does preemption.

    Raises
    ------
    InvalidError
        With upstream's message, or because of an unknown feature gate.
    NotFoundError
        There is no such profile.
    UnsupportedError
        The configuration asks for what this version does not have.

    Notes
    -----
    Immutable; any number of threads may share it. It remembers what it has worked out about a
    cluster or snapshot for as long as both exist.

    Examples
    --------
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> scheduler = Framework()
    >>> fit = scheduler.fit(cluster, {"kind": "Pod", "apiVersion": "v1",
    ...     "metadata": {"name": "big"}, "spec": {"containers": [
    ...         {"name": "c", "resources": {"requests": {"cpu": "8"}}}]}})
    >>> fit
    <FitResult default/big: fits none of 1 node>
    >>> fit["a"].status
    <Status UnschedulableAndUnresolvable by NodeResourcesFit: Insufficient cpu>
    """

    __slots__ = ("_given", "_handle", "_parallelism", "_plugins", "_services", "__weakref__")

    _handle: _core.Framework

    def __init__(self, config: Config | object = None, *, profile: str | None = None,
                 feature_gates: Mapping[str, bool] | str | None = None,
                 semantics: str = "1.36", plugins: Iterable[Any] = (),
                 services: Services | None = None, several_queue_sorts: bool = False,
                 parallelism: int = 1) -> None:
        if not 1 <= parallelism <= 1024:
            raise InvalidError(f"parallelism is a number from 1 to 1024, not {parallelism}")
        self._make(config, profile, registry_of(plugins), feature_gates, semantics, services,
                   several_queue_sorts, parallelism)

    def _make(self, config: Config | object, profile: str | None,
              registry: _core.Registry | None,
              feature_gates: Mapping[str, bool] | str | None = None, semantics: str = "1.36",
              services: Services | None = None, several_queue_sorts: bool = False,
              parallelism: int = 1) -> None:
        if config is not None and not isinstance(config, Config):
            config = Config(config, several_queue_sorts=several_queue_sorts)
        handle = config._handle if isinstance(config, Config) else None
        self._handle = _core.Framework(handle, profile or "", registry, _gates(feature_gates),
                                       semantics, several_queue_sorts)
        self._given = registry is not None
        self._parallelism = parallelism
        self._services = services
        self._plugins: Mapping[str, Sequence[tuple[str, int]]] | None = None

    @property
    def profile(self) -> str:
        """The scheduler name of the profile."""
        return self._handle.profile

    @property
    def plugins(self) -> dict[str, list[tuple[str, int]]]:
        """The plugins of each extension point in their order: lists of (name, weight).

        >>> [name for name, weight in Framework().plugins["preEnqueue"]]
        ['SchedulingGates', 'DynamicResources', 'DefaultPreemption']
        """
        return {point: list(plugins) for point, plugins in self._plugin_lists().items()}

    def _plugin_lists(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """What `plugins` gives; shared, not to be changed."""
        if self._plugins is None:
            described = json.loads(self._handle.plugins())
            self._plugins = {
                point: tuple((plugin["name"], plugin.get("weight", 0)) for plugin in plugins)
                for point, plugins in described.items()}
        return self._plugins

    # Whole answers

    def fit(self, view: View, pod: Source, node: str | None = None, *,
            post_filter: bool = False, timeout: float | None = None) -> FitResult:
        """Whether a pod fits, on which nodes, and why not on the others.

        Parameters
        ----------
        view : Cluster or Snapshot
        pod
            A `Pod`, or what makes one.
        node : str, optional
            Judge only this node.
        post_filter : bool
            Run PostFilter if no node takes the pod: see `FitResult.preemption`. The cluster stays
            as it is; what preemption asks of the API server goes to the services.
        timeout : float, optional
            Seconds after which the call ends: real time, unless `services` were given a clock, by
            which it goes then. A method of a plugin is not interrupted.

        Returns
        -------
        FitResult
            It stays valid whatever happens to the cluster.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        NotFoundError
            There is no such node.
        DeadlineExceeded
            `timeout` has passed; nothing has changed.
        """
        checked = self._pod(view, pod)
        decision = self._decide(view, checked, node or "", post_filter=post_filter,
                                timeout=timeout)
        return FitResult(decision, checked, self.profile, self._plugin_lists())

    def score(self, view: View, pod: Source, node: str | None = None, *,
              post_filter: bool = False, timeout: float | None = None) -> FitResult:
        """As `fit`, and the nodes that take the pod are scored: see `FitResult.scores`.

        A node is scored among those that were judged: with `node` that is only this one.

        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "ab")
        >>> result = Framework().score(cluster, {"kind": "Pod", "apiVersion": "v1",
        ...     "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
        >>> result.best
        ['a', 'b']
        """
        checked = self._pod(view, pod)
        decision = self._decide(view, checked, node or "", score=True, post_filter=post_filter,
                                timeout=timeout)
        return FitResult(decision, checked, self.profile, self._plugin_lists())

    def cycle(self, view: View, pod: Source, *, state: CycleState | None = None,
              ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
              sampling: bool = False, start: int = 0,
              timeout: float | None = None) -> CycleResult:
        """A scheduling cycle up to the choice of a node, as upstream's schedulePod.

        PreFilter, the nominated node first, Filter, PreScore, Score and the choice. PreEnqueue,
        PostFilter and Reserve are not run, and nothing is changed.

        Parameters
        ----------
        view : Cluster or Snapshot
        pod
            A `Pod`, or what makes one.
        state : CycleState, optional
            Is filled for what follows, such as `assume`.
        ties : {"upstream", "name", "random"}
            Which of several best nodes is taken: the first in upstream's heap, the one with the
            smallest name, or any, by `seed`.
        sampling : bool
            Whether to look at as many nodes as percentageOfNodesToScore says, beginning at `start`
            (`CycleResult.next_start` of the cycle before); otherwise at all.
        timeout : float, optional
            As for `fit`.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        DeadlineExceeded
            `timeout` has passed; nothing has changed.
        """
        if ties not in _TIES:
            raise InvalidError(f'ties is "upstream", "name" or "random", not {ties!r}')
        if start < 0 or not 0 <= seed < 1 << 64:
            raise InvalidError("start must not be negative, and seed needs 64 bits")
        limit = nanoseconds(timeout)
        checked = self._pod(view, pod)
        state = CycleState() if state is None else state
        pool, evaluator = self._take(view)
        try:
            evaluator.next_start = start
            node, total, feasible, evaluated, status = evaluator.run_cycle(
                state._handle, checked._handle, _TIES.index(ties), sampling, seed, limit)
            return CycleResult(node, total, feasible, evaluated, status_of(status),
                               evaluator.next_start)
        finally:
            pool.append(evaluator)

    def assume(self, cluster: Cluster, pod: Pod, node: str, state: CycleState | None = None, *,
               start_ns: int | None = None) -> Status:
        """Puts a pod on a node of the cluster, then asks the Reserve plugins.

        Parameters
        ----------
        cluster : Cluster
        pod : Pod
        node : str
        state : CycleState, optional
            That of the pod's cycle.
        start_ns : int, optional
            When the pod counts as started, in nanoseconds since 1970: preemption compares start
            times, and a pod without one counts as started just now.

        Returns
        -------
        Status
            If it is no success, a plugin has refused, and the pod was taken off again.

        Raises
        ------
        ExistsError
            The cluster has the pod already.
        NotFoundError
            There is no such node.
        """
        state = CycleState() if state is None else state
        pool, evaluator = self._take(cluster)
        try:
            return status_of(evaluator.assume(state._handle, pod._handle, node, start_ns))
        finally:
            pool.append(evaluator)

    def forget(self, cluster: Cluster, pod: Pod, state: CycleState | None = None) -> None:
        """Asks the Reserve plugins to unreserve, and takes an assumed pod off its node.

        Raises
        ------
        StateError
            The pod is there, but not assumed.
        """
        state = CycleState() if state is None else state
        pool, evaluator = self._take(cluster)
        try:
            evaluator.forget(state._handle, pod._handle)
        finally:
            pool.append(evaluator)

    def _decide(self, view: View, pod: Pod, node: str = "", *,
                judge_excluded: bool = False, score: bool = False,
                state: CycleState | None = None, post_filter: bool = False,
                timeout: float | None = None) -> _core.Decision:
        """The decision behind `fit`, with all options of the C API.

        `judge_excluded` runs Filter on nodes that PreFilter excluded, too; `state` is filled.
        """
        limit = nanoseconds(timeout)
        pool, evaluator = self._take(view)
        try:
            return evaluator.check(pod._handle, node, judge_excluded, score,
                                   None if state is None else state._handle, post_filter, limit)
        finally:
            pool.append(evaluator)

    def __repr__(self) -> str:
        return f"<Framework {self.profile}>"

    def _pod(self, view: View, pod: Source) -> Pod:
        if isinstance(pod, Pod):
            return pod
        if not isinstance(view, View):
            raise _no_view(view)
        found = pods_of(pod, view._classes)
        if len(found) != 1:
            raise InvalidError(f"{len(found)} pods where one is expected; libsched.Objects reads "
                               "many")
        return found[0]

    def _take(self, view: View) -> tuple[list[_core.Evaluator], _core.Evaluator]:
        """An evaluator that no other thread uses, and the pool that it goes back to."""
        try:
            pool = view._evaluators[self]
        except KeyError:
            pool = view._evaluators.setdefault(self, [])
        except AttributeError:
            raise _no_view(view) from None
        if self._given:
            _views[view._handle.address] = view  # plugins are told of it by its address
        try:
            return pool, pool.pop()
        except IndexError:
            assert isinstance(view, (Cluster, Snapshot))
            made = _core.Evaluator(self._handle, view._handle)
            if self._parallelism != 1:
                made.set_parallelism(self._parallelism)
            services = self._services
            if services is None:
                services = view.services if isinstance(view, Cluster) else Services()
            made.use_services(services._handle)
            return pool, made


def _no_view(view: object) -> MisuseError:
    return MisuseError(f"a Cluster or Snapshot is expected, not a {type(view).__name__}")


def _gates(gates: Mapping[str, bool] | str | None) -> str:
    if gates is None:
        return ""
    if isinstance(gates, str):
        return gates
    return ",".join(f"{name}={'true' if on else 'false'}" for name, on in gates.items())
