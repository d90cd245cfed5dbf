"""The end of Python while daemon threads are in the library, and interpreters beside the main one."""

import subprocess
import sys

import pytest

START = """
import sys, threading, time
import libsched, libsched.cel
from libsched import *

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "1000"}}}
def pod(name):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "d"},
            "spec": {"containers": [{"name": "c"}]}}

cluster, wanted, begun = Cluster(NODE), Pod(pod("p")), threading.Semaphore(0)

def forever(work):
    def loop():
        work()
        begun.release()
        while True:
            work()
    for _ in range(3):
        threading.Thread(target=loop, daemon=True).start()
    for _ in range(3):
        assert begun.acquire(timeout=60)
    time.sleep(0.05)
"""

WORK = {
    "fit": "fw = Framework()\nforever(lambda: fw.fit(cluster.snapshot(), wanted))",
    "cluster": "fw = Framework()\nforever(lambda: fw.fit(cluster, wanted))",
    "plugin": """
class P:
    def filter(self, state, pod, node):
        sum(range(500))
fw = Framework(plugins=[P])
forever(lambda: fw.fit(cluster.snapshot(), wanted))""",
    "plugin that raises": """
class P:
    def filter(self, state, pod, node):
        raise ValueError("no")
fw = Framework(plugins=[P])
def work():
    try:
        fw.fit(cluster.snapshot(), wanted)
    except Exception:
        pass
forever(work)""",
    "parse": "forever(lambda: Pod(pod('q')))",
    "errors": """
def work():
    try:
        Pod("kind: [")
    except libsched.Error:
        pass
forever(work)""",
    "catalog": "forever(lambda: Catalog().pod(wanted))",
    "sim": "fw = Framework()\nforever(lambda: Sim.from_dump(cluster, fw))",
    "cel": "forever(lambda: libsched.cel.compile('true'))",
    "virtual scheduler": """
fw = Framework()
def work():
    s = Scheduler(fw, Cluster(NODE), None, clock=Clock.virtual())
    s.deliver(None, Pod(pod("p")))
    s.run_for(100)
forever(work)""",
    "scheduler that waits": """
fw = Framework()
def wait():
    s = Scheduler(fw, Cluster(NODE), None)
    begun.release()
    s.run_for(100)
for _ in range(3):
    threading.Thread(target=wait, daemon=True).start()
for _ in range(3):
    assert begun.acquire(timeout=60)
time.sleep(0.1)""",
    "observer and API client": """
class Api:
    def bind(self, pod, node):
        sum(range(500))
class Observer:
    def bound(self, pod, node):
        sum(range(500))
fw = Framework()
def work():
    s = Scheduler(fw, Cluster(NODE), Api(), observer=Observer(), clock=Clock.virtual())
    for i in range(20):
        s.deliver(None, Pod(pod(f"p{i}")))
    s.run_for(100)
forever(work)""",
    "clock": """
fw = Framework()
def now():
    sum(range(500))
    return time.time_ns()
def work():
    Scheduler(fw, Cluster(NODE), None, clock=Clock.custom(now)).run_one()
forever(work)""",
}


def python(code, *options):
    return subprocess.run([sys.executable, "-X", "faulthandler", *options, "-c", code], check=False, timeout=300,
                          capture_output=True, text=True)


@pytest.mark.parametrize("what", WORK)
def test_a_daemon_thread_in_the_library_does_not_disturb_the_end_of_the_process(what):
    done = python(START + WORK[what])
    assert (done.returncode, done.stderr) == (0, "")


def test_an_object_that_a_daemon_thread_uses_is_refused_when_python_has_ended():
    done = python(START + """
class Last:
    def __del__(self):
        try:
            print(len(cluster.nodes))
        except libsched.StateError as error:
            print(error)
class P:
    def filter(self, state, pod, node):
        while True:
            pass
fw = Framework(plugins=[P])
threading.Thread(target=lambda: fw.fit(cluster, wanted), daemon=True).start()
time.sleep(0.3)
import builtins
builtins.last, builtins.cluster, builtins.libsched = Last(), cluster, libsched
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout in ("", "another thread was using this object when Python ended\n")


@pytest.mark.parametrize("before", ["", "import libsched; libsched.Framework()"])
def test_another_interpreter_cannot_import_the_package(before):
    interpreters = pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    assert interpreters
    done = python(f"""
{before}
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
one = interpreters.create()
code = '''
import sys
sys.path[:0] = {sys.path!r}
try:
    import libsched
except ImportError as error:
    assert "libsched" in str(error) or "subinterpreter" in str(error), error
    print("refused", flush=True)
'''
interpreters.run_string(one, code)
interpreters.destroy(one)
import libsched, libsched.cel
assert libsched.Framework()
""")
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


def test_the_module_can_be_imported_again():
    done = python("""
import sys
import libsched, libsched.cel
before = libsched._core
del sys.modules["libsched._core"]
import importlib
assert importlib.import_module("libsched._core") is before
assert before.abi_version() == libsched._core.ABI_VERSION
""")
    assert done.returncode == 0, done.stderr
