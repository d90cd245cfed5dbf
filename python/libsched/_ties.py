"""How a choice among several best nodes is made: the names of the ways, and the check of what a caller gives."""

from __future__ import annotations

from ._arguments import whole
from .errors import InvalidError

_TIES = ("upstream", "name", "random")  # by their numbers in the C API


def ties_number(ties: str, seed: int) -> int:
    """Returns the C API's number of a way to break ties.

    Raises
    ------
    InvalidError
        There is no such way, or the seed of random ties has more than 64 bits or is negative.
    MisuseError
        The seed is no whole number.
    """
    if ties not in _TIES:
        raise InvalidError(f'ties is "upstream", "name" or "random", not {ties!r}')
    whole(seed, "seed", 0, (1 << 64) - 1)
    return _TIES.index(ties)
