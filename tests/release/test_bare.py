"""The README's commands on a bare machine: Debian 12 with git, make and ca-certificates, and nothing else."""

import re

import pytest
import roots


@pytest.fixture(name="machine", scope="module")
def bare_machine(tmp_path_factory):
    """A machine on which nothing was done yet."""
    made = roots.Machine("bookworm", tmp_path_factory.mktemp("bare") / "root")
    yield made
    made.remove()


def test_the_demo_answers_and_installs_only_what_it_needs(machine):
    said = machine.run("make", "demo")
    assert "ml/train: fits 2 of 41 nodes\n" in said
    assert "compiling the library: about " in said
    not_needed = "chromium|default-jdk|openjdk|clang|valgrind|zsh|fish|swig|kubernetes|golang|abigail"
    assert not [name for name in machine.packages() if re.match(not_needed, name)]


def test_the_c_tests_pass(machine):
    passed, failed = roots.closing_line(machine.run("make", "test", "PART=c"))
    assert passed > 20 and failed == 0
