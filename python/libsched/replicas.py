"""The pods of a workload, as its controller would make and name them."""

from __future__ import annotations

import hashlib

from .objects import Pod, Workload

_SAFE = "bcdfghjklmnpqrstvwxz2456789"  # what Kubernetes makes suffixes of


class Replicas:
    """Makes the pods of a workload one by one; their names are always the same."""

    def __init__(self, workload: Workload) -> None:
        pod = workload.pod
        self._workload = workload
        self._taken: set[str] = set()
        owner = suffix(f"{workload.kind}/{pod.key}", 9)
        self._prefix = {"Deployment": f"{pod.name}-{owner}", "CronJob": f"{pod.name}-1"}.get(
            workload.kind, pod.name)

    def make(self, index: int) -> Pod:
        """Returns the pod of the next replica; indexes are asked for in order."""
        kind, pod = self._workload.kind, self._workload.pod
        if kind == "StatefulSet":
            return pod.copy(name=f"{pod.name}-{index}")
        text = f"{kind}/{pod.key}/{index}"
        # Suffixes are short: of ten thousand, some are the same. A controller tries another, too.
        while (made := suffix(text, 5)) in self._taken:
            text += "'"
        self._taken.add(made)
        return pod.copy(name=f"{self._prefix}-{made}")


def suffix(text: str, length: int) -> str:
    """Returns a suffix of a name that depends on the text alone."""
    digest = hashlib.sha256(text.encode()).digest()
    return "".join(_SAFE[byte % len(_SAFE)] for byte in digest[:length])
