"""Selectors of devices in the Common Expression Language (CEL), as Kubernetes evaluates them.

Compile an expression once, and ask it about devices: of dicts, or of all ResourceSlices of a dump.
Types, errors, costs and the limit on cost are those of a release of Kubernetes.

>>> import libsched.cel
>>> program = libsched.cel.compile(
...     "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].index > 3")
>>> program.type
'bool'
>>> gpu = {"driver": "gpu.example.com", "attributes": {"index": {"int": 2}}}
>>> program.match(gpu)
False
>>> program.evaluate(gpu).why
"device.attributes['gpu.example.com'].index > 3 is false: device.attributes['gpu.example.com'].index is int(2)"
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from . import _core
from ._arguments import names_arguments
from ._html import escaped, grid
from ._sources import Source
from .config import semantics_text
from .data_table import DataTable, Tabular, table_of
from .errors import InvalidError
from .objects import Objects

__all__ = ["Answer", "Answers", "Because", "CompileError", "EvaluationError", "Program", "compile"]

_PLACE = "spec.devices[0]."


class CompileError(InvalidError):
    """An expression does not compile; the message is upstream's text with carets.

    `line` and `column` are the place of the first error, from 1 on and the column in code points;
    None if it has no place, as a wrong type of result.
    """

    @property
    def line(self) -> int | None:
        return int(self.path.split(":")[0]) if self.path else None

    @property
    def column(self) -> int | None:
        return int(self.path.split(":")[1]) if self.path else None

    def __str__(self) -> str:
        return self.message  # which has the place


class EvaluationError(InvalidError):
    """An expression fails on a device; the message is upstream's text."""


@dataclasses.dataclass(frozen=True, slots=True)
class Because:
    """The operand of an expression's outermost ``&&`` that stands in the way of a device.

    Attributes
    ----------
    expression : str
        The operand, as it is written.
    answer : str
        "false", or the error.
    subject, value : str
        What the operand compares or calls a method of, and its value on the device; empty if there
        is no such thing.
    """

    expression: str
    answer: str
    subject: str = ""
    value: str = ""

    def __str__(self) -> str:
        said = f"{self.expression} is false" if self.answer == "false" else (
            f"{self.expression}: {self.answer}")
        return f"{said}: {self.subject} is {self.value}" if self.value else said


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What an expression says of a device. An answer is true if the device matches.

    Attributes
    ----------
    driver, pool, device, slice : str
        The names of the device; those that a dict does not give are empty.
    node : str
        The only node that has the device; empty if other rules say which nodes have it.
    match : bool or None
        None if the expression fails on the device, or is compiled with `any_result`.
    cost : int
        As Kubernetes counts it.
    error : str
        Why the expression fails; empty if it does not.
    value : str
        The value with its type, such as ``int(1)``, of an expression compiled with `any_result`.
    because : Because, optional
        Why the device does not match; None if it matches, or no operand alone is the reason.
    """

    driver: str
    pool: str
    device: str
    slice: str
    node: str
    match: bool | None
    cost: int
    error: str
    value: str
    because: Because | None

    @property
    def said(self) -> str:
        """"yes", "no", "error", or the value."""
        if self.error:
            return "error"
        return self.value or ("yes" if self.match else "no")

    @property
    def why(self) -> str:
        """Why the device does not match, in a line; empty if it does."""
        return str(self.because) if self.because else self.error

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        plain = dataclasses.asdict(self)
        if self.value or self.because is None:
            del plain["because"]
        return {key: part for key, part in plain.items() if part != "" and (
            key != "match" or not self.value)}

    def __bool__(self) -> bool:
        return bool(self.match)


@names_arguments
class Answers(Sequence[Answer], Tabular):
    """What an expression says of the devices of some ResourceSlices, in their order.

    Made by `Program.devices`. A notebook shows a table.
    """

    __slots__ = ("_answers", "expression")

    def __init__(self, expression: str, answers: Sequence[Answer]) -> None:
        self.expression: str = expression
        self._answers = tuple(answers)

    @property
    def matching(self) -> list[Answer]:
        """The devices that match."""
        return [one for one in self._answers if one]

    @property
    def failing(self) -> list[Answer]:
        """The devices on which the expression fails."""
        return [one for one in self._answers if one.error]

    @property
    def headline(self) -> str:
        """A line like ``2 of 8 devices match, 1 error``."""
        count, errors = len(self._answers), len(self.failing)
        devices = f"{count:,} device{'s' * (count != 1)}"
        if any(one.value for one in self._answers):
            text = f"{count - errors:,} of {devices} {'has' if count - errors == 1 else 'have'} a value"
        else:
            found = len(self.matching)
            text = f"{found:,} of {devices} match{'es' * (found == 1)}"
        return f"{text}, {errors:,} error{'s' * (errors != 1)}" if errors else text

    def table(self) -> DataTable:
        """Returns a table of the devices: ``driver``, ``pool``, ``device``, ``node``, ``answer`` ("yes", "no", "error" or the
        value), ``cost`` and ``why``.
        """
        return table_of(["driver", "pool", "device", "node", "answer", "cost", "why"], (
            [one.driver, one.pool, one.device, one.node or None, one.said, one.cost, one.why or None]
            for one in self._answers))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as plain data."""
        return {"expression": self.expression, "matching": len(self.matching),
                "errors": len(self.failing), "devices": [one.to_dict() for one in self._answers]}

    def __len__(self) -> int:
        return len(self._answers)

    @overload
    def __getitem__(self, index: int) -> Answer: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Answer]: ...

    def __getitem__(self, index: int | slice) -> Answer | Sequence[Answer]:
        return self._answers[index]

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._answers)

    def __repr__(self) -> str:
        return f"<Answers {self.headline}>"

    def _repr_html_(self) -> str:
        rows = ([one.device, one.driver, one.pool, one.node, one.said, one.cost, one.why] for one in self._answers)
        return f"<p><code>{escaped(self.expression)}</code><br><b>{escaped(self.headline)}</b></p>" + grid(
            ["device", "driver", "pool", "node", "answer", "cost", "why not"], rows, len(self._answers), "devices")


@names_arguments
class Program:
    """A compiled expression; immutable, for any number of threads. Made by `compile`."""

    __slots__ = ("_handle", "_options", "expression")

    def __init__(self, expression: str, *, list_attributes: bool, any_result: bool,
                 cost_limit: int, semantics: str) -> None:
        self.expression: str = expression
        self._options: dict[str, Any] = {
            "list_attributes": list_attributes, "any_result": any_result, "cost_limit": cost_limit,
            "semantics": semantics}
        try:
            self._handle = _core.Cel.compile(expression, **self._options)
        except InvalidError as error:
            raise CompileError(error.message, error.path) from None

    @property
    def type(self) -> str:
        """The type of the result, such as ``bool``, ``dyn`` or ``list(int)``."""
        return self._handle.type

    def evaluate(self, device: Mapping[str, Any]) -> Answer:
        """Says what the expression makes of a device.

        Parameters
        ----------
        device
            The device as in a ResourceSlice, with its driver::

                {"driver": "gpu.example.com", "attributes": {"model": {"string": "A100"}},
                 "capacity": {"memory": {"value": "40Gi"}}}

            Fields that expressions do not see, such as taints, are allowed.

        Raises
        ------
        InvalidError
            The device is invalid; `path` names the place in it.
        """
        fields = dict(device)
        driver = fields.pop("driver", "")
        pool = {"name": "given", "generation": 1, "resourceSliceCount": 1}
        document = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                    "metadata": {"name": "given"},
                    "spec": {"driver": driver, "pool": pool, "devices": [{"name": "given", **fields}]}}
        try:
            objects = Objects(document, strict=True)
        except InvalidError as error:
            place = error.path.removeprefix(_PLACE).removeprefix("spec.")
            raise InvalidError(error.message, place) from None
        answer = self.devices(objects)[0]
        return dataclasses.replace(answer, slice="", pool="", device=str(fields.get("name", "")))

    def match(self, device: Mapping[str, Any]) -> bool:
        """Does the device (see `evaluate`) match?

        Raises
        ------
        EvaluationError
            The expression fails on the device, which makes an attempt to allocate fail.
        InvalidError
            The device is invalid.
        """
        answer = self.evaluate(device)
        if answer.error:
            raise EvaluationError(answer.error)
        if answer.match is None and answer.value not in ("true", "false"):
            raise EvaluationError(f"the value is no bool: {answer.value}")
        return answer.value == "true" if answer.match is None else answer.match

    def devices(self, source: Source) -> Answers:
        """Asks about each device of all ResourceSlices of a source (see `Objects`)."""
        objects = source if isinstance(source, Objects) else Objects(source)
        found: list[Answer] = []
        for part in objects._parts:
            if isinstance(part, _core.Objects):
                found.extend(map(_answer, json.loads(self._handle.devices_json(part))))
        return Answers(self.expression, found)

    def __repr__(self) -> str:
        return f"<Program {self.expression!r}: {self.type}>"

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: object) -> Program:
        return self

    def __reduce__(self) -> Any:
        return _again, (self.expression, self._options)


@names_arguments
def compile(expression: str, *, list_attributes: bool = False, any_result: bool = False,
            cost_limit: int = 0, semantics: str | None = None) -> Program:
    """Compiles an expression over the variable ``device``.

    Parameters
    ----------
    expression : str
    list_attributes : bool
        Attributes may be lists: the feature gate DRAListTypeAttributes. From 1.37 on they may without it.
    any_result : bool
        Take expressions of any type, for their values; that of a selector is bool, or known only when
        there is a device.
    cost_limit : int
        Where an evaluation ends with an error; 0 means 1,000,000, as in Kubernetes.
    semantics : str, optional
        The release whose expressions they are, as of a `Framework`; by default `k8s_version`.

    Raises
    ------
    CompileError
        The expression does not compile; `line` and `column` tell where.
    UnsupportedError
        There are no semantics of the release.

    Examples
    --------
    >>> compile("device.drivr == 'x'")
    Traceback (most recent call last):
    libsched.cel.CompileError: compilation failed: ERROR: <input>:1:7: undefined field 'drivr'
     | device.drivr == 'x'
     | ......^
    """
    return Program(expression, list_attributes=list_attributes, any_result=any_result,
                   cost_limit=cost_limit, semantics=semantics_text(semantics))


def _again(expression: str, options: dict[str, Any]) -> Program:
    return Program(expression, **options)


def _answer(plain: dict[str, Any]) -> Answer:
    because = plain.get("because")
    return Answer(plain["driver"], plain["pool"], plain["device"], plain["slice"],
                  plain.get("node", ""), plain.get("match"), plain["cost"], plain.get("error", ""),
                  plain.get("value", ""), Because(**because) if because else None)
