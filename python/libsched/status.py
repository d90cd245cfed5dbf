"""Status and its codes: the answer of a plugin, or of the framework, about a pod."""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any

from ._arguments import checks_arguments, text
from .errors import NotFoundError


class Code(enum.IntEnum):
    """Status codes, with upstream's numbers and names.

    >>> Code.UNSCHEDULABLE_AND_UNRESOLVABLE.label
    'UnschedulableAndUnresolvable'
    """

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNSCHEDULABLE_AND_UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6

    @property
    def label(self) -> str:
        """The name as upstream prints it."""
        return self.name.title().replace("_", "")

    @classmethod
    def of(cls, label: str) -> Code:
        """Returns the code that upstream prints as `label`.

        Raises
        ------
        NotFoundError
            There is no such code.
        """
        found = _BY_LABEL.get(text(label, "label"))
        if found is None:
            raise NotFoundError(f'no code "{label}"; there are: {", ".join(_BY_LABEL)}')
        return found


_BY_LABEL = {code.label: code for code in Code}


#: What texts and counts show for a rejection by a plugin that gives no reason.
NO_REASON = "(no reason given)"


@dataclasses.dataclass(frozen=True, slots=True)
class Status:
    """A verdict: a code, the plugin that gave it, and its reasons.

    A status is true if its code is Success, so ``if not status: print(status.reasons)`` works.

    >>> status = Status(Code.UNSCHEDULABLE, "NodeResourcesFit", ("Insufficient cpu",))
    >>> status.is_success, status.is_rejected, status.message
    (False, True, 'Insufficient cpu')
    >>> Status()
    <Status Success>
    """

    code: Code = Code.SUCCESS
    plugin: str = ""
    reasons: tuple[str, ...] = ()
    _error: str | None = dataclasses.field(default=None, compare=False, repr=False)

    @classmethod
    def unschedulable(cls, *reasons: str, resolvable: bool = True) -> Status:
        """Makes a rejection. It is not `resolvable` if removing pods would not help."""
        return cls(Code.UNSCHEDULABLE if resolvable else Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "",
                   reasons)

    @checks_arguments
    def with_error(self, text: str) -> Status:
        """Upstream's WithError: a copy whose first reason and `error` are the text."""
        return Status(self.code, self.plugin, (text, *self.reasons), text)

    @property
    def error(self) -> str | None:
        """Upstream's AsError: the text that errors quote; None for Success, Wait and Skip."""
        if self.code in (Code.SUCCESS, Code.WAIT, Code.SKIP):
            return None
        return self.message if self._error is None else self._error

    @property
    def is_success(self) -> bool:
        return self.code is Code.SUCCESS

    @property
    def is_error(self) -> bool:
        return self.code is Code.ERROR

    @property
    def is_wait(self) -> bool:
        return self.code is Code.WAIT

    @property
    def is_skip(self) -> bool:
        return self.code is Code.SKIP

    @property
    def is_rejected(self) -> bool:
        """Whether the code is Unschedulable, UnschedulableAndUnresolvable or Pending."""
        return self.code in (
            Code.UNSCHEDULABLE,
            Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
            Code.PENDING,
        )

    @property
    def message(self) -> str:
        """All reasons in one text, joined as upstream joins them."""
        return ", ".join(self.reasons)

    def __bool__(self) -> bool:
        return self.is_success

    def __repr__(self) -> str:
        by = f" by {self.plugin}" if self.plugin else ""
        why = f": {self.message}" if self.reasons else ""
        return f"<Status {self.code.label}{by}{why}>"


_SUCCESS = Status()


def status_of(parts: tuple[Any, ...]) -> Status:
    """Makes a Status of the extension module's tuple: (code, plugin, reasons[, error])."""
    code, plugin, reasons = parts[:3]
    if code == 0 and not plugin and not reasons:
        return _SUCCESS
    if len(parts) > 3:
        return Status(Code(code), plugin, reasons, parts[3])
    return _shared(code, plugin, reasons)


# Most nodes of a cluster have the status of many others.
@functools.lru_cache(maxsize=4096)
def _shared(code: int, plugin: str, reasons: tuple[str, ...]) -> Status:
    return Status(Code(code), plugin, reasons)
