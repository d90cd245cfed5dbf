"""How a choice among several best nodes is made: the names of the ways, and the check of what a caller gives."""

from __future__ import annotations

from .errors import InvalidError

_TIES = ("upstream", "name", "random")  # by their numbers in the C API


def ties_number(ties: str, seed: int) -> int:
    """Returns the C API's number of a way to break ties.

    Raises
    ------
    InvalidError
        There is no such way, or the seed of random ties has more than 64 bits or is negative.
    """
    if ties not in _TIES:
        raise InvalidError(f'ties is "upstream", "name" or "random", not {ties!r}')
    if not 0 <= seed < 1 << 64:
        raise InvalidError(f"seed is a number from 0 to 2**64 - 1, not {seed}")
    return _TIES.index(ties)
