"""Fixtures: clusters, a scheduler, and the command line as a process."""

import signal

import pytest

import libsched
from manifests import node, pod
from running import run

__all__ = ["cluster", "run", "scheduler"]


@pytest.fixture
def cluster():
    """Three nodes: a with 4 CPUs and a pod of 3, b with 8 CPUs, c cordoned."""
    made = libsched.Cluster([node("a"), node("b", cpu="8"), node("c", unschedulable=True)])
    made.add_pods(pod("busy", cpu="3"), "a")
    return made


@pytest.fixture(scope="session")
def scheduler():
    return libsched.Framework()


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c():
    """Makes Ctrl-C interrupt also in a job of a shell that ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
