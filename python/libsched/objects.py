"""Pod, Node, Workload and Objects: parsed Kubernetes objects, immutable and free of any cluster."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, ClassVar, Union

from . import _core
from ._parsing import copy_names, implied, parse, some, sums, text_of, the_only
from ._sources import Document, Source, documents
from .errors import MisuseError


class _Parsed:
    """What is parsed already; `_sources` hands it through."""

    __slots__ = ()
    _libsched_parsed: ClassVar[bool] = True


class Pod(_Parsed):
    """A Pod, or the pod template of a workload.

    Parameters
    ----------
    source
        A path, a document (str or bytes, JSON or YAML, gzip or not), a dict, or an object of a
        Kubernetes client. It must hold exactly one pod or workload.
    defaults : bool
        Apply the API server's defaults that scheduling depends on, and priority admission.
    strict : bool
        Make unknown kinds and fields errors. What no plugin reads (env, probes, ...) is not looked into.
    keep_raw : bool
        Keep the document for `raw`.
    keep_annotations : bool
        Keep the annotations for `annotations`; `keep_raw` implies it.

    Raises
    ------
    InvalidError
        The input is wrong; its `path` says where.

    Examples
    --------
    >>> pod = Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {
    ...     "containers": [{"name": "c", "resources": {"requests": {"cpu": "250m"}}}]}})
    >>> pod
    <Pod default/web>
    >>> pod.request("cpu")
    250
    """

    __slots__ = ("_handle", "__weakref__")

    _handle: _core.Pod

    def __init__(self, source: Source, *, defaults: bool = True, strict: bool = False,
                 keep_raw: bool = False, keep_annotations: bool = False) -> None:
        objects = Objects(implied(source, "Pod"), defaults=defaults, strict=strict,
                          keep_raw=keep_raw, keep_annotations=keep_annotations)
        found = objects.pods + [workload.pod for workload in objects.workloads]
        self._handle = the_only(found, "pod", objects)._handle

    @classmethod
    def load(cls, source: Source, *, defaults: bool = True, strict: bool = False,
             keep_raw: bool = False, keep_annotations: bool = False) -> Pod:
        """The same as calling the class: a pod from a path, a document, a dict, ..."""
        return cls(source, defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @classmethod
    def parse(cls, document: str | bytes | bytearray | memoryview, *, defaults: bool = True,
              strict: bool = False, keep_raw: bool = False, keep_annotations: bool = False) -> Pod:
        """A pod from a document, which is never taken for a path."""
        return cls(text_of(document), defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def namespace(self) -> str:
        return self._handle.namespace

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self._handle.namespace}/{self._handle.name}"

    @property
    def uid(self) -> str:
        return self._handle.uid

    @property
    def node_name(self) -> str:
        """spec.nodeName; empty if the pod is not bound."""
        return self._handle.node_name

    @property
    def nominated_node_name(self) -> str:
        """status.nominatedNodeName: the node that preemption has made room on."""
        return self._handle.nominated_node_name

    @property
    def scheduler_name(self) -> str:
        """spec.schedulerName: the profile that is meant to schedule the pod."""
        return self._handle.scheduler_name

    @property
    def phase(self) -> str:
        return self._handle.phase

    @property
    def priority(self) -> int:
        """spec.priority; 0 if the pod has none."""
        return self._handle.priority

    def label(self, key: str) -> str | None:
        """The value of a label; None if there is no such label."""
        return self._handle.label(key)

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations.

        Raises
        ------
        StateError
            It was parsed without `keep_annotations` and `keep_raw`.
        """
        return self._handle.annotations()

    def request(self, resource: str) -> int:
        """What the pod asks for: ``"cpu"`` in thousandths, ``"memory"`` in bytes, else units."""
        return self._handle.request(resource)

    def raw(self) -> dict[str, Any]:
        """The document the pod was made of.

        Raises
        ------
        StateError
            It was parsed without `keep_raw`.
        """
        document: dict[str, Any] = json.loads(self._handle.raw())
        return document

    def copy(self, *, name: str | None = None, namespace: str | None = None,
             uid: str | None = None, node_name: str | None = None) -> Pod:
        """A copy with some things changed; what is None stays.

        A copy under another name has no uid, unless one is given: it is known by its name.
        """
        if uid is None and (name, namespace) != (None, None):
            uid = ""
        return _wrap_pod(self._handle.copy(name, namespace, uid, node_name))

    def copies(self, count: int, name: str = "{name}-{index}") -> list[Pod]:
        """`count` copies with names of their own.

        >>> web = Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
        ...            "spec": {"containers": [{"name": "c"}]}})
        >>> [pod.name for pod in web.copies(2)]
        ['web-0', 'web-1']
        """
        return [self.copy(name=new) for new in copy_names(self.name, count, name)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pod) and self._handle.address == other._handle.address

    def __hash__(self) -> int:
        return hash(self._handle.address)

    def __repr__(self) -> str:
        where = f" on {self.node_name}" if self.node_name else ""
        return f"<Pod {self.key}{where}>"


@dataclasses.dataclass(frozen=True)
class Taint:
    """A taint of a node."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else (
            f"{self.key}:{self.effect}")


class Node(_Parsed):
    """A Node.

    Parameters and errors are those of `Pod`.

    Examples
    --------
    >>> node = Node({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...              "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> node, node.allocatable("cpu"), node.allocatable("memory")
    (<Node a>, 4000, 8589934592)
    >>> [copy.name for copy in node.copies(2)]
    ['a-0', 'a-1']
    """

    __slots__ = ("_handle", "__weakref__")

    _handle: _core.Node

    def __init__(self, source: Source, *, defaults: bool = True, strict: bool = False,
                 keep_raw: bool = False, keep_annotations: bool = False) -> None:
        objects = Objects(implied(source, "Node"), defaults=defaults, strict=strict,
                          keep_raw=keep_raw, keep_annotations=keep_annotations)
        self._handle = the_only(objects.nodes, "node", objects)._handle

    @classmethod
    def load(cls, source: Source, *, defaults: bool = True, strict: bool = False,
             keep_raw: bool = False, keep_annotations: bool = False) -> Node:
        """The same as calling the class: a node from a path, a document, a dict, ..."""
        return cls(source, defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @classmethod
    def parse(cls, document: str | bytes | bytearray | memoryview, *, defaults: bool = True,
              strict: bool = False, keep_raw: bool = False, keep_annotations: bool = False) -> Node:
        """A node from a document, which is never taken for a path."""
        return cls(text_of(document), defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def uid(self) -> str:
        return self._handle.uid

    @property
    def unschedulable(self) -> bool:
        """spec.unschedulable: the node is cordoned."""
        return self._handle.unschedulable

    @property
    def taints(self) -> list[Taint]:
        return [Taint(*taint) for taint in self._handle.taints()]

    def label(self, key: str) -> str | None:
        """The value of a label; None if there is no such label."""
        return self._handle.label(key)

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations.

        Raises
        ------
        StateError
            It was parsed without `keep_annotations` and `keep_raw`.
        """
        return self._handle.annotations()

    def allocatable(self, resource: str) -> int:
        """What the node offers: ``"cpu"`` in thousandths, ``"memory"`` in bytes, else units."""
        return self._handle.allocatable(resource)

    def raw(self) -> dict[str, Any]:
        """The document the node was made of.

        Raises
        ------
        StateError
            It was parsed without `keep_raw`.
        """
        document: dict[str, Any] = json.loads(self._handle.raw())
        return document

    def copy(self, *, name: str | None = None, uid: str | None = None) -> Node:
        """A copy under another name, which its hostname label follows; what is None stays.

        A copy under another name has no uid, unless one is given: it is known by its name.
        """
        if uid is None and name is not None:
            uid = ""
        return _wrap_node(self._handle.copy(name, uid))

    def copies(self, count: int, name: str = "{name}-{index}") -> list[Node]:
        """`count` copies with names of their own, such as new nodes of a pool.

        Parameters
        ----------
        count : int
        name : str
            What they are called: ``{name}`` is this node's name, ``{index}`` counts from 0.
        """
        return [self.copy(name=new) for new in copy_names(self.name, count, name)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._handle.address == other._handle.address

    def __hash__(self) -> int:
        return hash(self._handle.address)

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload, such as a Deployment or a Job: its pod template, and how often."""

    kind: str
    replicas: int
    pod: Pod


class Objects(_Parsed):
    """Everything that some documents hold.

    Parameters
    ----------
    source
        As for `Pod`, but with any number of objects: single ones, Lists, streams of documents, and
        iterables of all these.
    defaults, strict, keep_raw, keep_annotations : bool
        As for `Pod`.
    validate : bool
        Report what the API server would refuse in `warnings`.
    classes : Objects, optional
        Further PriorityClasses for `defaults`.
    max_decompressed_bytes : int
        What gzip data may expand to; 0: 1 GiB.

    Raises
    ------
    InvalidError
        The input is wrong; its `path` says where.
    FileError, LimitError, UnsupportedError

    Examples
    --------
    >>> objects = Objects('''
    ... {"apiVersion": "v1", "kind": "List", "items": [
    ...   {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},
    ...   {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}]}''')
    >>> objects
    <Objects: 1 node>
    >>> [(kind["kind"], kind["count"]) for kind in objects.skipped]
    [('v1 ConfigMap', 1)]
    """

    __slots__ = ("_parts", "_reports")

    _parts: list[Union[_core.Objects, Pod, Node]]

    def __init__(self, source: Source, *, defaults: bool = True, strict: bool = False,
                 keep_raw: bool = False, keep_annotations: bool = False, validate: bool = False,
                 classes: Objects | None = None, max_decompressed_bytes: int = 0) -> None:
        self._parts = []
        self._reports: list[dict[str, Any]] | None = None
        admission = classes.priority_classes() if classes is not None else None
        for found in documents(source):
            if isinstance(found, Document):
                self._parts.append(parse(found, defaults=defaults, strict=strict,
                                          keep_raw=keep_raw, keep_annotations=keep_annotations,
                                          validate=validate, classes=admission,
                                          max_decompressed_bytes=max_decompressed_bytes))
            elif isinstance(found, Objects):
                self._parts.extend(found._parts)
            elif isinstance(found, (Pod, Node)):
                self._parts.append(found)
            else:
                raise MisuseError(f"a {type(found).__name__} holds no Kubernetes objects")

    @classmethod
    def load(cls, source: Source, *, defaults: bool = True, strict: bool = False,
             keep_raw: bool = False, keep_annotations: bool = False, validate: bool = False,
             classes: Objects | None = None, max_decompressed_bytes: int = 0) -> Objects:
        """The same as calling the class."""
        return cls(source, defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations, validate=validate, classes=classes,
                   max_decompressed_bytes=max_decompressed_bytes)

    @classmethod
    def parse(cls, document: str | bytes | bytearray | memoryview, *, defaults: bool = True,
              strict: bool = False, keep_raw: bool = False, keep_annotations: bool = False,
              validate: bool = False, classes: Objects | None = None,
              max_decompressed_bytes: int = 0) -> Objects:
        """Objects of a document, which is never taken for a path."""
        return cls(text_of(document), defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations, validate=validate, classes=classes,
                   max_decompressed_bytes=max_decompressed_bytes)

    @property
    def pods(self) -> list[Pod]:
        """All Pods, in order."""
        return [pod for part in self._parts for pod in (
            [part] if isinstance(part, Pod) else [] if isinstance(part, Node)
            else [_wrap_pod(handle) for handle in part.pods()])]

    @property
    def nodes(self) -> list[Node]:
        """All Nodes, in order."""
        return [node for part in self._parts for node in (
            [part] if isinstance(part, Node) else [] if isinstance(part, Pod)
            else [_wrap_node(handle) for handle in part.nodes()])]

    @property
    def workloads(self) -> list[Workload]:
        """All workloads with their pod templates, in order."""
        return [Workload(kind, replicas, _wrap_pod(handle)) for part in self._parts
                if isinstance(part, _core.Objects) for kind, replicas, handle in part.workloads()]

    @property
    def counts(self) -> dict[str, int]:
        """How many objects there are of each kind."""
        return sums((report.get("counts", {}).items()) for report in self._report())

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """Kinds that were not read: dicts with ``kind``, ``count`` and, perhaps, ``neededBy``."""
        return [entry for report in self._report() for entry in report.get("skipped", [])]

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What the API server would refuse: dicts with ``path`` and ``message``."""
        return [entry for report in self._report() for entry in report.get("warnings", [])]

    @property
    def unknown_fields(self) -> int:
        """How many fields were not read because nothing knows them."""
        return sum(report.get("unknownFields", 0) for report in self._report())

    def priority_classes(self) -> _core.Objects | None:
        """The part that holds PriorityClasses, for admission; None if there is none."""
        for part in reversed(self._parts):
            if isinstance(part, _core.Objects) and (
                    json.loads(part.report())["counts"].get("PriorityClass")):
                return part
        return None

    def _report(self) -> list[dict[str, Any]]:
        if self._reports is None:
            self._reports = [json.loads(part.report()) for part in self._parts
                             if isinstance(part, _core.Objects)]
        return self._reports

    def __repr__(self) -> str:
        counts = (("node", len(self.nodes)), ("pod", len(self.pods)),
                  ("workload", len(self.workloads)))
        found = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts if count]
        return f"<Objects: {', '.join(found) or 'none'}>"


def parse_document(document: str | bytes | memoryview, *, defaults: bool,
                   classes: _core.Objects | None = None) -> _core.Objects:
    """One document without ceremony, for callers that make it themselves."""
    return _core.Objects.parse(document, defaults=defaults, classes=classes)


def pods_of(source: Source, classes: Objects | None = None) -> list[Pod]:
    """The pods of a source, workloads' templates included; libsched's own are not parsed again."""
    if isinstance(source, Pod):
        return [source]
    if isinstance(source, (list, tuple)) and all(isinstance(item, Pod) for item in source):
        return list(source)
    objects = Objects(source, classes=classes)
    found = objects.pods + [workload.pod for workload in objects.workloads]
    return some(found, "pod", objects) if objects._parts else []


def nodes_of(source: Source) -> list[Node]:
    """The nodes of a source; libsched's own are not parsed again."""
    if isinstance(source, Node):
        return [source]
    if isinstance(source, (list, tuple)) and all(isinstance(item, Node) for item in source):
        return list(source)
    objects = Objects(source)
    return some(objects.nodes, "node", objects) if objects._parts else []


def _wrap_pod(handle: _core.Pod) -> Pod:
    pod = object.__new__(Pod)
    pod._handle = handle
    return pod


def _wrap_node(handle: _core.Node) -> Node:
    node = object.__new__(Node)
    node._handle = handle
    return node
