"""Amounts of resources for people: cores, bytes in binary units, or numbers. JSON has exact values.

report/page/elements.js does the same for what pages format themselves.
"""

from __future__ import annotations

_BYTES = ("memory", "ephemeral-storage")
_UNITS = (("Ei", 1 << 60), ("Pi", 1 << 50), ("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10),
          ("", 1))
_MOST_DECIMALS = 3


def amount(resource: str, number: float) -> str:
    """Returns an amount of a resource.

    >>> amount("cpu", 1500), amount("cpu", 2000), amount("memory", 3 << 30), amount("pods", 7)
    ('1.5', '2', '3Gi', '7')
    """
    return amounts(resource, number)[0]


def amounts(resource: str, *numbers: float) -> list[str]:
    """Returns amounts of a resource in one unit, but for those that are tiny beside the others.

    Amounts that differ have different texts.

    >>> amounts("memory", 2048 << 30, 802455978 << 10, 1004011946 << 10)
    ['2,048Gi', '765.3Gi', '957.5Gi']
    >>> amounts("memory", 2 << 30, (2 << 30) - 1024, 8 << 30)
    ['2097152Ki', '2097151Ki', '8388608Ki']
    """
    if resource == "cpu":
        return [_trimmed(number / 1000, 3) for number in numbers]
    if resource in _BYTES or resource.startswith("hugepages-"):
        return sizes(*numbers)
    return [_trimmed(number, 2) for number in numbers]


def sizes(*numbers: float) -> list[str]:
    """Returns numbers of bytes: see `amounts`."""
    largest = max(map(abs, numbers))
    unit = _unit(min((abs(number) for number in numbers if abs(number) * 10_000 > largest), default=0))
    for decimals in range(1, _MOST_DECIMALS + 1):
        texts = [_sized(number, unit, decimals) for number in numbers]
        if len(set(texts)) == len(set(numbers)):
            return texts
    return [_exact(number) for number in numbers]


def _unit(size: float) -> tuple[str, int]:
    """Returns the largest unit that a size has at least one of."""
    return next((unit for unit in _UNITS if size >= unit[1]), _UNITS[-1])


def _sized(number: float, unit: tuple[str, int], decimals: int) -> str:
    text = _trimmed(number / unit[1], decimals)
    if number and text in ("0", "-0"):  # too small for the unit
        unit = _unit(abs(number))
        text = _trimmed(number / unit[1], decimals)
    return text + unit[0] if number else "0"


def _exact(number: float) -> str:
    if number % 1024 == 0:
        return f"{number / 1024:.0f}Ki"
    return f"{number:.0f}"


def _trimmed(number: float, decimals: int) -> str:
    text = f"{number:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
