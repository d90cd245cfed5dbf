"""Catalog: the contents of pods and nodes, kept once and named by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Union

from . import _core
from ._arguments import names_arguments
from ._parsing import implied, some
from ._sources import Source
from .errors import Error, InvalidError, MisuseError
from .objects import Node, Objects, Pod

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Refs = numpy.typing.NDArray[numpy.uint64]

#: The form of documents: `text` is JSON or YAML; `auto` tells them apart by their first bytes.
Form = Literal["auto", "text", "protobuf", "flat"]

_FORMS = {"protobuf": _core.FORM_PROTOBUF, "flat": _core.FORM_FLAT}


@names_arguments
class Catalog:
    """The contents of pods and nodes, kept once each and named by numbers.

    Pods, or nodes, that no plugin can tell apart have one content and get the same reference: an int
    that is never 0. So a reference is the name of an equivalence group. Names and uids are no part
    of a content, nor is a node's label kubernetes.io/hostname if it is equal to its name.

    Notes
    -----
    Any number of threads may use a catalog, and any number of `Sim` may share it. A reference
    means nothing to another catalog, which practically always takes it for a stale one, or to another
    process, so a catalog cannot be pickled.

    Examples
    --------
    >>> catalog = Catalog()
    >>> spec = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}
    >>> one = catalog.pod({"metadata": {"name": "web-1"}, "spec": spec})
    >>> one == catalog.pod({"metadata": {"name": "web-2"}, "spec": spec})
    True
    >>> catalog
    <Catalog: 1 content of pods, 0 of nodes>
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(self) -> None:
        self._handle = _core.Catalog()

    def pod(self, pod: Source, *, placed: bool = False, extra: str | bytes | None = None,
            form: Form = "auto", defaults: bool = True) -> int:
        """Adds a pod, or finds it, and returns its reference.

        Parameters
        ----------
        pod
            A `Pod`, or what makes one: a path, a document, a dict, an object of a client. Bytes may
            be Kubernetes protobuf or the flat form (docs/flat.md).
        placed : bool
            Leave out ``spec.nodeName`` and ``status.nominatedNodeName``, so that all pods of a
            workload have one reference wherever they run: for pods that move.
        extra : str or bytes, optional
            Further bytes of the content, for what plugins of your own read of pods.
        form : {"auto", "text", "protobuf", "flat"}
            The form of bytes. A bare protobuf message, without its envelope, must be named.
        defaults : bool
            As for `Pod`; of no effect on a `Pod`, which has been parsed already.

        Raises
        ------
        InvalidError
            The pod is invalid; `path` names the place.
        LimitError
            There are too many contents.
        """
        if isinstance(pod, Pod):
            return self._handle.add_pod(pod._handle, placed, extra)
        extras = None if extra is None else [extra]
        return int(self._add([pod], Pod, placed, extras, form, defaults, one=True)[0])

    def node(self, node: Source, *, extra: str | bytes | None = None, form: Form = "auto",
             defaults: bool = True) -> int:
        """Adds a node, or finds it, and returns its reference; otherwise as `pod`."""
        if isinstance(node, Node):
            return self._handle.add_node(node._handle, False, extra)
        extras = None if extra is None else [extra]
        return int(self._add([node], Node, False, extras, form, defaults, one=True)[0])

    def pods(self, pods: Source, *, placed: bool = False,
             extras: Sequence[str | bytes] | None = None, form: Form = "auto",
             defaults: bool = True) -> _Refs:
        """Adds many pods in one call.

        Parameters
        ----------
        pods
            An iterable whose items are each as for `pod`, or a source of many pods.
        placed, form, defaults
            As for `pod`. Protobuf and the flat form alone are read fastest.
        extras : sequence of str or bytes, optional
            One for each pod.

        Returns
        -------
        numpy array of uint64
            The reference of each pod, in order. All pods have been added, or none.

        Raises
        ------
        InvalidError
            A pod is invalid; `path` begins with its index.
        """
        return _array(self._add(pods, Pod, placed, extras, form, defaults))

    def nodes(self, nodes: Source, *, extras: Sequence[str | bytes] | None = None,
              form: Form = "auto", defaults: bool = True) -> _Refs:
        """Adds many nodes in one call; otherwise as `pods`."""
        return _array(self._add(nodes, Node, False, extras, form, defaults))

    def _add(self, sources: Any, kind: type[Pod] | type[Node], placed: bool,
             extras: Sequence[str | bytes] | None, form: Form, defaults: bool,
             one: bool = False) -> memoryview:
        if form not in ("auto", "text", *_FORMS):
            raise InvalidError(f'form is "auto", "text", "protobuf" or "flat", not {form!r}')
        listed = _listed(sources, kind)
        forms = [form if form != "auto" else _form_of(one) for one in listed]
        if len(set(forms)) == 1 and forms[0] in _FORMS:
            for document in listed:
                _must_be_bytes(document, forms[0])
            add = self._handle.add_pods if kind is Pod else self._handle.add_nodes
            return memoryview(add(listed, _FORMS[forms[0]], placed, defaults, extras)).cast("Q")
        found = list(_parsed(listed, forms, kind, defaults))
        if one and len(found) != 1:
            raise InvalidError(f"{len(found)} {kind.__name__.lower()}s where one is expected")
        if extras is not None and len(extras) != len(found):
            raise MisuseError(f"{len(found)} objects, but {len(extras)} extras")
        made = memoryview(bytearray(8 * len(found))).cast("Q")
        for index, item in enumerate(found):
            extra = None if extras is None else extras[index]
            if isinstance(item, Pod):
                made[index] = self._handle.add_pod(item._handle, placed, extra)
            else:
                made[index] = self._handle.add_node(item._handle, False, extra)
        return made

    @property
    def pod_count(self) -> int:
        """The number of different contents of pods."""
        return self._handle.pod_count

    @property
    def node_count(self) -> int:
        """The number of different contents of nodes."""
        return self._handle.node_count

    def has_pod(self, ref: int) -> bool:
        """Returns whether the reference names a content of pods."""
        return self._handle.has_pod(ref)

    def has_node(self, ref: int) -> bool:
        """Returns whether the reference names a content of nodes."""
        return self._handle.has_node(ref)

    def age(self, keep: int = 0) -> int:
        """Begins a new age and forgets contents that have not been added for long.

        Call it once in each turn of a loop. What a `Sim` has, or a revert may bring back, is kept.

        Parameters
        ----------
        keep : int
            How many ages before the one that ends count: 0 forgets all that was not added, or found,
            since the latest call.

        Returns
        -------
        int
            The number of contents forgotten. Their references are stale.
        """
        return self._handle.age(keep)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Catalog cannot be pickled: its references mean nothing to another process")

    def __copy__(self) -> NoReturn:
        raise TypeError("a Catalog cannot be copied; any number of Sim may share it")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __repr__(self) -> str:
        count = self.pod_count
        return (f"<Catalog: {count} content{'s' * (count != 1)} of pods, "
                f"{self.node_count} of nodes>")


def _listed(sources: Any, kind: type[Pod] | type[Node]) -> list[Any]:
    """Returns the items of a source, one for each document or object."""
    if isinstance(sources, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(
            sources, Iterable):
        sources = [sources]
    return [implied(one, kind.__name__) for one in sources]


def _parsed(listed: list[Any], forms: list[str], kind: type[Pod] | type[Node],
            defaults: bool) -> Iterator[Pod | Node]:
    """Yields the pods or nodes. Errors begin with the index of the item."""
    for index, (one, form) in enumerate(zip(listed, forms, strict=True)):
        if isinstance(one, kind):
            yield one
            continue
        try:
            if form == "text":
                objects = Objects(one, defaults=defaults)
                if kind is Node:
                    yield from some(objects.nodes, "node", objects)
                else:
                    pods = objects.pods + [workload.pod for workload in objects.workloads]
                    yield from some(pods, "pod", objects)
            else:
                _must_be_bytes(one, form)
                read = kind.from_protobuf if form == "protobuf" else kind.from_flat
                yield read(one, defaults=defaults)
        except Error as error:
            place = f"[{index}]"
            error.path = f"{place}.{error.path}" if error.path else place
            raise


def _form_of(document: object) -> str:
    if isinstance(document, (bytes, bytearray, memoryview)):
        begin = bytes(document[:4])
        return "flat" if begin[:3] == b"LSF" else "protobuf" if begin == b"k8s\0" else "text"
    return "text"


def _must_be_bytes(document: object, form: str) -> None:
    if not isinstance(document, (bytes, bytearray, memoryview)):
        raise MisuseError(f"a {form} document is bytes, not a {type(document).__name__}")


def _array(refs: memoryview) -> _Refs:
    import numpy

    return numpy.frombuffer(refs, numpy.uint64)


#: A reference, or what a Catalog makes one of.
Content = Union[int, Source]
