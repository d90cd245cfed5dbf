"""Warnings and hints about input that is probably not meant as it is written."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from .errors import InputWarning

#: Less than any program needs, in bytes: `512m` is half a byte.
_LITTLE_MEMORY = 1 << 16
_MOST_OBJECTS = 1000

_KINDS = {kind.lower(): kind for kind in (
    "Pod", "Node", "Namespace", "Service", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet",
    "ReplicationController", "Job", "CronJob", "PersistentVolume", "PersistentVolumeClaim",
    "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment",
    "PriorityClass", "PodDisruptionBudget", "PodGroup", "CompositePodGroup", "ResourceClaim",
    "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "DeviceTaintRule", "RuntimeClass", "LimitRange", "List")}
_BYTES = re.compile(r'"([0-9.]+)([kKMGTP])i?[bB]": quantities must match')


def quantity_hint(message: str) -> str:
    """Returns a hint for the error about an amount such as 1GB; empty for other errors."""
    found = _BYTES.match(message)
    if not found:
        return ""
    number, unit = found.groups()
    return f'; did you mean "{number}{unit.upper()}i" (powers of 1024) or "{number}{unit}"?'


def kind_hint(skipped: Iterable[dict[str, Any]]) -> str:
    """Returns a hint if a kind that was not read is one of Kubernetes' in another case."""
    for entry in skipped:
        name = str(entry["kind"]).rpartition(" ")[2]
        meant = _KINDS.get(name.lower())
        if meant is not None and meant != name:
            return f'kind "{name}": did you mean "{meant}"?'
    return ""


def warn(reports: list[dict[str, Any]], pods: list[Any], nodes: list[Any]) -> None:
    """Warns about unknown fields, misspelt kinds and amounts of memory that cannot be meant."""
    unknown = sum(report.get("unknownFields", 0) for report in reports)
    if unknown:
        places = [entry for report in reports for entry in report.get("warnings", ())
                  if entry["message"].startswith("unknown field")]
        named = ", ".join(entry["path"] + entry["message"].removeprefix("unknown field")
                          for entry in places[:3])
        rest = unknown - len(places[:3])
        more = f" and {rest} more" if named and rest else ""
        _say(f"{unknown} unknown field{'s' * (unknown != 1)} ignored"
             + (f": {named}{more}" if named else "; strict=True refuses them"))
    hint = kind_hint(entry for report in reports for entry in report.get("skipped", ()))
    if hint:
        _say(f"not read: {hint}")
    if len(pods) + len(nodes) > _MOST_OBJECTS:
        return
    for one, amount, verb in [*((pod, pod.request("memory"), "asks for") for pod in pods),
                              *((node, node.allocatable("memory"), "has") for node in nodes)]:
        if 0 < amount < _LITTLE_MEMORY:
            _say(f"{one!r} {verb} {amount} byte{'s' * (amount != 1)} of memory: in quantities m is "
                 "a thousandth; did you mean Mi?")


def _say(message: str) -> None:
    level = 2
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "libsched":
        level += 1
        if frame.f_back is None:
            break
        frame = frame.f_back
    warnings.warn(message, InputWarning, stacklevel=level)
