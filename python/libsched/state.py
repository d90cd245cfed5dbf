"""CycleState: the data that plugins and callers keep during a pod's scheduling cycle."""

from __future__ import annotations

from typing import Any

from . import _core
from ._arguments import instance, named_error, names_arguments_but
from ._handled import Handled
from .errors import NotFoundError, StateError
from .objects import Pod
from .services import Services, _wrap_services
from .view import View, _views


def _clone_value(value: Any) -> Any:
    clone = getattr(value, "clone", None)
    return clone() if callable(clone) and not isinstance(value, type) else value


@names_arguments_but("read", "write")
class CycleState(Handled):
    """The data of a scheduling cycle.

    `Framework.run_pre_filter_plugins` fills it, and Filter plugins read it. It holds Python objects
    under keys of your own, too.

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
    A value with a method ``clone()`` is cloned with the state, like upstream's StateData; other
    values are shared by the clones. Several threads may use a state; to run plugins concurrently,
    give each thread a clone.
    """

    __slots__ = ()

    _handle: _core.CycleState

    def __init__(self) -> None:
        self._handle = _core.CycleState()

    def write(self, key: str, value: Any) -> None:
        """Stores `value` under `key`, replacing a previous value."""
        try:
            self._handle.write(key, value)
        except TypeError as error:
            raise named_error(error, CycleState.write, self, key, value) from None

    def read(self, key: str) -> Any:
        """Returns the value stored under `key`.

        Raises
        ------
        NotFoundError
            There is no such value.
        """
        try:
            found, value = self._handle.read(key)
        except TypeError as error:
            raise named_error(error, CycleState.read, self, key) from None
        if not found:
            raise NotFoundError(f'no "{key}" in this CycleState')
        return value

    def delete(self, key: str) -> None:
        """Removes the value stored under `key`, if there is one."""
        self._handle.delete(key)

    def clone(self) -> CycleState:
        """Returns an independent state with clones of all values."""
        return self._of(self._handle.clone(_clone_value))

    def skips_filter(self, plugin: str) -> bool:
        """Returns whether PreFilter of `plugin` asked to skip its Filter."""
        return self._handle.skips_filter(plugin)

    def skips_score(self, plugin: str) -> bool:
        """Returns whether PreScore of `plugin` asked to skip its Score."""
        return self._handle.skips_score(plugin)

    def skips_pre_bind(self, plugin: str) -> bool:
        """Returns whether PreBindPreFlight of `plugin` asked to skip its PreBind."""
        return self._handle.skips_pre_bind(plugin)

    def parallel_pre_bind(self, plugin: str) -> bool:
        """Returns whether PreBind of `plugin` may run concurrently with others."""
        return self._handle.parallel_pre_bind(plugin)

    def activate(self, pod: Pod) -> None:
        """Asks the queue to retry a pod once this cycle succeeds: upstream's PodsToActivate."""
        self._handle.activate(pod._handle)

    def take_activations(self) -> list[str]:
        """Returns the pods to activate as sorted ``namespace/name``, and forgets them."""
        return [f"{namespace}/{name}" for namespace, name in self._handle.take_activations()]

    @property
    def view(self) -> View:
        """The cluster or snapshot that a plugin's method is called for.

        Raises
        ------
        StateError
            The state does not come from a plugin's method.
        """
        view = _views.get(self._handle.view_address)
        if view is None:
            raise StateError("only a state that a plugin's method is lent has a view")
        return view

    @property
    def services(self) -> Services:
        """The services of the scheduler that calls a plugin's method.

        Raises
        ------
        StateError
            The state does not come from a plugin's method.
        """
        handle = self._handle.services
        if handle is None:
            raise StateError("only a state that a plugin's method is lent has services")
        return _wrap_services(handle)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._handle.read(key)[0]

    def __repr__(self) -> str:
        return f"<CycleState with {sorted(self._handle.keys())}>"


def handle_of(state: CycleState) -> _core.CycleState:
    """As the extension wants it."""
    return instance(state, CycleState, "state")._handle
