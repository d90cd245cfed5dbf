"""Files with a KubeSchedulerConfiguration: the file itself, or a ConfigMap that holds some in its data."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator

from ..config import MOST_BYTES, Config, EmbeddedConfig, embedded_configs, nonempty, read_file
from ..errors import Error, InvalidError
from ..framework import Framework
from . import reading
from .parsing import nearest

POINTS = ("preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score",
          "reserve", "permit", "preBind", "bind", "postBind", "placementGenerate",
          "placementScore", "podGroupPostFilter")
_LISTS = (*POINTS, "multiPoint")
_OF_A_PROFILE = ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")
_UNKNOWN = re.compile(r'unknown field "([^"]+)"')


def document(name: str) -> bytes:
    """Returns what a file, or standard input for ``-``, holds.

    Raises
    ------
    FileError
        It cannot be read.
    InvalidError
        It is empty.
    """
    return nonempty(reading.standard_input(MOST_BYTES)) if name == "-" else read_file(name)


def within(text: bytes) -> list[EmbeddedConfig]:
    """Returns the configurations that stand in a document as whole files; none in a configuration."""
    return [one for one in embedded_configs(text) if one.is_file]


def source(name: str) -> bytes:
    """Returns the configuration of a file of --config.

    Raises
    ------
    InvalidError
        The file holds several configurations.
    FileError
        It cannot be read.
    """
    text = read_file(name)
    found = within(text)
    if len(found) > 1:
        places = ", ".join(one.place for one in found)
        raise InvalidError(f"{name} holds {len(found)} configurations, {places}; put one into a file of its own")
    return found[0].text.encode() if found else text


def unable(config: Config) -> Iterator[dict[str, str]]:
    """Yields the profiles that are valid but that this version cannot run, with the reason."""
    for profile in config.profiles:
        try:
            Framework(config, profile=profile)
        except Error as error:
            yield {"profile": profile, "error": str(error), "plugin": error.plugin}


def has_extenders(name: str, releases: Iterable[str], gates: str) -> bool:
    """Returns whether a file is a configuration with extenders, as the first of the releases that takes it has it;
    errors of it are reported later.
    """
    for semantics in releases:
        with contextlib.suppress(Error):
            return Config(source(name), semantics=semantics, feature_gates=gates).extenders > 0
    return False


def hint(error: Error, text: bytes) -> str:
    """Returns what may help with the error about a configuration; empty if nothing is known."""
    told = reading.not_text(text)
    if told:
        return told
    for one in embedded_configs(text):
        return f"{one.place} holds a KubeSchedulerConfiguration; hand over that"
    for field in _UNKNOWN.findall(str(error)):
        place, _, last = field.rpartition(".")
        if last in _LISTS and not place.endswith("plugins"):
            return f"did you mean {place + '.' if place else 'profiles[0].'}plugins.{last}?"
        if not place and last in _OF_A_PROFILE:
            return f"{last} belongs to a profile; did you mean profiles[0].{last}?"
        if place.endswith("plugins") and last not in _LISTS:  # else the release lacks the point
            return nearest(last, _LISTS).removeprefix("; ")
    return ""
