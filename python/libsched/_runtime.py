"""The extension points from PostFilter on, as methods of Framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._arguments import instance, names_arguments
from ._evaluators import Calls
from .errors import MisuseError
from .events import Action, ClusterEvent
from .objects import Pod, pod_handle
from .services import Nomination, NominatingMode
from .state import CycleState
from .state import handle_of as state_handle
from .status import Status, status_of
from .statuses import NodeStatuses
from .verdicts import Verdicts
from .view import View


@names_arguments
class RuntimeCalls(Calls):
    """The calls of Framework from PostFilter to PostBind, and those of the queue."""

    __slots__ = ()

    def run_filter_plugins_with_nominated_pods(self, state: CycleState, view: View, pod: Pod,
                                               node: str) -> Status:
        """Runs Filter on one node, taking nominated pods into account.

        If pods of the same or a higher priority are nominated to the node, Filter runs with them on
        the node, and again without them.

        Raises
        ------
        NotFoundError
            There is no such node.
        """
        with self._take(view) as evaluator:
            return status_of(evaluator.run_filter_with_nominated(
                state_handle(state), pod_handle(pod), node))

    def run_post_filter_plugins(
            self, state: CycleState, view: View, pod: Pod,
            statuses: NodeStatuses | Verdicts | Mapping[str, Status],
            ) -> tuple[Nomination | None, Status]:
        """Runs PostFilter, whose plugins may make room for a pod that no node takes.

        Parameters
        ----------
        statuses
            The reasons why nodes do not take the pod, such as the result of `fit`.

        Returns
        -------
        (Nomination or None, Status)
            The wanted change of the pod's nomination, and Success if a plugin made room.
        """
        if isinstance(statuses, Verdicts):
            statuses = {verdict.node: verdict.status for verdict in statuses if not verdict.fits}
        if not isinstance(statuses, NodeStatuses):
            statuses = NodeStatuses(statuses)
        with self._take(view) as evaluator:
            mode, node, status = evaluator.run_post_filter(
                state_handle(state), pod_handle(pod), statuses.on(view))
        return Nomination(node, NominatingMode(mode)) if mode else None, status_of(status)

    def run_reserve_plugins_reserve(self, state: CycleState, view: View, pod: Pod,
                                    node: str) -> Status:
        """Runs Reserve alone. `assume` also puts the pod on its node."""
        return self._on_node("run_reserve", state, view, pod, node)

    def run_reserve_plugins_unreserve(self, state: CycleState, view: View, pod: Pod,
                                      node: str) -> None:
        """Runs Unreserve alone, in reverse order. `forget` also removes the pod from its node."""
        with self._take(view) as evaluator:
            evaluator.run_unreserve(state_handle(state), pod_handle(pod), node)

    def run_permit_plugins(self, state: CycleState, view: View, pod: Pod,
                           node: str) -> tuple[dict[str, float], Status]:
        """Runs Permit.

        Returns
        -------
        (dict from plugin to seconds, Status)
            The plugins that make the pod wait, with their timeouts. If the status is Wait, pass
            them to `Services.add_waiting_pod`.
        """
        with self._take(view) as evaluator:
            waits, status = evaluator.run_permit(state_handle(state), pod_handle(pod), node)
        return {plugin: wait / 1e9 for plugin, wait in waits}, status_of(status)

    def wait_on_permit(self, view: View, pod: Pod) -> Status:
        """Waits until a waiting pod is allowed, rejected, or timed out by the services' clock.

        Returns Success at once if the pod is not waiting. Other threads may use the cluster
        meanwhile.
        """
        with self._take(view) as evaluator:
            return status_of(evaluator.wait_on_permit(pod_handle(pod)))

    def run_pre_bind_pre_flights(self, state: CycleState, view: View, pod: Pod,
                                 node: str) -> Status:
        """Runs PreBindPreFlight. Skip means that there is nothing to do before binding."""
        return self._on_node("run_pre_bind_pre_flights", state, view, pod, node)

    def run_pre_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs PreBind."""
        return self._on_node("run_pre_bind", state, view, pod, node)

    def run_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        """Runs Bind up to the first plugin that does not skip the pod; Skip if all do."""
        return self._on_node("run_bind", state, view, pod, node)

    def run_post_bind_plugins(self, state: CycleState, view: View, pod: Pod, node: str) -> None:
        """Runs PostBind."""
        with self._take(view) as evaluator:
            evaluator.run_post_bind(state_handle(state), pod_handle(pod), node)

    def _on_node(self, call: str, state: CycleState, view: View, pod: Pod, node: str) -> Status:
        with self._take(view) as evaluator:
            run: Any = getattr(evaluator, call)
            return status_of(run(state_handle(state), pod_handle(pod), node))

    def sign_pod(self, view: View, pod: Pod) -> str | None:
        """Returns a text that is equal for pods that get the same answers on the same nodes.

        None if the pod cannot be signed, or a plugin of the profile cannot sign pods.
        """
        if not isinstance(view, View):
            raise MisuseError(f"a Cluster or Snapshot is expected, not a {type(view).__name__}")
        with self._take(view) as evaluator:
            return evaluator.sign_pod(pod_handle(pod)) or None

    @property
    def events(self) -> dict[str, list[ClusterEvent]]:
        """The events after which rejected pods are worth a retry, by plugin that rejects pods."""
        events: dict[str, list[ClusterEvent]] = {}
        for plugin, resource, actions, label, has_hint in self._handle.events():
            events.setdefault(plugin, []).append(
                ClusterEvent(resource, Action(actions), label, has_hint))
        return events

    def queue_less(self, a: Pod, a_since_ns: int, b: Pod, b_since_ns: int) -> bool:
        """Returns whether a pod queued at one time precedes another pod queued at another time."""
        return self._handle.queue_less(a._handle, a_since_ns, b._handle, b_since_ns)
