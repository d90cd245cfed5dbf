"""Status and its codes."""

import pytest

from libsched import Code, Status, _core


def test_codes_have_the_librarys_names():
    for code in Code:
        assert _core.code_name(int(code)) == code.label
        assert Code.of(code.label) is code
    assert _core.code_name(99) is None


@pytest.mark.parametrize("code, rejected", [
    (Code.SUCCESS, False), (Code.ERROR, False), (Code.UNSCHEDULABLE, True),
    (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, True), (Code.WAIT, False), (Code.SKIP, False),
    (Code.PENDING, True)])
def test_rejection(code, rejected):
    status = Status(code)
    assert status.is_rejected is rejected
    assert status.is_success is (code is Code.SUCCESS)
    assert bool(status) is (code is Code.SUCCESS)
    assert status.is_error is (code is Code.ERROR)
    assert status.is_wait is (code is Code.WAIT)
    assert status.is_skip is (code is Code.SKIP)


def test_text_and_equality():
    status = Status(Code.UNSCHEDULABLE, "NodePorts", ("one", "two"))
    assert status.message == "one, two"
    assert repr(status) == "<Status Unschedulable by NodePorts: one, two>"
    assert status == Status(Code.UNSCHEDULABLE, "NodePorts", ("one", "two"))
    assert status != Status()
    assert len({status, Status(), Status()}) == 2
