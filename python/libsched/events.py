"""Cluster events, after which a rejected pod may fit, and the changes that plugins hear of."""

from __future__ import annotations

import dataclasses
import enum
import json
from typing import Any

from . import _core
from ._arguments import names_arguments
from .objects import Node, Pod, _wrap_node, _wrap_pod


class Action(enum.IntFlag):
    """A set of things that happen to an object, with the numbers of upstream's 1.36."""

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
    #: With the semantics of 1.37; part of UPDATE and ALL there.
    UPDATE_POD_SCALE_UP = 8192


@dataclasses.dataclass(frozen=True)
class ClusterEvent:
    """A change of objects of some kind.

    Attributes
    ----------
    resource : str
        The kind in upstream's spelling: ``"Pod"``, ``"storage.k8s.io/CSINode"``, ``"*"`` for all.
    actions : Action
    label : str
        Upstream's name of the event.
    has_hint : bool
        Whether the plugin has a queueing hint for the event.
    """

    resource: str
    actions: Action = Action.ALL
    label: str = ""
    has_hint: bool = False

    @classmethod
    def of(cls, event: Any) -> ClusterEvent:
        """Converts a resource name or a pair (resource, actions) to an event."""
        if isinstance(event, ClusterEvent):
            return event
        if isinstance(event, str):
            return cls(event)
        if isinstance(event, tuple) and len(event) == 2:
            return cls(event[0], Action(event[1]))
        raise TypeError(f"a ClusterEvent was expected, not {event!r}")


@names_arguments
class ObjectChange:
    """An object that was added (no `before`), changed, or removed (no `after`).

    Valid only during the method of a plugin that gets it.
    """

    __slots__ = ("_handle",)

    _handle: _core.ObjectChange

    def __init__(self) -> None:
        raise TypeError("an ObjectChange is lent to a plugin's method")

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
        """The kinds of change, as upstream's queue sees them with the default feature gates.

        `Action.ADD`, `Action.DELETE`, or for two versions of a pod or node the parts that differ.
        A pod with no such difference has `Action.UPDATE`, a node has none; objects of other kinds
        always have `Action.UPDATE`.
        """
        return Action(self._handle.actions)

    @property
    def is_new(self) -> bool:
        """Whether the object was added."""
        return not self._handle.has(False)

    @property
    def is_gone(self) -> bool:
        """Whether the object was removed."""
        return not self._handle.has(True)

    @property
    def before(self) -> Pod | Node | None:
        """The pod or node before the change; None if it was added or has another kind."""
        return self._object(False)

    @property
    def after(self) -> Pod | Node | None:
        """The pod or node after the change; None if it was removed or has another kind."""
        return self._object(True)

    def raw(self, after: bool = True) -> dict[str, Any]:
        """Returns the document of the object after (or before) the change.

        Raises
        ------
        StateError
            The object was parsed without `keep_raw`.
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
    """A part of a signature that is JSON already. Values of other types are converted to JSON."""

    __slots__ = ()
