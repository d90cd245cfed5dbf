"""Config: a KubeSchedulerConfiguration, decoded and defaulted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from . import _core
from ._arguments import names_arguments, wrong
from ._sources import ConfigSource, config_document
from .errors import FileError, InvalidError, MisuseError

#: Bytes of a file that are read: far more than a configuration may have, and devices have no end.
MOST_BYTES = 64 << 20


@names_arguments
class Config:
    """A KubeSchedulerConfiguration v1, decoded, defaulted and validated as upstream does it.

    Parameters
    ----------
    source : optional
        A path, a document (str or bytes, YAML or JSON) or a dict; by default upstream's defaults.
    several_queue_sorts : bool
        Allow several plugins at ``queueSort``. All profiles must list the same ones.
    feature_gates : mapping or str, optional
        They decide on defaults and on what is valid. A framework sets the defaults anew, and
        validates, with its own.
    semantics : str, optional
        The release whose fields, defaults, rules and texts apply, as for a `Framework`. Frameworks
        of the configuration follow it, and with other semantics they are an error. By default
        `k8s_version`, and a framework of another release reads the document anew.

    Raises
    ------
    InvalidError
        The configuration is invalid. The message is upstream's. A file is empty.
    UnsupportedError
        There are no such semantics, or the configuration is one of upstream's internal version.

    Examples
    --------
    >>> Config().profiles
    ['default-scheduler']
    """

    __slots__ = ("_handle", "_made_of")

    _handle: _core.Config

    def __init__(self, source: ConfigSource | None = None, *, several_queue_sorts: bool = False,
                 feature_gates: Mapping[str, bool] | str | None = None,
                 semantics: str | None = None) -> None:
        text: Any = b""
        if source is not None:
            document = config_document(source)
            text = document.text if document.path is None else read_file(document.path)
        gates, release = gates_text(feature_gates), semantics_text(semantics)
        self._made_of = (_owned(text), several_queue_sorts, False, gates, release)
        self._handle = _core.Config.parse(text, several_queue_sorts, gates, release)

    @classmethod
    def of_profile(cls, source: ConfigSource, *, semantics: str | None = None) -> Config:
        """Makes a configuration of a single KubeSchedulerProfile, taken as it is.

        It gets no default plugins and is not validated, like a profile that upstream's
        NewFramework gets.
        """
        made = object.__new__(cls)
        document = config_document(source)
        text: Any = document.text if document.path is None else read_file(document.path)
        release = semantics_text(semantics)
        made._made_of = (_owned(text), False, True, "", release)
        made._handle = _core.Config.parse_profile(text, release)
        return made

    @property
    def profiles(self) -> list[str]:
        """The scheduler names of the profiles."""
        return self._handle.profile_names

    @property
    def extenders(self) -> int:
        """The number of HTTP extenders, which get the documents of pods and nodes (`keep_raw`)."""
        return self._handle.extender_count

    def describe(self) -> dict[str, Any]:
        """Describes each profile: plugins by extension point with their weights, and arguments.

        Raises
        ------
        InvalidError
            A plugin cannot be made. The message is upstream's.
        """
        described: dict[str, Any] = json.loads(self._handle.describe())
        return described

    def __copy__(self) -> Config:
        return self

    def __deepcopy__(self, memo: object) -> Config:
        return self

    def __reduce__(self) -> Any:
        return _load_config, self._made_of

    def __repr__(self) -> str:
        return f"<Config of {', '.join(self.profiles)}>"


@dataclasses.dataclass(frozen=True)
class EmbeddedConfig:
    """A KubeSchedulerConfiguration that stands in another document.

    Attributes
    ----------
    place : str
        Where it stands, as in ``data["scheduler.yaml"]``.
    text : str
    is_file : bool
        Whether it stands in the data of a ConfigMap, or is a document or an item of a List. What reads any
        other place is not known.
    """

    place: str
    text: str
    is_file: bool


def embedded_configs(document: bytes) -> list[EmbeddedConfig]:
    """Returns the configurations within a document; none if the document is one itself, or cannot be read."""
    return [EmbeddedConfig(one["place"], one["text"], one["isFile"])
            for one in json.loads(_core.embedded_configs_json(document))]


def read_file(path: str) -> bytes:
    """Returns what a file holds; it must not be empty. Much more than a configuration may have is not read."""
    try:
        with open(path, "rb") as file:
            return nonempty(file.read(MOST_BYTES))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from error


def nonempty(text: bytes) -> bytes:
    """Returns the text of a file. An empty one would mean the defaults, which for kube-scheduler it does not."""
    if not text:
        raise InvalidError("Object 'Kind' is missing in ''", path="kind")
    return text


def _owned(text: Any) -> str | bytes:
    """Returns a text that its owner cannot change."""
    return text if isinstance(text, (str, bytes)) else bytes(text)


def _load_config(text: str | bytes, several_queue_sorts: bool, profile: bool,
                 gates: str, semantics: str) -> Config:
    return (Config.of_profile(text, semantics=semantics) if profile
            else Config(text or None, several_queue_sorts=several_queue_sorts, feature_gates=gates,
                        semantics=semantics))


def semantics_text(semantics: str | None) -> str:
    """Returns the semantics as a text, which is empty if none are given.

    Raises
    ------
    MisuseError
        They are not a text.
    """
    if semantics is not None and not isinstance(semantics, str):
        raise MisuseError(f'semantics is a text, such as "1.36" or "1.31", not {semantics!r}')
    return semantics or ""


def gates_text(gates: Mapping[str, bool] | str | None) -> str:
    """Returns feature gates as "A=true,B=false".

    Raises
    ------
    MisuseError
        They are neither a text nor a mapping of names to bools; a text "false" as a value would count as true.
    """
    if gates is None:
        return ""
    if isinstance(gates, str):
        return gates
    if not isinstance(gates, Mapping):
        raise MisuseError('feature_gates is a mapping of names to bools, or a text such as "A=true,B=false", not a '
                          f"{type(gates).__name__}")
    for name, on in gates.items():
        if not isinstance(on, bool):
            raise wrong(f"feature_gates[{name!r}]", "True or False", on)
    return ",".join(f"{name}={'true' if on else 'false'}" for name, on in gates.items())
