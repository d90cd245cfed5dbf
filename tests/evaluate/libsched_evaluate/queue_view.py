"""Describing a queue in the form of a golden result of mode queue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from libsched import k8s_version
from libsched.objects import Pod
from libsched.queue import Queue, QueuedPod

Result = dict[str, Any]


class QueueView:
    """Looks into a queue. Times are nanoseconds since `start`."""

    def __init__(self, queue: Queue, start: int, release: str = "") -> None:
        self.versions: dict[Pod, str] = {}  # the resourceVersion of each version of a pod
        self._queue = queue
        self._start = start
        self._waiting = "unschedulableEntities" if (release or k8s_version) == "1.37" else "unschedulablePods"
        self._last: dict[str, Result] = {}

    def info(self, queued: QueuedPod) -> Result:
        """Returns upstream's QueuedPodInfo. Fields that are zero or empty are absent."""
        fields: Result = {
            "rv": self.versions.get(queued.pod, "1"), "attempts": queued.attempts,
            "unschedulableCount": queued.unschedulable_count,
            "consecutiveErrorsCount": queued.consecutive_errors_count,
            "wasFlushed": queued.was_flushed,
            "unschedulablePlugins": list(queued.unschedulable_plugins),
            "pendingPlugins": list(queued.pending_plugins), "gatingPlugin": queued.gating_plugin}
        result = {key: value for key, value in fields.items() if value}
        for key, time in (("initialAttempt", queued.initial_attempt_ns),
                          ("backoffExpiration", queued.backoff_expiration_ns)):
            if time is not None:
                result[key] = time - self._start
        return {**result, "timestamp": queued.timestamp_ns - self._start}

    def state(self) -> Result:
        """Returns the queue as it is now, with the pods whose info is new since the last call."""
        queue, counts = self._queue, self._queue.counts
        parts = {part: queue.list(part)
                 for part in ("active", "backoff", "errorBackoff", "unschedulable")}
        state: Result = {part: _keys(pods) for part, pods in parts.items()}
        state["gated"] = _keys(queue.list("gated"))
        state["inFlight"] = [entry if isinstance(entry, str) else f"pod {entry.key}"
                             for entry in queue.in_flight()]
        state["nominated"] = {node: _keys(pods) for node, pods in queue.nominated().items()}
        now = {queued.key: self.info(queued) for pods in parts.values() for queued in pods}
        state["changed"] = {key: info for key, info in now.items() if self._last.get(key) != info}
        self._last = now
        return {**{key: value for key, value in state.items() if value},
                "cycle": counts.scheduling_cycle, "moveRequest": counts.move_request_cycle}

    def listing(self) -> Result:
        """Returns the answers of upstream's debugging methods."""
        active = _keys(self._queue.list("active"))
        backoff = _keys(self._queue.list("backoff")) + _keys(self._queue.list("errorBackoff"))
        unschedulable = _keys(self._queue.list("unschedulable"))
        return {
            "summary": f"activeQ:{len(active)}; backoffQ:{len(backoff)}; "
                       f"{self._waiting}:{len(unschedulable)}",
            "pending": sorted(active + backoff + unschedulable), "podsInActiveQ": sorted(active),
            "podsInBackoffQ": sorted(backoff), "unschedulablePods": unschedulable,
            "inFlightPods": sorted(entry.key for entry in self._queue.in_flight()
                                   if isinstance(entry, Pod))}


def _keys(pods: Iterable[Any]) -> list[str]:
    return [pod.key for pod in pods]
