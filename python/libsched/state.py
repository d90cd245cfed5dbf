"""CycleState: data that the plugins, and you, keep for one pod's scheduling cycle."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from .errors import NotFoundError, StateError
from .objects import Pod
from .services import Services, _wrap_services
from .view import View, _views


def _clone_value(value: Any) -> Any:
    clone = getattr(value, "clone", None)
    return clone() if callable(clone) and not isinstance(value, type) else value


class CycleState:
    """Data of one scheduling cycle.

    `Framework.run_pre_filter_plugins` fills it and the Filter plugins read it. You may keep Python
    objects in it under keys of your own.

    >>> state = CycleState()
    >>> state.write("example.com/tries", [1, 2])
    >>> state.read("example.com/tries")
    [1, 2]
    >>> state.clone().read("example.com/tries") is state.read("example.com/tries")
    True
    >>> state.delete("example.com/tries")
    >>> "example.com/tries" in state
    False

    Notes
    -----
    A value that has a method ``clone()`` is cloned with the state, as upstream's StateData is;
    any other is shared by the clones. Safe to use from several threads; run plugins on clones to
    run them at the same time.
    """

    __slots__ = ("_handle",)

    _handle: _core.CycleState

    def __init__(self) -> None:
        self._handle = _core.CycleState()

    def write(self, key: str, value: Any) -> None:
        """Stores `value` under `key`, replacing what was there."""
        self._handle.write(key, value)

    def read(self, key: str) -> Any:
        """What is stored under `key`.

        Raises
        ------
        NotFoundError
            There is nothing.
        """
        found, value = self._handle.read(key)
        if not found:
            raise NotFoundError(f'no "{key}" in this CycleState')
        return value

    def delete(self, key: str) -> None:
        """Removes what is stored under `key`, if anything is."""
        self._handle.delete(key)

    def clone(self) -> CycleState:
        """An independent state with clones of all values."""
        made = object.__new__(CycleState)
        made._handle = self._handle.clone(_clone_value)
        return made

    def skips_filter(self, plugin: str) -> bool:
        """Whether PreFilter of `plugin` asked to skip its Filter."""
        return self._handle.skips_filter(plugin)

    def skips_score(self, plugin: str) -> bool:
        """Whether PreScore of `plugin` asked to skip its Score."""
        return self._handle.skips_score(plugin)

    def skips_pre_bind(self, plugin: str) -> bool:
        """Whether PreBindPreFlight of `plugin` asked to skip its PreBind."""
        return self._handle.skips_pre_bind(plugin)

    def parallel_pre_bind(self, plugin: str) -> bool:
        """Whether PreBind of `plugin` may run beside others."""
        return self._handle.parallel_pre_bind(plugin)

    def activate(self, pod: Pod) -> None:
        """Upstream's PodsToActivate: once the cycle succeeded the queue shall try this pod again."""
        self._handle.activate(pod._handle)

    def take_activations(self) -> list[str]:
        """The pods that `activate` was called for, as ``namespace/name``, sorted; forgets them."""
        keys: list[str] = json.loads(self._handle.take_activations())
        return keys

    @property
    def view(self) -> View:
        """In a plugin's method: the cluster or snapshot that is asked about.

        Raises
        ------
        StateError
            This is not a state that a plugin was lent.
        """
        view = _views.get(self._handle.view_address)
        if view is None:
            raise StateError("only a state that a plugin's method is lent has a view")
        return view

    @property
    def services(self) -> Services:
        """In a plugin's method: clock, API client, nominated and waiting pods of the scheduler.

        Raises
        ------
        StateError
            This is not a state that a plugin was lent.
        """
        handle = self._handle.services
        if handle is None:
            raise StateError("only a state that a plugin's method is lent has services")
        return _wrap_services(handle)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._handle.read(key)[0]

    def __repr__(self) -> str:
        return f"<CycleState with {sorted(self._handle.keys())}>"
