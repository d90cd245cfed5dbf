"""Pods that wait on a virtual clock have no threads, and a scheduler without threads goes on."""

import os
import resource
import subprocess
import sys
import textwrap

import pytest
from manifests import node, pod

from libsched import ApiServer, Clock, Cluster, Framework, Scheduler, Simulation, TimedWorkload

PODS = 300

STORAGE = {
    "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "slow"},
    "provisioner": "example.com/disks", "volumeBindingMode": "WaitForFirstConsumer",
}


def claim(name):
    return {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"storageClassName": "slow", "accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "1Gi"}}},
    }


def with_claim(name):
    return pod(name, cpu="1m", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": name}}])


def threads():
    return len(os.listdir("/proc/self/task"))


def world(**options):
    clock = Clock.virtual()
    server = ApiServer(clock=clock, **options)
    scheduler = Scheduler(Framework(), Cluster(), server, clock=clock)
    server.create(node("a", cpu="1000", pods="100000"))
    return server, scheduler


def bound(server):
    return sum(1 for one in server.objects.pods if one.node_name)


def test_pods_that_wait_for_volumes_have_no_threads():
    server, scheduler = world(bind_volumes=True, provision_time=60)
    server.create([STORAGE] + [claim(f"p{i}") for i in range(PODS)])
    server.create([with_claim(f"p{i}") for i in range(PODS)])
    before = threads()
    scheduler.run_for(30)
    assert scheduler.binding_count == PODS
    assert threads() <= before + 1  # of Ctrl-C
    scheduler.run_for(60)
    assert bound(server) == PODS and scheduler.binding_count == 0


@pytest.mark.parametrize("verb", ["bind", "patchPodStatus"])
def test_requests_under_way_have_no_threads(verb):
    server, scheduler = world()
    server.add_fault(verb, slow=3600)
    if verb == "bind":
        server.create([pod(f"p{i}", cpu="1m") for i in range(PODS)])
    else:  # victims of preemption, all of which get a condition first
        server.create([pod(f"v{i}", cpu="1", node_name="a") for i in range(1000)])
        server.create([pod(f"p{i}", cpu="1", priority=1000) for i in range(PODS)])
    before = threads()
    scheduler.run_for(10)
    assert threads() <= before + 2  # a cycle has one, and so has Ctrl-C
    assert verb != "bind" or scheduler.binding_count == PODS
    scheduler.run_for(4000)
    assert verb != "bind" or bound(server) == PODS
    scheduler.stop()


def test_a_simulation_has_few_threads():
    workload = TimedWorkload()
    for i in range(PODS):
        workload.add(with_claim(f"p{i}"))
    cluster = Cluster([node("a", cpu="1000", pods="100000"), STORAGE] + [claim(f"p{i}") for i in range(PODS)])
    simulation = Simulation(cluster, workload, provision_time=60)
    most = []
    result = simulation.run(progress=lambda now: most.append(threads()))
    assert result.states["running"] == PODS and result.wait.longest >= 60
    assert max(most, default=0) <= 16


WITHOUT_THREADS = """
    import resource
    from libsched import ApiServer, Clock, Cluster, Framework, LimitError, Scheduler
    from manifests import node, pod
    from test_waits import STORAGE, bound, claim, with_claim

    def limit(size):  # of the address space: the stack of a thread takes more
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))

    seen = []

    class Noting:
        def pre_bind(self, state, pod, node_name):
            seen.append(pod.name)

        def post_bind(self, state, pod, node_name):
            seen.append(pod.name)

    clock = Clock.virtual()
    server = ApiServer(clock=clock, bind_volumes=True, provision_time=60)
    scheduler = Scheduler(Framework(plugins=[Noting]), Cluster(), server, clock=clock)
    server.create([node("a", cpu="1000", pods="100000"), STORAGE])
    server.create([claim(f"p{i}") for i in range(100)] + [with_claim(f"p{i}") for i in range(100)])
    limit(2 << 30)
    # Pods on their way need none.
    scheduler.run_for(30)
    assert scheduler.binding_count == 100
    scheduler.run_for(60)
    assert bound(server) == 100
    assert sorted(seen) == sorted([f"p{i}" for i in range(100)] * 2)
    # A cycle whose requests may wait does, and is not begun.
    server.add_fault("patchPodStatus", slow=10)
    server.create([pod("large", cpu="5000"), pod("small", cpu="1")])
    for _ in range(2):
        try:
            scheduler.run_for(5)
        except LimitError as error:
            assert "no thread for a scheduling cycle" in str(error), error
        else:
            raise AssertionError("a thread was there")
        assert len(scheduler.queue.list("active")) == 2 and not scheduler.in_cycle
    limit(resource.RLIM_INFINITY)
    scheduler.run_for(60)
    assert bound(server) == 101
    scheduler.stop()
    print("done")
"""


def test_a_scheduler_that_gets_no_thread_goes_on():
    # A thread's stack is as large as the main thread's may be.
    gigabyte = 1 << 30
    script = textwrap.dedent(WITHOUT_THREADS)

    def large_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (3 * gigabyte, resource.RLIM_INFINITY))

    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the size of stacks is limited")
    done = subprocess.run([sys.executable, "-c", script], cwd=os.path.dirname(__file__), check=False,
                          capture_output=True, text=True, timeout=120, preexec_fn=large_stacks)
    assert done.stdout == "done\n", done.stderr
