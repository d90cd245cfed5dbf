"""Cluster events: what may help a pod that a plugin rejected, and what plugins are told of."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Any

from . import _core
from .objects import Node, Pod, _wrap_node, _wrap_pod


class Action(enum.IntFlag):
    """What happens to an object, with upstream's numbers."""

    ADD = 1
    DELETE = 2
    UPDATE_NODE_ALLOCATABLE = 4
    UPDATE_NODE_LABEL = 8
    UPDATE_NODE_TAINT = 16
    UPDATE_NODE_CONDITION = 32
    UPDATE_NODE_ANNOTATION = 64
    UPDATE_NODE_DECLARED_FEATURE = 128
    UPDATE_POD_LABEL = 256
    UPDATE_POD_SCALE_DOWN = 512
    UPDATE_POD_TOLERATION = 1024
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 2048
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 4096
    UPDATE = 8192 - 1 - 3
    ALL = 8192 - 1


@dataclasses.dataclass(frozen=True)
class ClusterEvent:
    """Something that may happen to objects of a kind.

    Attributes
    ----------
    resource : str
        As upstream's: ``"Pod"``, ``"Node"``, ``"storage.k8s.io/CSINode"``, ``"*"``.
    actions : Action
    label : str
        Upstream's name of it.
    has_hint : bool
        Whether the plugin is asked for a hint.
    """

    resource: str
    actions: Action = Action.ALL
    label: str = ""
    has_hint: bool = False

    @classmethod
    def of(cls, event: Any) -> ClusterEvent:
        """An event, also written as the name of a resource, or as (resource, actions)."""
        if isinstance(event, ClusterEvent):
            return event
        if isinstance(event, str):
            return cls(event)
        if isinstance(event, tuple) and len(event) == 2:
            return cls(event[0], Action(event[1]))
        raise TypeError(f"a ClusterEvent was expected, not {event!r}")


class ObjectChange:
    """An object that came (no `before`), changed, or went (no `after`).

    Lent to a plugin's method, and not valid after it.
    """

    __slots__ = ("_handle",)

    _handle: _core.ObjectChange

    @property
    def resource(self) -> str:
        """``"Pod"``, ``"Node"``, ..."""
        return self._handle.resource

    @property
    def namespace(self) -> str:
        return self._handle.namespace

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def actions(self) -> Action:
        """What happened, as upstream's queue is told of it.

        `Action.ADD`, `Action.DELETE`, or what differs between two versions of a pod
        (`Action.UPDATE` if nothing that has a name of its own) or node (nothing if nothing that
        counts); `Action.UPDATE` for other kinds. With the default feature gates.
        """
        return Action(self._handle.actions)

    @property
    def is_new(self) -> bool:
        """Whether the object was not there before."""
        return not self._handle.has(False)

    @property
    def is_gone(self) -> bool:
        """Whether the object is not there any more."""
        return not self._handle.has(True)

    @property
    def before(self) -> Pod | Node | None:
        """The pod or node as it was; None if it was not there, or is of another kind."""
        return self._object(False)

    @property
    def after(self) -> Pod | Node | None:
        """The pod or node as it is; None if it is not there, or is of another kind."""
        return self._object(True)

    def raw(self, after: bool = True) -> dict[str, Any]:
        """The document.

        Raises
        ------
        StateError
            It was parsed without `keep_raw`.
        """
        document: dict[str, Any] = json.loads(self._handle.raw(after))
        return document

    def _object(self, after: bool) -> Pod | Node | None:
        handle = self._handle.object(after)
        if isinstance(handle, _core.Pod):
            return _wrap_pod(handle)
        return None if handle is None else _wrap_node(handle)

    def __repr__(self) -> str:
        verb = "new" if self.is_new else "gone" if self.is_gone else "changed"
        return f"<{verb} {self.resource} {self.namespace}/{self.name}>"


class JSON(str):
    """A part of a signature that is JSON already; other values are made JSON."""

    __slots__ = ()
