"""Release: the release of Kubernetes that a cluster has."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from . import _core


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    """The release of a cluster, as far as the cluster tells. Made by `Cluster.release`.

    Attributes
    ----------
    name : str
        The minor release whose semantics suit the cluster, such as ``"1.36"``, for
        ``Framework(semantics=...)``. If the cluster does not tell its version, it is the default.
    version : str
        The version that was found, such as ``"v1.36.1"``; otherwise empty.
    source : str
        What has this version: the ``namespace/name`` of a pod, or a kubelet; otherwise empty.
    note : str
        That the version is older or newer than all releases that may be chosen, of which the
        nearest one is named then; otherwise empty.

    >>> from libsched import Cluster
    >>> Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...          "status": {"nodeInfo": {"kubeletVersion": "v1.35.2-eks-1"}}}).release
    Release(name='1.35', version='v1.35.2-eks-1', source='the kubelet on a', note='')
    """

    name: str
    version: str
    source: str
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Returns the members that say something."""
        return {name: text for name, text in dataclasses.asdict(self).items() if text}


def release_of(view: _core.View, server_version: str = "") -> Release:
    """Returns the release of a view, for which the API server may have told its version."""
    return Release(**json.loads(view.release_json(server_version)))
