"""Conversions between the handles that a plugin's method gets or returns and Python objects.

The extension module looks these functions up by name and calls them for every slot.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import MisuseError, PluginError
from .events import JSON, ClusterEvent, ObjectChange
from .nodes import LentNode, NodeSet
from .objects import _wrap_pod
from .services import Services, _wrap_services
from .state import CycleState
from .statuses import NodeStatuses
from .view import View, _views

if TYPE_CHECKING:
    import numpy

wrap_pod = _wrap_pod
_new = object.__new__


def wrap_state(handle: _core.CycleState) -> CycleState:
    state = _new(CycleState)
    state._handle = handle
    return state


def wrap_node_info(handle: _core.NodeInfo) -> LentNode:
    node = _new(LentNode)
    node._handle = handle
    return node


def wrap_node_set(handle: _core.NodeSet) -> NodeSet:
    nodes = _new(NodeSet)
    nodes._handle = handle
    return nodes


def wrap_statuses(handle: _core.NodeStatuses) -> NodeStatuses:
    return NodeStatuses._of(handle)


def wrap_change(handle: _core.ObjectChange) -> ObjectChange:
    change = _new(ObjectChange)
    change._handle = handle
    return change


def wrap_scores(data: bytearray) -> Any:
    """Returns a numpy array over the bytes; without numpy, a list."""
    try:
        import numpy
    except ImportError:
        return memoryview(data).cast("q").tolist()
    scores: numpy.typing.NDArray[numpy.int64] = numpy.frombuffer(data, numpy.int64)
    return scores


class QueuedPod:
    """A pod in the queue, as an argument of the plugin method `less`."""

    __slots__ = ("pod", "since_ns")

    def __init__(self, pod: Any, since_ns: int) -> None:
        self.pod = pod
        self.since_ns = since_ns

    def __repr__(self) -> str:
        return f"<QueuedPod {self.pod.key}>"


wrap_queued = QueuedPod


def view_at(address: int) -> View:
    try:
        return _views[address]
    except KeyError:
        raise MisuseError("the view is not one that Python knows") from None


class Handle:
    """The view and the services of a scheduler, an argument of the plugin method `on_event`."""

    __slots__ = ("_address", "services")

    def __init__(self, address: int, services: Services) -> None:
        self._address = address
        self.services = services

    @property
    def view(self) -> View:
        return view_at(self._address)


def handle_of(address: int, services: _core.Services) -> Handle:
    return Handle(address, _wrap_services(services))


def registered_events(events: Iterable[Any]) -> list[ClusterEvent]:
    """Converts the result of events_to_register() to ClusterEvents."""
    return [ClusterEvent.of(event) for event in events]


def signature_parts(result: Any) -> tuple[list[tuple[str, str]], Any]:
    """Converts the result of sign_pod() to parts as JSON, and a status."""
    parts, status = result if isinstance(result, tuple) and len(result) == 2 else (result, None)
    if parts is None or isinstance(parts, (str, bool, int)) or hasattr(parts, "reasons"):
        return [], parts if status is None else status
    if not isinstance(parts, Mapping):
        raise TypeError(f"a dict of parts was expected, not {type(parts).__name__}")
    return [(key, value if isinstance(value, JSON) else json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
        for key, value in parts.items()], status


def failure(plugin: str, method: str, error: BaseException) -> tuple[BaseException, str]:
    """Returns the exception to raise for one of a plugin, and the text of the plugin's status."""
    text = "".join(traceback.format_exception(error)).rstrip()
    if not isinstance(error, Exception):  # such as KeyboardInterrupt
        return error, text
    message = f'plugin "{plugin}", {method}: {type(error).__name__}: {error}'
    raised = PluginError(message, "", plugin)
    raised.__cause__ = error
    return raised, text
