"""What commands ask about: pods, and the pod templates of workloads."""

from __future__ import annotations

import dataclasses

from ..admission import Remark
from ..errors import Error
from ..objects import Pod

#: The phases of pods that have run to their end.
ENDED = ("Succeeded", "Failed")


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A pod to judge and, if it is the template of a workload, the workload.

    `notes` are remarks on how the pod was read, `remarks` those of admission; with an `error` it cannot
    be judged.
    """

    pod: Pod
    kind: str = ""
    replicas: int = 0
    notes: tuple[str, ...] = ()
    error: Error | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def said(self) -> list[str]:
        """All remarks as texts."""
        return [*self.notes, *map(str, self.remarks)]
