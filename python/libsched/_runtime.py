"""The extension points from PostFilter on, as methods of Framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _core
from .errors import MisuseError
from .events import Action, ClusterEvent
from .objects import Pod
from .services import Nomination, NominatingMode
from .state import CycleState
from .status import Status, status_of
from .statuses import NodeStatuses
from .verdicts import Verdicts
from .view import View


class RuntimeCalls:
    """Upstream's calls from PostFilter to PostBind, and those around the queue."""

    __slots__ = ()

    _handle: _core.Framework

    def _take(self, view: View) -> tuple[list[_core.Evaluator], _core.Evaluator]:
        raise NotImplementedError

    def run_filter_plugins_with_nominated_pods(self, state: CycleState, view: View, pod: Pod,
                                               node: str) -> Status:
        """Runs Filter on one node with the pods nominated to it.

        With those of the same or a higher priority on the node, and if there are any, without
        them, too.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.run_filter_with_nominated(
                state._handle, pod._handle, node))
        finally:
            pool.append(evaluator)

    def run_post_filter_plugins(
            self, state: CycleState, view: View, pod: Pod,
            statuses: NodeStatuses | Verdicts | Mapping[str, Status],
            ) -> tuple[Nomination | None, Status]:
        """Runs PostFilter: plugins may make room for a pod that no node takes.

        Parameters
        ----------
        statuses
            Why each node does not take the pod; what `fit` gave will do.

        Returns
        -------
        (Nomination or None, Status)
            What the plugins want of the pod's nomination, and Success if one made room.
        """
        if isinstance(statuses, Verdicts):
            statuses = {verdict.node: verdict.status for verdict in statuses if not verdict.fits}
        if not isinstance(statuses, NodeStatuses):
            statuses = NodeStatuses(statuses)
        pool, evaluator = self._take(view)
        try:
            mode, node, status = evaluator.run_post_filter(
                state._handle, pod._handle, statuses.on(view))
        finally:
            pool.append(evaluator)
        return Nomination(node, NominatingMode(mode)) if mode else None, status_of(status)

    def run_reserve_plugins_reserve(self, state: CycleState, view: View, pod: Pod,
                                    node: str) -> Status:
        """Runs Reserve alone; `assume` puts the pod on its node, too."""
        return self._on_node("run_reserve", state, view, pod, node)

    def run_reserve_plugins_unreserve(self, state: CycleState, view: View, pod: Pod,
                                      node: str) -> None:
        """Runs Unreserve alone, in reverse order; `forget` takes the pod off its node, too."""
        pool, evaluator = self._take(view)
        try:
            evaluator.run_unreserve(state._handle, pod._handle, node)
        finally:
            pool.append(evaluator)

    def run_permit_plugins(self, state: CycleState, view: View, pod: Pod,
                           node: str) -> tuple[dict[str, float], Status]:
        """Runs Permit.

        Returns
        -------
        (dict from plugin to seconds, Status)
            Which plugins let the pod wait, and how long. With status Wait hand them to
            `Services.add_waiting_pod`.
        """
        pool, evaluator = self._take(view)
        try:
            waits, status = evaluator.run_permit(state._handle, pod._handle, node)
        finally:
            pool.append(evaluator)
        return {plugin: wait / 1e9 for plugin, wait in waits}, status_of(status)

    def wait_on_permit(self, view: View, pod: Pod) -> Status:
        """Waits by the services' clock until the pod is allowed, rejected or out of time.

        Success at once if it does not wait. Other threads may use the cluster meanwhile.
        """
        pool, evaluator = self._take(view)
        try:
            return status_of(evaluator.wait_on_permit(pod._handle))
        finally:
            pool.append(evaluator)

    def run_pre_bind_pre_flights(self, state: CycleState, view: View, pod: Pod,
                                 node: str) -> Status:
        """Runs PreBindPreFlight: Skip if there is nothing to do before the pod is bound."""
        return self._on_node("run_pre_bind_pre_flights", state, view, pod, node)

    def run_pre_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs PreBind."""
        return self._on_node("run_pre_bind", state, view, pod, node)

    def run_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs Bind up to the first plugin that does not skip it; Skip if all do."""
        return self._on_node("run_bind", state, view, pod, node)

    def run_post_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> None:
        """Runs PostBind."""
        pool, evaluator = self._take(view)
        try:
            evaluator.run_post_bind(state._handle, pod._handle, node)
        finally:
            pool.append(evaluator)

    def _on_node(self, call: str, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        pool, evaluator = self._take(view)
        try:
            run: Any = getattr(evaluator, call)
            return status_of(run(state._handle, pod._handle, node))
        finally:
            pool.append(evaluator)

    def sign_pod(self, view: View, pod: Pod) -> str | None:
        """A text that pods which get the same answers from the same nodes have in common.

        None if the pod, or a plugin of the profile, cannot be signed.
        """
        if not isinstance(view, View):
            raise MisuseError(f"a Cluster or Snapshot is expected, not a {type(view).__name__}")
        pool, evaluator = self._take(view)
        try:
            return evaluator.sign_pod(pod._handle) or None
        finally:
            pool.append(evaluator)

    @property
    def events(self) -> dict[str, list[ClusterEvent]]:
        """Per plugin that may reject pods, the events after which they are worth another try."""
        return {plugin: [ClusterEvent(event["resource"], Action(event["actions"]),
                                      event.get("label", ""), bool(event.get("hint")))
                         for event in events]
                for plugin, events in json.loads(self._handle.events()).items()}

    def queue_less(self, a: Pod, a_since_ns: int, b: Pod, b_since_ns: int) -> bool:
        """Whether a pod that is queued since a time comes before another one."""
        return self._handle.queue_less(a._handle, a_since_ns, b._handle, b_since_ns)
