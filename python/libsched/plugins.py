"""Plugins in Python: classes with upstream's methods under Python names."""

from __future__ import annotations

import difflib
import importlib
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

from . import _core
from ._arguments import checks_arguments, names_arguments
from .errors import InvalidError
from .remote import RemotePlugin, without_password

_Class = TypeVar("_Class", bound=type)

_SPEC = "__libsched_plugin__"
#: Methods that are not enough to make a plugin.
_EXTENSIONS = ("add_pod", "remove_pod", "normalize_score", "queueing_hint")
_UPSTREAM: dict[str, str] = {name.replace("_", ""): name for name in _core.PLUGIN_METHODS}
#: How many arguments a method gets, unless it is three: the state, the pod, and a node or nodes.
_ARGUMENTS = {"pre_enqueue": 1, "less": 2, "pre_filter": 2, "add_pod": 4, "remove_pod": 4, "normalize_score": 4, "sign_pod": 1,
              "events_to_register": 0, "on_event": 2, "forked": 1, "reverted": 1, "committed": 1}
_LIKE = 0.8  # of difflib's ratio: "fliter" is like "filter", and "fork" is like "forked"


class Plugin:
    """An optional base class for plugins.

    A plugin implements the extension points whose methods it has. ``__init__`` may take the
    plugin's ``args`` of the configuration, a dict. The methods return:

    =====================  ===============================================================
    ``pre_filter``         a status; names of the nodes that are left; (names, status)
    ``filter``             a status
    ``filter_batch``       a mask of bool (True: fits) or an array of codes; (that, reasons),
                           with reasons a text of the class's ``reasons``, or indexes into them
    ``post_filter``        a status; a Nomination; (nomination or node, status)
    ``score``              a number; (number, status)
    ``score_batch``        an array of numbers
    ``normalize_score``    a status after changing the scores in place; new scores
    ``permit``             a status; (status, seconds or timedelta)
    ``pre_bind_pre_flight``  a status; (status, whether PreBind may run concurrently)
    ``sign_pod``           a dict of parts; a status
    ``events_to_register``  a list of ClusterEvents
    ``queueing_hint``, ``less``  a bool
    all others             a status
    =====================  ===============================================================

    A status is None or True (Success), False or a text (Unschedulable, with the text as the
    reason), a `Code` that the point knows, or a `Status`, which is told as it is. Numbers are
    truncated to integers. After an exception the status is an Error, and the call of the library
    raises a `PluginError` with the exception as its cause.

    Methods run on the thread that called the library. They may read ``state.view`` and call a
    Framework on it, but cannot change the cluster.

    Examples
    --------
    >>> import libsched
    >>> @libsched.plugin
    ... class OnlyTheta:
    ...     def filter(self, state, pod, node):
    ...         return node.name == "theta" or "node is not theta"
    >>> nodes = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": name},
    ...     "status": {"allocatable": {"cpu": "4", "pods": "9"}}} for name in ("eta", "theta")]
    >>> scheduler = libsched.Framework(plugins=[OnlyTheta])
    >>> fit = scheduler.fit(libsched.Cluster(nodes), {"kind": "Pod", "apiVersion": "v1",
    ...     "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})
    >>> fit.nodes, fit["eta"].status
    (['theta'], <Status Unschedulable by OnlyTheta: node is not theta>)
    """

    __slots__ = ()

    #: The texts that the reasons of batch methods refer to.
    reasons: tuple[str, ...] = ()


@names_arguments
class PluginSpec:
    """The name, weight and methods of a plugin class."""

    __slots__ = ("factory", "methods", "name", "reasons", "weight")

    def __init__(self, cls: type, name: str | None = None, weight: int | None = None) -> None:
        self.name: str = name or cls.__name__
        self.weight: int = _weight(self.name, weight)
        self.methods: list[str] = [method for method in _core.PLUGIN_METHODS
                        if callable(getattr(cls, method, None))]
        self.reasons: tuple[str, ...] = tuple(getattr(cls, "reasons", ()))
        self.factory: Callable[[str], Any] = _factory(cls)
        if isinstance(getattr(cls, "reasons", None), str) or not all(
                isinstance(reason, str) for reason in self.reasons):
            raise InvalidError(f'plugin "{self.name}": reasons must be a tuple of texts',
                               plugin=self.name)
        for attribute in dict.fromkeys(name for base in cls.__mro__ if base is not Plugin for name in vars(base)):
            meant = self._meant(cls, attribute)
            if meant is not None:
                raise InvalidError(f'plugin "{self.name}": the method {attribute} must be called '
                                   f"{meant}", plugin=self.name)
        if not set(self.methods).difference(_EXTENSIONS):
            raise InvalidError(f'plugin "{self.name}" has no method of an extension point, such as '
                               "filter, filter_batch, score or score_batch", plugin=self.name)


    def _meant(self, cls: type, attribute: str) -> str | None:
        """Returns the method that an attribute of a class is a misspelling of; None if it is none.

        It is one if it is spelt with other capitals or underscores, or is a method like one that the class lacks, which
        takes the same number of arguments.
        """
        if attribute.startswith("_") or attribute in _core.PLUGIN_METHODS:
            return None
        spelt = attribute.replace("_", "").lower()
        if spelt in _UPSTREAM:
            return _UPSTREAM[spelt]
        near = difflib.get_close_matches(spelt, _UPSTREAM, 1, _LIKE)
        meant = _UPSTREAM[near[0]] if near else None
        if meant is None or meant in self.methods or not _takes(getattr(cls, attribute), _ARGUMENTS.get(meant, 3)):
            return None
        return meant


def _takes(method: object, count: int) -> bool:
    """Whether something is a method that can be called with so many arguments."""
    if not inspect.isfunction(method):
        return False
    try:
        inspect.signature(method).bind(*range(1 + count))
    except TypeError:
        return False
    return True


@overload
def plugin(cls: _Class, /) -> _Class: ...
@overload
def plugin(*, name: str | None = None, weight: int | None = None) -> Callable[[_Class], _Class]: ...
@checks_arguments
def plugin(cls: Any = None, /, *, name: str | None = None, weight: int | None = None) -> Any:
    """Marks a class as a plugin; see `Plugin` for its methods.

    Parameters
    ----------
    name : str, optional
        The name in configurations and statuses; by default the name of the class.
    weight : int, optional
        The weight of the plugin's scores unless the configuration has one; from 1 to 2147483647,
        by default 1.

    Raises
    ------
    InvalidError
        The class has no method of an extension point, a method has a misspelt name, or the weight
        is out of range.
    """

    def mark(cls: _Class) -> _Class:
        setattr(cls, _SPEC, PluginSpec(cls, name, weight))
        return cls

    return mark if cls is None else mark(cls)


def registry_of(plugins: Iterable[Any]) -> _core.Registry | None:
    """Makes a registry of the in-tree plugins and the given ones.

    They are classes, instances, paths of shared objects, `RemotePlugin`, or texts like
    ``module:Class`` and ``Name=unix:/path`` (`RemotePlugin.parse`). A given plugin that no profile of a configuration names is enabled at MultiPoint.

    Raises
    ------
    InvalidError
        A text is neither, or its class cannot be imported.
    FileError
        A shared object cannot be loaded.
    """
    registry = None
    for given in plugins:
        if registry is None:
            registry = _core.Registry()
        if isinstance(given, str) and RemotePlugin.is_text(given):
            given = RemotePlugin.parse(given)
        if isinstance(given, RemotePlugin):
            given.add_to(registry)
            registry.enable(given.name, _weight(given.name, given.weight))
            continue
        if isinstance(given, os.PathLike) or (isinstance(given, str) and _is_file(given)):
            for name in registry.load(_loadable(os.fspath(given))):
                registry.enable(name, 0)
            continue
        spec, factory = _spec_of(_imported(given) if isinstance(given, str) else given)
        registry.add(spec.name, spec.methods, list(spec.reasons), factory)
        registry.enable(spec.name, spec.weight)
    return registry


def _is_file(text: str) -> bool:
    """Whether a text names a shared object.

    Raises
    ------
    InvalidError
        It is an address, but of no form that a plugin in another process has.
    """
    if "://" in text:
        raise InvalidError(f'the plugin "{without_password(text)}" has an unknown form of address; there are NAME=unix:PATH, '
                           "NAME=tcp:HOST:PORT, NAME=tls:HOST:PORT, NAME=http://..., NAME=https://... and "
                           "NAME=http+unix:PATH")
    return bool(re.search(r"\.so(\.\d+)*$", text)) or "/" in text


def _loadable(path: str) -> str:
    """Returns the path with a slash if the file exists: others are searched by the loader."""
    return os.path.abspath(path) if os.path.exists(path) else path


def _imported(text: str) -> Any:
    """Imports what ``module:Class`` names."""
    module, colon, name = text.partition(":")
    if not colon or not module or not name:
        raise InvalidError(f'the plugin "{text}" is neither a shared object (*.so) nor of the form '
                           "module:Class or NAME=ADDRESS")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise InvalidError(f'the plugin "{text}" cannot be imported: {type(error).__name__}: '
                           f"{error}") from error
    return found


def _weight(name: str, weight: object) -> int:
    """Checks a weight and returns it, or 0 for None, as the registry expects it."""
    if weight is None:
        return 0
    if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight < 1 << 31:
        raise InvalidError(f'plugin "{name}": the weight is a whole number from 1 to 2147483647, '
                           f"not {weight!r}", plugin=name)
    return weight


def _spec_of(given: Any) -> tuple[PluginSpec, Callable[[str], Any]]:
    cls = given if isinstance(given, type) else type(given)
    spec = vars(cls).get(_SPEC)
    if not isinstance(spec, PluginSpec):
        spec = PluginSpec(cls)
    return spec, spec.factory if isinstance(given, type) else lambda _: given


def _factory(cls: type) -> Callable[[str], Any]:
    """Returns a function that makes an instance, given the plugin's arguments as JSON."""
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        return lambda _: cls()
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc]
    takes = any(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.VAR_POSITIONAL)
                for one in parameters)
    return (lambda args: cls(json.loads(args) or {})) if takes else lambda _: cls()
