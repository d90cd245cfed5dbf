"""Measures the cost of a part of the tests: wall time, and CPU time of all processes that it started.

A process counts once it has ended and was waited for, as all commands of `Shell` are. Builds ahead are no
part's, and count in the sum alone.
"""

import dataclasses
import resource
import time

from . import ahead


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds of wall time, and of all cores in user and system mode."""
    wall: float
    cpu: float

    def __sub__(self, other):
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


def so_far():
    """The time used so far by this process and its finished children; subtract two values for a cost."""
    # os.times() would count in hundredths of a second and round four numbers down.
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Cost(time.monotonic(), sum(usage.ru_utime + usage.ru_stime for usage in used) - ahead.cpu())
