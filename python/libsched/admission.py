"""What the API server's admission makes of objects that are created."""

from __future__ import annotations

import dataclasses
import json
from typing import Generic, TypeVar, overload

from . import _core
from ._arguments import names_arguments
from .errors import MisuseError
from .objects import Objects, Pod, Workload, _wrap_pod
from .view import View

T = TypeVar("T", Objects, Pod)


@dataclasses.dataclass(frozen=True)
class Remark:
    """A remark of admission on an object.

    Attributes
    ----------
    kind : str
        The kind of the object, such as "Pod" or, of a pod template, "Deployment".
    object : str
        Its namespace and name.
    text : str
    """

    kind: str
    object: str
    text: str

    def __str__(self) -> str:
        whose = self.object if self.kind == "Pod" else f"{self.kind} {self.object}"
        return f"{whose}: {self.text}"


@dataclasses.dataclass(frozen=True)
class Admitted(Generic[T]):
    """What `admit` returns.

    Attributes
    ----------
    made : Objects or Pod
        As the API server would store it.
    notes : list of Remark
        What was done.
    refusals : list of Remark
        What the API server would answer instead, by its texts. Such an object is in `made` as far as
        it could be admitted.
    warnings : list of Remark
        What is not imitated, although the cluster has it.
    """

    made: T
    notes: list[Remark]
    refusals: list[Remark]
    warnings: list[Remark]


@overload
def admit(view: View, objects: Objects) -> Admitted[Objects]: ...
@overload
def admit(view: View, objects: Pod) -> Admitted[Pod]: ...


@names_arguments
def admit(view: View, objects: Objects | Pod) -> Admitted[Objects] | Admitted[Pod]:
    """Returns what the API server's admission makes of objects that are created.

    It imitates, in the API server's order, LimitRanger, Priority, DefaultTolerationSeconds,
    DefaultStorageClass and RuntimeClass. Objects of a dump have been admitted before; those that you
    plan have not, and no question admits by itself::

        pod = admit(cluster, Pod(manifest)).made
        framework.fit(cluster, pod)

    Parameters
    ----------
    view : Cluster or Snapshot
        Whose RuntimeClasses, LimitRanges, StorageClasses and PriorityClasses count.
    objects : Objects or Pod
        Their pods, pod templates and PersistentVolumeClaims are admitted, and classes and ranges of one
        document count for the others of it. A claim that the view has is left alone.

    Examples
    --------
    >>> from libsched import Cluster, Pod
    >>> cluster = Cluster('''
    ... {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "vm"},
    ...  "handler": "vm", "overhead": {"podFixed": {"cpu": "250m"}}}''')
    >>> admitted = admit(cluster, Pod({"metadata": {"name": "p"}, "spec": {"runtimeClassName": "vm"}}))
    >>> print(*admitted.notes)
    default/p: RuntimeClass vm adds overhead cpu 250m
    >>> admitted.made.requests["cpu"]
    250
    """
    if isinstance(objects, Pod):
        handle, text = view._handle.admit_pod(objects._handle)
        return Admitted(_wrap_pod(handle), **_remarks([text]))
    if isinstance(objects, Workload) or not isinstance(objects, Objects):
        raise MisuseError(f"objects: Objects or a Pod, not a {type(objects).__name__}")
    made = object.__new__(Objects)
    made._parts, made._reports = [], None
    texts = []
    for part in objects._parts:
        if isinstance(part, Pod):
            pod, text = view._handle.admit_pod(part._handle)
            made._parts.append(_wrap_pod(pod))
        elif isinstance(part, _core.Objects):
            admitted, text = view._handle.admit_objects(part)
            made._parts.append(admitted)
        else:  # a node
            made._parts.append(part)
            continue
        texts.append(text)
    return Admitted(made, **_remarks(texts))


def _remarks(texts: list[str]) -> dict[str, list[Remark]]:
    out: dict[str, list[Remark]] = {"notes": [], "refusals": [], "warnings": []}
    for text in texts:
        for name, remarks in json.loads(text).items():
            out[name] += [Remark(**remark) for remark in remarks]
    return out
