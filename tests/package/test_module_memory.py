"""The Python module when its own allocations fail, each in turn: an exception, and nothing else."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).with_name("failing_new.cpp")

PROGRAM = """
import ctypes, sys
from libsched import *
from libsched import _core

library = ctypes.CDLL(None)
fail_at, stop_failing = library.fail_at, library.stop_failing
fail_at.argtypes, stop_failing.restype = [ctypes.c_long], ctypes.c_long

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "1000"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"},
       "spec": {"containers": [{"name": "c"}]}}
class Plugin:
    def filter(self, state, pod, node):
        pass
class Observer:
    def bound(self, pod, node):
        pass
class Api:
    def bind(self, pod, node):
        pass
cluster, pod, framework, with_plugin = Cluster(NODE), Pod(POD), Framework(), Framework(plugins=[Plugin])
def scheduler():
    made = Scheduler(with_plugin, Cluster(NODE), Api(), observer=Observer(), clock=Clock.virtual())
    made.deliver(None, Pod(POD))
    return made

# What is made before, and what is done with it.
CASES = {
    "cluster": (lambda: None, lambda _: Cluster(NODE)),
    "pod": (lambda: None, lambda _: Pod(POD)),
    "framework": (lambda: None, lambda _: Framework(plugins=[Plugin])),
    "state": (lambda: None, lambda _: CycleState()),
    "cancel": (lambda: None, lambda _: _core.Cancel()),
    "catalog": (lambda: None, lambda _: Catalog().pod(pod)),
    "sim": (lambda: None, lambda _: Sim.from_dump(cluster, framework)),
    "clock": (lambda: None, lambda _: Clock.virtual()),
    "own clock": (lambda: None, lambda _: _core.Clock.custom(lambda: 1, None).now()),
    "snapshot": (lambda: Cluster(NODE), lambda c: c.snapshot()),
    "clone": (lambda: Cluster(NODE), lambda c: c.clone()),
    "add": (lambda: Cluster(NODE), lambda c: c.add_pods(Pod(POD), "n")),
    "fit": (lambda: None, lambda _: with_plugin.fit(cluster, pod)),
    "texts": (lambda: framework.fit(cluster, pod), lambda d: str(d)),
    "scheduler": (lambda: None, lambda _: scheduler()),
    "run": (scheduler, lambda s: s.run_for(10)),
    "queue": (scheduler, lambda s: s.queue.list("active")),
    "schedule": (lambda: Cluster(NODE), lambda c: with_plugin.schedule(c, [pod])),
}
prepare, act = CASES[sys.argv[1]]
act(prepare())
failures = 0
for n in range(1, 400):
    given = prepare()
    fail_at(n)
    try:
        act(given)
        result = None
    except BaseException as error:
        result = error
    made = stop_failing()
    assert made >= 0, "the module is not there"
    del given
    if made < n:
        break
    failures += result is not None
    assert result is None or isinstance(result, Exception), result
act(prepare())
print(failures)
"""

CASES = ["cluster", "pod", "framework", "state", "cancel", "catalog", "sim", "clock", "own clock", "snapshot", "clone",
         "add", "fit", "texts", "scheduler", "run", "queue", "schedule"]


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory):
    library = tmp_path_factory.mktemp("failing") / "failing_new.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC", str(SOURCE), "-o",
                    str(library)], check=True)
    return library


@pytest.mark.parametrize("case", CASES)
def test_an_allocation_that_fails_in_the_module_is_an_exception(preloaded, case):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", PROGRAM, case], check=False, timeout=120,
                          capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": str(preloaded)})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0 or case == "texts"  # whose texts are short
