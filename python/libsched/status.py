"""Status and its codes: what a plugin, or the framework, says about a pod."""

from __future__ import annotations

import dataclasses
import enum


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
        """The code that upstream prints as `label`."""
        return _BY_LABEL[label]


_BY_LABEL = {code.label: code for code in Code}


@dataclasses.dataclass(frozen=True, slots=True)
class Status:
    """A verdict: a code, the plugin that gave it, and its reasons.

    A status is true if it is a success, so ``if not status: print(status.reasons)`` reads well.

    >>> status = Status(Code.UNSCHEDULABLE, "NodeResourcesFit", ("Insufficient cpu",))
    >>> status.is_success, status.is_rejected, status.message
    (False, True, 'Insufficient cpu')
    >>> Status()
    <Status Success>
    """

    code: Code = Code.SUCCESS
    plugin: str = ""
    reasons: tuple[str, ...] = ()

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
        """Whether it says no: Unschedulable, UnschedulableAndUnresolvable or Pending."""
        return self.code in (
            Code.UNSCHEDULABLE,
            Code.UNSCHEDULABLE_AND_UNRESOLVABLE,
            Code.PENDING,
        )

    @property
    def message(self) -> str:
        """All reasons in one text, as upstream joins them."""
        return ", ".join(self.reasons)

    def __bool__(self) -> bool:
        return self.is_success

    def __repr__(self) -> str:
        by = f" by {self.plugin}" if self.plugin else ""
        why = f": {self.message}" if self.reasons else ""
        return f"<Status {self.code.label}{by}{why}>"


_SUCCESS = Status()


def status_of(parts: tuple[int, str, tuple[str, ...]]) -> Status:
    """The Status of what the extension module returns: (code, plugin, reasons)."""
    code, plugin, reasons = parts
    if code == 0 and not plugin and not reasons:
        return _SUCCESS
    return Status(Code(code), plugin, reasons)
