"""The differences from upstream that a mutated case may show, each with its reason: the one place for them.

A mutant is compared like any other case, but for what stands here. Every entry is a name, a reason for
people, and a function that says of a case, its golden result and the answer whether it explains the
difference. Entries are counted by name in what a run prints.
"""

import dataclasses
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Legitimate:
    """A kind of difference that is known and meant."""
    name: str
    reason: str
    explains: Callable  # (case, golden, answer) -> bool


def reason_for(case, golden, answer):
    """The first entry that explains a difference, or None."""
    return next((one for one in ALL if one.explains(case, golden, answer)), None)


def _golden_error(golden):
    return str(golden.get("error", "")) if "pods" not in golden else ""


def _warned(_case, golden, _answer):
    return any(pod.get("warnings") for pod in golden.get("pods") or ())


def _oracle_died(_case, golden, _answer):
    return _golden_error(golden).startswith(("the oracle died", "panic: "))


ALL = (
    Legitimate("chance", "upstream leaves it to chance or to the clock, and the oracle says so (warnings): the "
               "present time for victims without startTime, a random part of more than 100 nodes", _warned),
    Legitimate("panic", "upstream itself panics", _oracle_died),
)
