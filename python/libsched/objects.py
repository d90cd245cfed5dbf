"""Pod, Node, Workload and Objects: parsed Kubernetes objects, immutable, of no cluster."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self, Union

from . import _core
from . import _typos as typos
from ._arguments import MOST, check_fields, instance, items, mapping, named_error, names_arguments, names_arguments_but, text, whole
from ._changed import (
    Amount,
    Amounts,
    changed_node,
    edited,
    keeps_annotations,
    node_from,
    pod_edits,
    pod_from,
    with_fields,
)
from ._handled import Handled
from ._parsing import copy_names, enveloped, implied, parse, some, sums, text_of, the_only
from ._sources import Document, Source, documents
from .errors import InvalidError, MisuseError


class _Parsed:
    """The base of parsed objects, which `_sources` passes through unchanged."""

    __slots__ = ()
    _libsched_parsed: ClassVar[bool] = True

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self


@names_arguments_but("label")
class _Single(Handled, _Parsed):
    """The base of Pod and Node: one object, of which the extension has the fields."""

    __slots__ = ("__weakref__",)

    _handle: _core.Pod | _core.Node
    _made: ClassVar[Any]  # the extension's class

    def __init__(self, source: Source, *, defaults: bool = True, strict: bool = False,
                 keep_raw: bool = False, keep_annotations: bool = False) -> None:
        kind = self._made.__name__
        objects = Objects(implied(source, kind), defaults=defaults, strict=strict,
                          keep_raw=keep_raw, keep_annotations=keep_annotations)
        self._handle = the_only(self._found(objects), kind.lower(), objects)._handle

    @staticmethod
    def _from(document: str, annotations: bool) -> Any:
        """Makes a handle of a document that the core has written."""
        raise NotImplementedError

    @classmethod
    def _found(cls, objects: Objects) -> list[Self]:
        """Returns the objects of this class among others."""
        raise NotImplementedError

    @classmethod
    def load(cls, source: Source, *, defaults: bool = True, strict: bool = False,
             keep_raw: bool = False, keep_annotations: bool = False) -> Self:
        """Does the same as calling the class."""
        return cls(source, defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @classmethod
    def parse(cls, document: str | bytes | bytearray | memoryview, *, defaults: bool = True,
              strict: bool = False, keep_raw: bool = False, keep_annotations: bool = False) -> Self:
        """Makes an object of a document, which is never taken for a path."""
        return cls(text_of(document), defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations)

    @classmethod
    def from_protobuf(cls, message: bytes | bytearray | memoryview, *, defaults: bool = True,
                      strict: bool = False, keep_raw: bool = False,
                      keep_annotations: bool = False) -> Self:
        """Makes an object of Kubernetes' protobuf encoding: of a v1 message alone, as clients
        marshal it, or in the envelope that etcd and the API server use.
        """
        return cls(enveloped(message, cls._made.__name__), defaults=defaults, strict=strict,
                   keep_raw=keep_raw, keep_annotations=keep_annotations)

    @classmethod
    def from_flat(cls, flat: bytes | bytearray | memoryview, *, defaults: bool = True,
                  strict: bool = False, keep_raw: bool = False,
                  keep_annotations: bool = False) -> Self:
        """Makes an object of its flat form (docs/flat.md), which the Go module ``go/kube`` writes.

        Raises
        ------
        InvalidError
            The bytes are no such form, or their contents are invalid; `path` names the field.
        """
        return cls._of(cls._made.from_flat(flat, defaults=defaults, strict=strict, keep_raw=keep_raw,
                                           keep_annotations=keep_annotations))

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def uid(self) -> str:
        return self._handle.uid

    @property
    def labels(self) -> dict[str, str]:
        """The labels, sorted by key."""
        return self._handle.labels()

    def label(self, key: str) -> str | None:
        """Returns the value of a label; None if there is no such label."""
        try:
            return self._handle.label(key)
        except TypeError as error:
            raise named_error(error, type(self).label, self, key) from None

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations.

        Raises
        ------
        StateError
            The object was parsed without `keep_annotations` and `keep_raw`.
        """
        return self._handle.annotations()

    def raw(self) -> dict[str, Any]:
        """Returns the document of which the object was made.

        Raises
        ------
        StateError
            The object was parsed without `keep_raw`.
        """
        document: dict[str, Any] = json.loads(self._handle.raw())
        return document

    def copy(self, *, name: str | None = None) -> Self:
        raise NotImplementedError

    def copies(self, count: int, name: str = "{name}-{index}") -> list[Self]:
        """Returns `count` copies with names of their own, such as new nodes of a pool.

        Parameters
        ----------
        count : int
        name : str
            The pattern of the names: ``{name}`` is this object's name, ``{index}`` counts from 0.

        Examples
        --------
        >>> web = Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
        ...            "spec": {"containers": [{"name": "c"}]}})
        >>> [pod.name for pod in web.copies(2)]
        ['web-0', 'web-1']
        """
        return [self.copy(name=new) for new in copy_names(self.name, count, name)]

    def to_dict(self) -> dict[str, Any]:
        """Returns a manifest with every field that the library has kept.

        Fields that no plugin reads, such as env, are not part of it, nor are the conditions of nodes
        and the times of taints: `raw` has them. A Pod made of it with ``defaults=False`` gets the
        same answers.
        """
        document: dict[str, Any] = json.loads(self._handle.json())
        return document

    def __reduce__(self) -> Any:
        return _load, (type(self), self._handle.json(), keeps_annotations(self._handle))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._handle.address == other._handle.address

    def __hash__(self) -> int:
        return hash(self._handle.address)


@names_arguments_but("request", "copy")
class Pod(_Single):
    """A Pod, or the pod template of a workload.

    Parameters
    ----------
    source
        A path, a document (str or bytes, JSON or YAML; gzip, xz, zstd or not; or bytes of Kubernetes
        protobuf in its envelope), a dict, or an object of a
        Kubernetes client. It must hold exactly one pod or workload.
    defaults : bool
        Apply the API server's defaults that scheduling depends on, and priority admission.
    strict : bool
        Refuse unknown kinds and fields. Parts that no plugin reads (env, probes, ...) are not
        checked.
    keep_raw : bool
        Keep the document for `raw`.
    keep_annotations : bool
        Keep the annotations for `annotations`; `keep_raw` implies it.

    Raises
    ------
    InvalidError
        The input is invalid; `path` names the place.

    Examples
    --------
    >>> pod = Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {
    ...     "containers": [{"name": "c", "resources": {"requests": {"cpu": "250m"}}}]}})
    >>> pod
    <Pod default/web>
    >>> pod.request("cpu")
    250
    """

    __slots__ = ()

    _handle: _core.Pod
    _made = _core.Pod
    _from = staticmethod(pod_from)

    @classmethod
    def _found(cls, objects: Objects) -> list[Self]:
        return objects.pods + [workload.pod for workload in objects.workloads]  # type: ignore[return-value]

    @property
    def namespace(self) -> str:
        return self._handle.namespace

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self._handle.namespace}/{self._handle.name}"

    @property
    def node_name(self) -> str:
        """spec.nodeName; empty if the pod is not bound."""
        return self._handle.node_name

    @property
    def nominated_node_name(self) -> str:
        """status.nominatedNodeName: the node on which preemption made room for the pod."""
        return self._handle.nominated_node_name

    @property
    def scheduler_name(self) -> str:
        """spec.schedulerName: the profile that schedules the pod."""
        return self._handle.scheduler_name

    @property
    def phase(self) -> str:
        return self._handle.phase

    @property
    def priority(self) -> int:
        """spec.priority; 0 if the pod has none."""
        return self._handle.priority

    @property
    def requests(self) -> dict[str, int]:
        """All requests as the scheduler counts them: see `request`.

        >>> Pod({"metadata": {"name": "web"}, "spec": {"containers": [
        ...     {"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}}).requests
        {'cpu': 1000, 'memory': 1073741824}
        """
        return {name: amount for name, amount in self._handle.requests().items() if amount}

    def request(self, resource: str) -> int:
        """Returns a request: thousandths of ``"cpu"``, bytes of ``"memory"``, else units."""
        try:
            return self._handle.request(resource)
        except TypeError as error:
            raise named_error(error, Pod.request, self, resource) from None

    def copy(self, *, name: str | None = None, namespace: str | None = None,
             uid: str | None = None, node_name: str | None = None) -> Self:
        """Returns a copy with the given fields changed.

        A copy with another name or namespace has no uid unless one is given.
        """
        if uid is None and (name, namespace) != (None, None):
            uid = ""
        for what, value in (("name", name), ("namespace", namespace), ("uid", uid),
                            ("node_name", node_name)):
            if value is not None:
                text(value, what)
        try:
            return self._of(self._handle.copy(name, namespace, uid, node_name))
        except TypeError as error:
            raise named_error(error, Pod.copy, self, name=name, namespace=namespace, uid=uid,
                              node_name=node_name) from None

    def replace(self, *, labels: Mapping[str, str] | None = None,
                requests: Mapping[str, Any] | None = None,
                node_selector: Mapping[str, str] | None = None,
                tolerations: Iterable[Mapping[str, Any]] | None = None,
                affinity: Mapping[str, Any] | None = None,
                topology_spread_constraints: Iterable[Mapping[str, Any]] | None = None,
                priority: int | None = None, scheduler_name: str | None = None,
                name: str | None = None, namespace: str | None = None,
                node_name: str | None = None) -> Pod:
        """Returns a changed copy; the pod stays as it is.

        What is given replaces the whole field: ``labels={**pod.labels, "tier": "web"}`` adds one.

        Parameters
        ----------
        labels, node_selector : mapping of str to str
        requests : mapping of str to amount
            Requests of the only container, by resource; or such mappings by container. An amount is
            a quantity such as ``"500m"``, or a number in the units of `request`. Limits of
            extended resources follow.
        tolerations, topology_spread_constraints : iterable of dict
            As in manifests.
        affinity : dict
            As in manifests; an empty one removes the affinity.
        priority : int
        scheduler_name, name, namespace, node_name : str
            A copy with another name or namespace has no uid.

        Raises
        ------
        InvalidError
            A value is invalid, a request is above its limit, or the pod has several containers and
            the requests don't name them.

        Examples
        --------
        >>> web = Pod({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c"}]}})
        >>> web.replace(requests={"cpu": "2"}, labels={"app": "web"}).requests
        {'cpu': 2000}
        >>> web.requests
        {}
        """
        handle = self._handle
        fields: dict[str, Any] = {}
        if tolerations is not None:
            fields["tolerations"] = _dicts(tolerations, "tolerations")
        if affinity is not None:
            fields["affinity"] = dict(mapping(affinity, "affinity", "fields")) or None
        if topology_spread_constraints is not None:
            fields["topologySpreadConstraints"] = _dicts(
                topology_spread_constraints, "topology_spread_constraints")
        if fields:
            handle = with_fields(handle, fields)
        handle = edited(handle, pod_edits(
            handle, labels=labels, requests=requests, node_selector=node_selector,
            priority=priority, scheduler_name=scheduler_name))
        return _wrap_pod(handle).copy(name=name, namespace=namespace, node_name=node_name)

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


@names_arguments
class Node(_Single):
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

    __slots__ = ()

    _handle: _core.Node
    _made = _core.Node
    _from = staticmethod(node_from)

    @classmethod
    def _found(cls, objects: Objects) -> list[Self]:
        return objects.nodes  # type: ignore[return-value]

    @property
    def unschedulable(self) -> bool:
        """spec.unschedulable: whether the node is cordoned."""
        return self._handle.unschedulable

    @property
    def taints(self) -> list[Taint]:
        return [Taint(*taint) for taint in self._handle.taints()]

    @property
    def allocatable(self) -> Amounts:
        """The resources: thousandths of ``"cpu"``, bytes of ``"memory"``, else units.

        ``node.allocatable("cpu")`` is 0 for a resource that the node lacks,
        ``node.allocatable["cpu"]`` a KeyError.
        """
        return Amounts(self._handle.resources())

    def copy(self, *, name: str | None = None, uid: str | None = None) -> Self:
        """Returns a copy with the given fields changed; the hostname label follows the name.

        A copy with another name has no uid unless one is given.
        """
        if uid is None and name is not None:
            uid = ""
        for what, value in (("name", name), ("uid", uid)):
            if value is not None:
                text(value, what)
        return self._of(self._handle.copy(name, uid))

    def replace(self, *, labels: Mapping[str, str] | None = None,
                taints: Iterable[Taint | Mapping[str, str] | str] | None = None,
                allocatable: Mapping[str, Amount] | None = None,
                unschedulable: bool | None = None, name: str | None = None) -> Node:
        """Returns a changed copy; the node stays as it is. `Cluster.update` puts it in its place.

        What is given replaces the whole field: ``labels={**node.labels, "tier": "web"}`` adds one.

        Parameters
        ----------
        labels : mapping of str to str
        taints : iterable of Taint, dict or str
            A text is like ``"key=value:NoSchedule"``.
        allocatable : mapping of str to amount
            An amount is a quantity such as ``"64Gi"``, or a number in the units of `allocatable`.
        unschedulable : bool
        name : str
            As for `copy`.

        Raises
        ------
        InvalidError
            A value is invalid.

        Examples
        --------
        >>> a = Node({"metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4"}}})
        >>> larger = a.replace(allocatable={**a.allocatable, "cpu": "8"}, taints=["new:NoSchedule"])
        >>> larger.allocatable["cpu"], str(larger.taints[0]), a.taints
        (8000, 'new:NoSchedule', [])
        """
        handle = changed_node(self._handle, labels=labels, taints=taints,
                              allocatable=allocatable, unschedulable=unschedulable)
        return _wrap_node(handle).copy(name=name)

    def __repr__(self) -> str:
        return f"<Node {self.name}>"


@dataclasses.dataclass(frozen=True)
class Workload:
    """A workload, such as a Deployment or a Job: its pod template and number of replicas."""

    kind: str
    replicas: int
    pod: Pod

    def __post_init__(self) -> None:
        if type(self.kind) is not str or type(self.replicas) is not int or type(self.pod) is not Pod:
            check_fields(self)
        whole(self.replicas, "replicas", 0, MOST)


@names_arguments
class Objects(_Parsed):
    """All objects of some documents.

    Parameters
    ----------
    source
        As for `Pod`, with any number of objects: single ones, Lists, streams of documents, and
        iterables of all these.
    defaults, strict, keep_raw, keep_annotations : bool
        As for `Pod`.
    validate : bool
        Report in `warnings` the fields that the API server would refuse.
    classes : Objects, optional
        Further PriorityClasses for `defaults`.
    max_decompressed_bytes : int
        The limit for the size of decompressed data; 0 means 1 GiB.

    Raises
    ------
    InvalidError
        The input is invalid; `path` names the place.
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
        admission = instance(classes, Objects, "classes").priority_classes() if classes is not None else None
        for found in _documents(source):
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
        if not strict and not validate:
            self._warn()

    @classmethod
    def load(cls, source: Source, *, defaults: bool = True, strict: bool = False,
             keep_raw: bool = False, keep_annotations: bool = False, validate: bool = False,
             classes: Objects | None = None, max_decompressed_bytes: int = 0) -> Objects:
        """Does the same as calling the class."""
        return cls(source, defaults=defaults, strict=strict, keep_raw=keep_raw,
                   keep_annotations=keep_annotations, validate=validate, classes=classes,
                   max_decompressed_bytes=max_decompressed_bytes)

    @classmethod
    def parse(cls, document: str | bytes | bytearray | memoryview, *, defaults: bool = True,
              strict: bool = False, keep_raw: bool = False, keep_annotations: bool = False,
              validate: bool = False, classes: Objects | None = None,
              max_decompressed_bytes: int = 0) -> Objects:
        """Parses a document, which is never taken for a path."""
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
        """The number of objects of each kind."""
        return sums((report.get("counts", {}).items()) for report in self._report())

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """The kinds that were not read: dicts with ``kind`` and ``count``."""
        return [entry for report in self._report() for entry in report.get("skipped", [])]

    @property
    def warnings(self) -> list[dict[str, str]]:
        """The fields that the API server would refuse: dicts with ``path`` and ``message``."""
        return [entry for report in self._report() for entry in report.get("warnings", [])]

    @property
    def unknown_fields(self) -> int:
        """The number of fields that were skipped because they are unknown."""
        return sum(report.get("unknownFields", 0) for report in self._report())

    def priority_classes(self) -> _core.Objects | None:
        """Returns the part that holds PriorityClasses, for admission; None if there is none."""
        for part in reversed(self._parts):
            if isinstance(part, _core.Objects) and (
                    json.loads(part.report())["counts"].get("PriorityClass")):
                return part
        return None

    def _warn(self) -> None:
        """Warns about typos in the documents that were parsed here."""
        parsed = [part for part in self._parts if isinstance(part, _core.Objects)]
        if not parsed:
            return
        few = sum(part.pod_count + part.node_count for part in parsed) <= 1000
        typos.warn(self._report(),
                   [_wrap_pod(pod) for part in parsed for pod in part.pods()] if few else [],
                   [_wrap_node(node) for part in parsed for node in part.nodes()] if few else [])

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


def pod_handle(pod: Pod, name: str = "pod") -> _core.Pod:
    """As the extension wants it; errors name the argument."""
    return instance(pod, Pod, name)._handle


def _documents(source: Source) -> Iterator[Document | object]:
    try:
        yield from documents(source)
    except RecursionError:
        raise InvalidError("nested too deeply, or contains itself") from None


def _dicts(values: Any, name: str) -> list[dict[str, Any]]:
    return [dict(mapping(one, f"{name}[{index}]", "fields"))
            for index, one in enumerate(items(values, name, "dicts"))]


def pods_of(source: Source, classes: Objects | None = None, keep_raw: bool = False) -> list[Pod]:
    """Returns the pods and pod templates of a source. Pods of libsched are not parsed again."""
    if isinstance(source, Pod):
        return [source]
    if isinstance(source, (list, tuple)) and all(isinstance(item, Pod) for item in source):
        return list(source)
    objects = Objects(source, classes=classes, keep_raw=keep_raw)
    return some(Pod._found(objects), "pod", objects) if objects._parts else []


def nodes_of(source: Source, keep_raw: bool = False) -> list[Node]:
    """Returns the nodes of a source. Nodes of libsched are not parsed again."""
    if isinstance(source, Node):
        return [source]
    if isinstance(source, (list, tuple)) and all(isinstance(item, Node) for item in source):
        return list(source)
    objects = Objects(source, keep_raw=keep_raw)
    return some(objects.nodes, "node", objects) if objects._parts else []


_wrap_pod = Pod._of
_wrap_node = Node._of


def _load(kind: type[_Single], document: str, annotations: bool) -> _Single:
    return kind._of(kind._from(document, annotations))
