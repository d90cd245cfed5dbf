"""Framework: a profile of a scheduler's configuration with its plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _core
from ._arguments import MOST, flag, instance, items, names_arguments, text, whole
from ._durations import timeout_ns
from ._evaluators import Taken
from ._filtering import FilterCalls
from ._runtime import RuntimeCalls
from ._scheduling import SchedulingCalls
from ._sources import ConfigSource, Source
from ._ties import ties_number
from .cancel import Cancel, handle_of
from .cluster import Cluster, Snapshot
from .config import Config, gates_text, semantics_text
from .errors import InvalidError, MisuseError
from .fit import FitResult
from .objects import Pod, pod_handle, pods_of
from .plugins import registry_of
from .scores import CycleResult
from .services import Services
from .state import CycleState
from .state import handle_of as state_handle
from .status import Status, status_of
from .view import View, _views



@names_arguments
class Framework(FilterCalls, RuntimeCalls, SchedulingCalls):
    """A profile of a scheduler's configuration with its plugins. It makes the decisions.

    Parameters
    ----------
    config : optional
        A `Config`, or a path, document or dict of one; by default upstream's defaults. Its HTTP
        extenders are asked by whole answers and scheduling cycles; they get documents, so the
        objects of clusters must be parsed with ``keep_raw``, which `Cluster` takes, too.
    profile : str, optional
        The scheduler name of the profile; required if the configuration has several.
    feature_gates : mapping or str, optional
        ``{"A": True}`` or ``"A=true,B=false"``; by default those of the release.
    semantics : str, optional
        The release whose semantics apply, such as ``"1.36"``, by default that of the configuration,
        and `k8s_version` if it has none; a version of a release names it, too, as API servers and
        vendors write it (``"v1.31.9-eks-1"``). Feature gates, default plugins and rules of
        configurations are those of the release, as which plugins judge, score, count requests and
        ports, and word their reasons. Up to ``"1.34"`` ties are broken uniformly by a seed.
    plugins : iterable of classes, objects and texts, optional
        Plugins in Python: see `Plugin`; or texts: the path of a shared object (``*.so``) with plugins,
        or ``module:Class``. A plugin that no profile of the configuration names is enabled at
        MultiPoint, after the profile's own plugins.
    services : Services, optional
        Clock, API client, nominated and waiting pods; by default those of the cluster. The
        frameworks of a scheduler share their services. Pending pods that the cluster has been given
        with a ``status.nominatedNodeName`` count with any services.
    skip_unknown_plugins : bool
        Leave out plugins that the profile enables and that are neither kube-scheduler's nor in
        `plugins`, instead of the error; `skipped_plugins` names them.
    several_queue_sorts : bool
        Allow several QueueSort plugins: if one considers two pods equal, the next one decides. A
        `Config` that lists them at ``queueSort`` needs this option, too.
    parallelism : int
        The number of threads that a call may use, including its own: preemption tries nodes
        concurrently. The number does not change any answer. Methods of plugins in Python stay on
        the calling thread; if a profile has them at PreFilter or Filter, so does preemption.

    Raises
    ------
    InvalidError
        The configuration is invalid, with upstream's message, a feature gate is unknown, or the
        `Config` has other semantics.
    NotFoundError
        There is no such profile.
    UnsupportedError
        The configuration needs a feature that this version lacks.

    Notes
    -----
    A Framework is immutable, and any number of threads may share it. It caches data about a cluster
    or snapshot for as long as both exist. It can be pickled if its plugins can, which are classes
    that other processes can import, and if it has no `services` of its own.

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

    __slots__ = ("_extended", "_given", "_handle", "_made_of", "_parallelism", "_plugins", "_services",
                 "__weakref__")

    _handle: _core.Framework

    def __init__(self, config: Config | ConfigSource | None = None, *, profile: str | None = None,
                 feature_gates: Mapping[str, bool] | str | None = None,
                 semantics: str | None = None, plugins: Iterable[Any] = (),
                 services: Services | None = None, several_queue_sorts: bool = False,
                 skip_unknown_plugins: bool = False, parallelism: int = 1) -> None:
        whole(parallelism, "parallelism", 1, 1024)
        if profile is not None:
            text(profile, "profile")
        flag(several_queue_sorts, "several_queue_sorts")
        flag(skip_unknown_plugins, "skip_unknown_plugins")
        plugins = items(plugins, "plugins", "classes, objects and texts")
        if config is not None and not isinstance(config, Config):
            config = Config(config, several_queue_sorts=several_queue_sorts,
                            feature_gates=feature_gates, semantics=semantics)
        self._make(config, profile, registry_of(plugins), feature_gates, semantics, services,
                   several_queue_sorts, parallelism, skip_unknown_plugins)
        self._made_of: dict[str, Any] | None = {
            "config": config, "profile": profile, "feature_gates": gates_text(feature_gates),
            "semantics": semantics, "plugins": plugins, "several_queue_sorts": several_queue_sorts,
            "skip_unknown_plugins": skip_unknown_plugins, "parallelism": parallelism}

    def _make(self, config: Config | ConfigSource | None, profile: str | None,
              registry: _core.Registry | None,
              feature_gates: Mapping[str, bool] | str | None = None, semantics: str | None = None,
              services: Services | None = None, several_queue_sorts: bool = False,
              parallelism: int = 1, skip_unknown_plugins: bool = False) -> None:
        if config is not None and not isinstance(config, Config):
            config = Config(config, several_queue_sorts=several_queue_sorts,
                            feature_gates=feature_gates, semantics=semantics)
        if services is not None:
            instance(services, Services, "services")
        handle = config._handle if isinstance(config, Config) else None
        self._made_of = None
        self._handle = _core.Framework(handle, profile or "", registry, gates_text(feature_gates),
                                       semantics_text(semantics), several_queue_sorts,
                                       skip_unknown_plugins)
        self._given = registry is not None
        self._extended = isinstance(config, Config) and config.extenders > 0
        self._parallelism = parallelism
        self._services = services
        self._plugins: Mapping[str, Sequence[tuple[str, int]]] | None = None

    @property
    def profile(self) -> str:
        """The scheduler name of the profile."""
        return self._handle.profile

    @property
    def skipped_plugins(self) -> list[str]:
        """The plugins that ``skip_unknown_plugins`` has left out, by name."""
        return self._handle.skipped_plugins()

    @property
    def plugins(self) -> dict[str, list[tuple[str, int]]]:
        """The plugins of each extension point in their order: lists of (name, weight).

        >>> [name for name, weight in Framework().plugins["preEnqueue"]]
        ['SchedulingGates', 'DynamicResources', 'DefaultPreemption']
        """
        return {point: list(plugins) for point, plugins in self._plugin_lists().items()}

    def _plugin_lists(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Returns the lists behind `plugins`, which must not be changed."""
        if self._plugins is None:
            self._plugins = self._handle.plugins()
        return self._plugins

    # Whole answers

    def fit(self, view: View, pod: Source, node: str | None = None, *,
            post_filter: bool = False, facts: bool = False, timeout: float | None = None,
            cancel: Cancel | None = None) -> FitResult:
        """Finds the nodes on which a pod fits, and the reasons why it does not fit on others.

        Parameters
        ----------
        view : Cluster or Snapshot
        pod
            A `Pod`, or a source of one.
        node : str, optional
            Filter only this node.
        post_filter : bool
            Ask PostFilter how room could be made if no node takes the pod: see
            `FitResult.preemption`. The cluster stays as it is, and no pod is asked to leave.
        facts : bool
            Give the numbers and names behind each reason: see `NodeVerdict.facts`.
        timeout : float, optional
            Seconds after which the call ends, in real time unless the `services` have a clock of
            their own. Methods of plugins are not interrupted.
        cancel : Cancel, optional
            Ends the call when another thread sets it. Methods of plugins are not interrupted.

        Returns
        -------
        FitResult
            The result stays valid when the cluster changes.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        NotFoundError
            There is no such node.
        DeadlineExceeded
            The timeout has expired. Nothing has changed.
        CancelledError
            `cancel` has been set. Nothing has changed.
        """
        checked = self._pod(view, pod)
        decision = self._decide(view, checked, text(node or "", "node"), post_filter=post_filter,
                                timeout=timeout, cancel=cancel, facts=facts)
        return FitResult(decision, checked, self.profile, self._plugin_lists())

    def score(self, view: View, pod: Source, node: str | None = None, *,
              post_filter: bool = False, facts: bool = False, timeout: float | None = None,
              cancel: Cancel | None = None) -> FitResult:
        """Does the same as `fit`, and scores the nodes that take the pod: see `FitResult.scores`.

        Scores are normalised over the filtered nodes, which is a single one with `node`.

        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
        ...     for name in "ab")
        >>> result = Framework().score(cluster, {"kind": "Pod", "apiVersion": "v1",
        ...     "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
        >>> result.best
        ['a', 'b']
        """
        checked = self._pod(view, pod)
        decision = self._decide(view, checked, text(node or "", "node"), score=True, post_filter=post_filter,
                                timeout=timeout, cancel=cancel, facts=facts)
        return FitResult(decision, checked, self.profile, self._plugin_lists())

    def fit_each(self, view: View, pods: Iterable[Source], *, score: bool = False,
                 post_filter: bool = False, facts: bool = False, extender_calls: int = 8,
                 timeout: float | None = None, cancel: Cancel | None = None) -> list[FitResult]:
        """Does for each pod what `fit` does, or `score`; nothing is placed between them.

        The calls of HTTP extenders overlap: an extender that takes its time answers about several
        pods at once.

        Parameters
        ----------
        view : Cluster or Snapshot
        pods : iterable
            Each a `Pod`, or a source of one.
        score : bool
            Score the nodes that take a pod, as `score` does.
        post_filter, facts : bool
            As for `fit`. With `post_filter` the pods are judged one after the other.
        extender_calls : int
            Extenders are asked about that many pods at once, at most.
        timeout, cancel : optional
            As for `fit`, for the whole call.

        Returns
        -------
        list of FitResult
            In the order of the pods. They equal those that `fit` gives.

        Raises
        ------
        Error
            As `fit`; `path` is the pod's place, such as ``pods[3]``, and there is no result.

        Examples
        --------
        >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
        ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
        >>> Framework().fit_each(cluster, [{"kind": "Pod", "apiVersion": "v1",
        ...     "metadata": {"name": name}, "spec": {"containers": [
        ...         {"name": "c", "resources": {"requests": {"cpu": cpu}}}]}}
        ...     for name, cpu in (("small", "1"), ("big", "9"))])
        [<FitResult default/small: fits 1 of 1 node>, <FitResult default/big: fits none of 1 node>]
        """
        whole(extender_calls, "extender_calls", 1, 1024)
        checked = [self._pod(view, pod) for pod in items(pods, "pods", "Pods and sources of them")]
        limit = timeout_ns(timeout)
        with self._take(view) as evaluator:
            decisions = evaluator.check_pods([pod._handle for pod in checked], score, post_filter,
                                             facts, extender_calls, limit, handle_of(cancel))
        return [FitResult(decision, pod, self.profile, self._plugin_lists())
                for decision, pod in zip(decisions, checked, strict=True)]

    def cycle(self, view: View, pod: Source, *, state: CycleState | None = None,
              ties: Literal["upstream", "name", "random"] = "upstream", seed: int = 0,
              sampling: bool = False, start: int = 0,
              timeout: float | None = None, cancel: Cancel | None = None) -> CycleResult:
        """Runs a scheduling cycle up to the choice of a node, like upstream's schedulePod.

        A cycle runs PreFilter, Filter (on the nominated node first), PreScore and Score, and
        chooses a node. PreEnqueue, PostFilter and Reserve do not run, and nothing changes.

        Parameters
        ----------
        view : Cluster or Snapshot
        pod
            A `Pod`, or a source of one.
        state : CycleState, optional
            The state to fill, for calls that follow, such as `assume`.
        ties : {"upstream", "name", "random"}
            The choice among several best nodes: the first one in upstream's heap, the one with the
            smallest name, or a random one by `seed`.
        sampling : bool
            Filter only as many nodes as percentageOfNodesToScore requires, starting at `start`
            (`CycleResult.next_start` of the cycle before). By default all nodes are filtered.
        timeout : float, optional
            As for `fit`.
        cancel : Cancel, optional
            As for `fit`.

        Raises
        ------
        UnsupportedError
            The pod needs a plugin that is not available; `plugin` names it.
        DeadlineExceeded
            The timeout has expired. Nothing has changed.
        CancelledError
            `cancel` has been set. Nothing has changed.
        """
        tie_breaking = ties_number(ties, seed)
        whole(start, "start", 0, MOST)
        limit = timeout_ns(timeout)
        checked = self._pod(view, pod)
        state = CycleState() if state is None else state
        with self._take(view) as evaluator:
            evaluator.next_start = start
            node, total, feasible, evaluated, status = evaluator.run_cycle(
                state_handle(state), checked._handle, tie_breaking, sampling, seed, limit,
                handle_of(cancel))
            return CycleResult(node, total, feasible, evaluated, status_of(status),
                               evaluator.next_start)

    def assume(self, cluster: Cluster, pod: Pod, node: str, state: CycleState | None = None, *,
               start_ns: int | None = None) -> Status:
        """Puts a pod on a node of the cluster, then runs the Reserve plugins.

        Parameters
        ----------
        cluster : Cluster
        pod : Pod
        node : str
        state : CycleState, optional
            The state of the pod's cycle.
        start_ns : int, optional
            The start time of the pod for preemption, which compares start times, in nanoseconds
            since 1970; by default the present.

        Returns
        -------
        Status
            If a plugin refuses, its status; the pod is removed from the node again.

        Raises
        ------
        ExistsError
            The cluster has the pod already.
        NotFoundError
            There is no such node.
        """
        state = CycleState() if state is None else state
        with self._take(cluster) as evaluator:
            return status_of(evaluator.assume(
                state_handle(state), pod_handle(pod), node, start_ns))

    def forget(self, cluster: Cluster, pod: Pod, state: CycleState | None = None) -> None:
        """Runs Unreserve of the Reserve plugins, and removes an assumed pod from its node.

        Raises
        ------
        StateError
            The cluster has the pod, but it is not assumed.
        """
        state = CycleState() if state is None else state
        with self._take(cluster) as evaluator:
            evaluator.forget(state_handle(state),
                             pod_handle(pod))

    def _decide(self, view: View, pod: Pod, node: str = "", *,
                judge_excluded: bool = False, score: bool = False,
                state: CycleState | None = None, post_filter: bool = False,
                timeout: float | None = None, cancel: Cancel | None = None,
                facts: bool = False) -> _core.Decision:
        """Makes the decision behind `fit`, with all options of the C API.

        With `judge_excluded`, Filter also runs on nodes that PreFilter excluded.
        """
        limit = timeout_ns(timeout)
        with self._take(view) as evaluator:
            return evaluator.check(pod._handle, node, judge_excluded, score,
                                   None if state is None else state._handle, post_filter, limit,
                                   handle_of(cancel), facts)

    def __copy__(self) -> Framework:
        return self

    def __deepcopy__(self, memo: object) -> Framework:
        return self

    def __reduce__(self) -> Any:
        if self._services is not None or self._made_of is None:
            raise MisuseError("a Framework with services of its own belongs to its process: make "
                              "another one there")
        return _load_framework, (self._made_of,)

    def __repr__(self) -> str:
        return f"<Framework {self.profile}>"

    def _pod(self, view: View, pod: Source) -> Pod:
        if isinstance(pod, Pod):
            return pod
        if not isinstance(view, View):
            raise _no_view(view)
        found = pods_of(pod, view._classes, keep_raw=self._extended)
        if len(found) != 1:
            raise InvalidError(f"{len(found)} pods where one is expected; libsched.Objects reads "
                               "many")
        return found[0]

    def _take(self, view: View) -> Taken:
        """Takes an idle evaluator."""
        try:
            pool = view._evaluators[self]
        except KeyError:
            pool = view._evaluators.setdefault(self, [])
        except AttributeError:
            raise _no_view(view) from None
        if self._given:
            _views[view._handle.address] = view  # plugins get the address of the view
        try:
            return Taken(pool, pool.pop())
        except IndexError:
            assert isinstance(view, (Cluster, Snapshot))
            made = _core.Evaluator(self._handle, view._handle)
            if self._parallelism != 1:
                made.set_parallelism(self._parallelism)
            services = self._services
            if services is None:
                services = view.services if isinstance(view, Cluster) else Services()
            made.use_services(services._handle)
            return Taken(pool, made)


def _no_view(view: object) -> MisuseError:
    return MisuseError(f"a Cluster or Snapshot is expected, not a {type(view).__name__}")



def _load_framework(made_of: dict[str, Any]) -> Framework:
    return Framework(**made_of)
