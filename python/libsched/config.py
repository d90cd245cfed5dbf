"""Config: a KubeSchedulerConfiguration, decoded and defaulted."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._sources import config_document
from .errors import FileError


class Config:
    """A KubeSchedulerConfiguration v1, decoded, defaulted and validated as upstream does.

    Parameters
    ----------
    source : optional
        A path, a document (str or bytes, YAML or JSON) or a dict. Nothing: upstream's defaults.
    several_queue_sorts : bool
        Profiles may list more than one plugin at ``queueSort``, which all profiles list alike; the
        frameworks of this configuration take them.

    Raises
    ------
    InvalidError
        With upstream's message.

    Examples
    --------
    >>> Config().profiles
    ['default-scheduler']
    """

    __slots__ = ("_handle",)

    _handle: _core.Config

    def __init__(self, source: object = None, *, several_queue_sorts: bool = False) -> None:
        text: Any = b""
        if source is not None:
            document = config_document(source)
            text = document.text if document.path is None else _read(document.path)
        self._handle = _core.Config.parse(text, several_queue_sorts)

    @classmethod
    def of_profile(cls, source: object) -> Config:
        """One KubeSchedulerProfile alone, taken as it is.

        Without default plugins and without validation, as upstream's NewFramework gets it.
        """
        made = object.__new__(cls)
        document = config_document(source)
        made._handle = _core.Config.parse_profile(
            document.text if document.path is None else _read(document.path))
        return made

    @property
    def profiles(self) -> list[str]:
        """The scheduler names of the profiles."""
        return self._handle.profile_names

    def describe(self) -> dict[str, Any]:
        """Per profile the plugins of each extension point with their weights, and the arguments.

        Raises
        ------
        InvalidError
            With upstream's message about plugins that cannot be made.
        """
        described: dict[str, Any] = json.loads(self._handle.describe())
        return described

    def __repr__(self) -> str:
        return f"<Config of {', '.join(self.profiles)}>"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from error
