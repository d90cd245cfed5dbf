"""The exposition of a scheduler's metrics, by a parser of the format.

Every family is compared with what upstream registers (tests/tables/metrics.json), in runs that together
observe all of them but those that loop.h lists as never observed.
"""

import datetime
import functools
import json
import pathlib
import re

from manifests import node, pod
from prometheus_client.parser import text_string_to_metric_families

from libsched import ApiServer, Clock, Cluster, Code, Framework, Scheduler, Status

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECOND = 10**9
GATES = {"SchedulerAsyncAPICalls": True, "GenericWorkload": True, "GangScheduling": True}


def world(frameworks=None, **options):
    clock = Clock.virtual(1000 * SECOND)
    server = ApiServer(clock=clock)
    return server, Scheduler(frameworks or Framework(semantics="1.36"), Cluster(), server, clock=clock, **options)


def families(scheduler):
    return {family.name: family for family in text_string_to_metric_families(scheduler.metrics_text())}


def test_the_metrics_are_read_by_a_parser_of_the_format():
    name = 'a "quoted"\\name'
    profile = {"apiVersion": "kubescheduler.config.k8s.io/v1",
               "kind": "KubeSchedulerConfiguration", "profiles": [{"schedulerName": name}]}
    server, scheduler = world(Framework(json.dumps(profile), semantics="1.36"))
    server.create([node("a", cpu="2"), pod("p", cpu=1, schedulerName=name),
                   pod("q", cpu=2, schedulerName=name)])
    scheduler.run_for(30)
    found = families(scheduler)
    attempts = {(sample.labels["profile"], sample.labels["result"]): sample.value
                for sample in found["scheduler_schedule_attempts"].samples
                if sample.name.endswith("_total")}
    assert attempts == {(name, "scheduled"): 1, (name, "unschedulable"): 1}
    assert found["scheduler_schedule_attempts"].type == "counter"
    durations = found["scheduler_scheduling_attempt_duration_seconds"]
    assert durations.type == "histogram"
    for result in ("scheduled", "unschedulable"):
        mine = [one for one in durations.samples if one.labels.get("result") == result]
        buckets = [one.value for one in mine if one.name.endswith("_bucket")]
        (count,) = [one.value for one in mine if one.name.endswith("_count")]
        assert buckets == sorted(buckets) and buckets[-1] == count == 1
    pending = {one.labels["queue"]: one.value for one in found["scheduler_pending_pods"].samples}
    assert pending == {"active": 0, "backoff": 0, "gated": 0, "unschedulable": 1}
    assert all(family.documentation for family in found.values())


class Waits:
    """Lets each pod wait on Permit, for longer than any test."""

    def permit(self, state, pod, node):
        return Status(Code.WAIT), datetime.timedelta(hours=1)


def preempting_pods_and_groups():
    """Everything but volumes and Permit."""
    server, scheduler = world(Framework(feature_gates=GATES, semantics="1.36"))
    group = {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
             "metadata": {"name": "g", "namespace": "default"},
             "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}}
    server.create([node("a", cpu="2"), pod("low", cpu=2), group])
    scheduler.run_for(1)
    server.create(pod("high", cpu=2, priority=10))
    scheduler.run_for(60)
    server.create(node("b", cpu="8"))
    for name, priority in (("m1", 1), ("m2", 2)):
        server.create(pod(name, cpu=1, priority=priority,
                          schedulingGroup={"podGroupName": "g"}))
    scheduler.run_for(30)
    assert {one.name for one in server.objects.pods if one.node_name} == {"high", "m1", "m2"}
    return scheduler


def waiting_pods():
    """A pod that is allowed after a while."""
    server, scheduler = world(Framework(plugins=[Waits()], semantics="1.36"))
    server.create([node("a"), pod("p")])
    scheduler.run_for(5)
    (waiting,) = scheduler.services.waiting_pods
    waiting.allow("Waits")
    scheduler.run_for(5)
    assert server.pod("default", "p").node_name == "a"
    return scheduler


def failing_volumes():
    """A claim whose binding fails."""
    server, scheduler = world()
    server.add_fault("patchObject", error="no")
    storage = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "later"},
               "provisioner": "example.com/disk", "volumeBindingMode": "WaitForFirstConsumer"}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
             "metadata": {"name": "c", "namespace": "default"},
             "spec": {"storageClassName": "later", "accessModes": ["ReadWriteOnce"],
                      "resources": {"requests": {"storage": "1Gi"}}},
             "status": {"phase": "Pending"}}
    server.create([node("a"), storage, claim, pod("p", volumes=[
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])])
    scheduler.run_for(5)
    assert not server.pod("default", "p").node_name
    return scheduler


@functools.cache
def exercised():
    """The families of all runs, by upstream's name."""
    found = {}
    for run in (preempting_pods_and_groups, waiting_pods, failing_volumes):
        for family in families(run()).values():
            name = family.name + "_total" * (family.type == "counter")
            found.setdefault(name, []).append(family)
    return found


@functools.cache
def recorded():
    table = json.loads((ROOT / "tests/tables/metrics.json").read_text())
    return {family["name"]: family for family in table["families"]}


def observed(family):
    # A gauge has a series from its first change on, and may be 0 again.
    return family.type == "gauge" or any(sample.value != 0 for sample in family.samples)


def test_the_documented_families_are_never_observed_and_all_others_are():
    header = (ROOT / "capi/include/libsched/loop.h").read_text()
    (text,) = re.findall(r"Never observed:(.*?)Errors:", header, re.DOTALL)
    never = {f"scheduler_{word}" for word in re.findall(r"[a-z_]+_(?:total|seconds)", text)}
    seen = {name for name, found in exercised().items() if any(map(observed, found))}
    assert seen == recorded().keys() - never
    assert never <= recorded().keys()


def test_every_family_is_as_upstream_registers_it():
    assert exercised().keys() <= recorded().keys()
    for name, found in exercised().items():
        expected = recorded()[name]
        for family in found:
            assert family.type == expected["type"], name
            assert family.documentation == expected["help"], name
            for sample in family.samples:
                assert set(sample.labels) - {"le"} == set(expected["labels"]), sample
            bounds = {}
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    series = tuple(v for k, v in sample.labels.items() if k != "le")
                    bounds.setdefault(series, []).append(float(sample.labels["le"]))
            assert bool(bounds) == (expected["type"] == "histogram"), name
            for series, buckets in bounds.items():
                assert buckets == [*expected["buckets"], float("inf")], (name, series)


def test_a_release_has_its_own_families():
    releases = {one["release"]: one["metrics"]
                for one in json.loads((ROOT / "tests/tables/releases.json").read_text())}
    entities = {}
    for release, metrics in releases.items():
        server, scheduler = world(Framework(semantics=release))
        server.create([node("a", cpu="1"), pod("p", cpu=1), pod("q", cpu=2)])
        scheduler.run_for(1)
        found = families(scheduler)
        assert {family.name + "_total" * (family.type == "counter") for family in found.values()} <= metrics.keys()
        entities[release] = {(one.labels["queue"], one.labels["type"]): one.value
                             for one in getattr(found.get("scheduler_queued_entities"), "samples", ())}
    assert entities.pop("1.37") == {("active", "pod"): 0, ("unschedulable", "pod"): 1}
    assert not any(entities.values())


def test_a_plugin_is_counted_for_each_node_and_timed_in_a_cycle_of_ten():
    server, scheduler = world()
    server.create([node("a"), node("b", taints=[{"key": "k", "effect": "NoSchedule"}]), node("c")])
    for number in range(11):
        server.create(pod(f"p{number}"))
        scheduler.run_for(1)
    found = families(scheduler)
    evaluations = {(sample.labels["extension_point"], sample.labels["plugin"]): sample.value
                   for sample in found["scheduler_plugin_evaluation"].samples}
    assert evaluations["Filter", "TaintToleration"] == 33
    assert evaluations["Filter", "NodeResourcesFit"] == 22
    assert evaluations["Score", "NodeResourcesFit"] == 22
    assert evaluations["Filter", "NodePorts"] == 0  # skipped
    executions = {(sample.labels["extension_point"], sample.labels["plugin"], sample.labels["status"]):
                  sample.value
                  for sample in found["scheduler_plugin_execution_duration_seconds"].samples
                  if sample.name.endswith("_count")}
    assert executions["Filter", "TaintToleration", "Success"] == 2
    assert executions["PreFilter", "NodePorts", "Skip"] == 2
    assert executions["Bind", "DefaultBinder", "Success"] == 2
