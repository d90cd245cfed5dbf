"""What a part of the tests costs: wall time, and CPU time of all the processes that it started.

Processes count once they have ended and were waited for, as all commands of `Shell` are.
"""

import dataclasses
import resource
import time


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds: of the clock on the wall, and of all cores in user and system mode."""
    wall: float
    cpu: float

    def __sub__(self, other):
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


def so_far():
    """What this process and those that it waited for have used: two of these give a difference."""
    # Not os.times(), which counts in hundredths of a second and rounds four numbers down.
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Cost(time.monotonic(), sum(usage.ru_utime + usage.ru_stime for usage in used))
