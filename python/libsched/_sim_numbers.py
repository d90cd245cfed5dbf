"""References and ids of a `Sim` as arrays, without copies where there are arrays already."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from .errors import InvalidError, MisuseError

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    _Ids = numpy.typing.NDArray[numpy.uint64]


def natural(number: int, name: str) -> int:
    if number < 0:
        raise InvalidError(f"{name} must not be negative")
    return number


def integer(value: object) -> int | None:
    """Returns an int, or a number of a type such as numpy's; None if the value is none."""
    index = getattr(value, "__index__", None)
    return None if index is None else int(index())


def numbers_of(numbers: Any, code: str = "Q") -> Any:
    """Returns an array of numbers as the extension wants it; arrays of the right type as they are."""
    if hasattr(numbers, "dtype"):
        import numpy

        wanted = numpy.uint64 if code == "Q" else numpy.uint32
        if numbers.ndim != 1 or numbers.dtype.kind not in "ui" and len(numbers) != 0:
            raise InvalidError("an array of numbers must be one-dimensional and of integers")
        if numbers.dtype == wanted and numbers.flags.c_contiguous:
            return numbers
        if len(numbers) and (numbers.min() < 0 or numbers.max() > numpy.iinfo(wanted).max):
            raise InvalidError("an array of numbers has one that is out of range")
        return numpy.ascontiguousarray(numbers, wanted)
    if isinstance(numbers, (array, memoryview, bytearray, bytes)):
        return numbers
    try:
        return array(code, numbers)
    except (TypeError, OverflowError) as error:
        raise MisuseError(f"references and ids are ints from 0 on: {error}") from None


def array_of(ids: bytearray) -> _Ids:
    """Returns an array over the bytes of ids."""
    import numpy

    return numpy.frombuffer(ids, numpy.uint64)
