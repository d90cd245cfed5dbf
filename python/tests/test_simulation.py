"""Simulations with the in-tree plugins: whole runs, typed results, tables, plots and the page."""

import ctypes
import datetime
import io
import json

import pytest

import libsched
from libsched import Cluster, Framework, Objects, Pod, Simulation, TimedWorkload
from libsched.report.simulation import simulation_html

TRACE = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,2000,1024,1,460,,LS,Running,0,100,10
b,2000,1024,1,1000,T4,BE,Pending,5,30,
c,9000,1024,0,0,,BE,Pending,6,30,
"""


def node(name, cpu="4", **more):
    return {"kind": "Node", "apiVersion": "v1",
            "metadata": {"name": name, "labels": {"alibabacloud.com/gpu-card-model": "T4"}},
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110",
                                       "alibabacloud.com/gpu-milli": "2000"}}, **more}


def pod(name, cpu="1", priority=0, **metadata):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, **metadata},
            "spec": {"priority": priority, "containers": [
                {"name": "c", "resources": {"requests": {"cpu": cpu}}}]}}


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return path


@pytest.fixture
def traced(trace):
    workload = TimedWorkload()
    workload.add_trace(trace)
    return Simulation(Cluster([node("n1")]), workload).run()


def test_a_trace_runs_to_its_end(traced):
    assert traced.quiet
    assert traced.states == {"waiting": 0, "pending": 1, "running": 0, "finished": 2,
                             "preempted": 0, "ignored": 0, "replaced": 0}
    assert traced.pending_reasons == {"NodeResourcesFit": 1}
    assert traced.pods_total == traced.arrived == 3
    assert traced.bound == 2
    rows = list(traced.pods.rows())
    assert [row["pod"] for row in rows] == ["a", "b", "c"]
    assert float(rows[0]["end"]) - float(rows[0]["bound"]) == pytest.approx(90)
    assert float(rows[1]["end"]) - float(rows[1]["bound"]) == pytest.approx(25)
    assert rows[2]["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    used = {use.resource: use for use in traced.resources_now}
    assert used["cpu"].allocatable == used["cpu"].free == 4000
    assert used["cpu"].fragmentation == pytest.approx(1 / 3)
    assert used["alibabacloud.com/gpu-milli"].fragmentation == pytest.approx(1 / 3)
    assert traced.wait.longest < 1


def test_a_higher_priority_preempts():
    workload = TimedWorkload()
    workload.add(pod("low", "3"))
    workload.add(pod("high", "3", priority=10), arrival=datetime.timedelta(minutes=1), duration=5)
    result = Simulation(Cluster([node("n1")]), workload).run()
    assert result.states["preempted"] == result.states["finished"] == 1
    row, = result.preemptions.rows()
    assert (row["pod"], row["node"], row["preemptor"]) == ("low", "n1", "default/high")
    assert result.preemption_count == 1
    assert 60 <= float(row["time"]) < 61


def job(name, kind="Job", priority=0, annotations=None, **spec):
    """A Job of pods that request one cpu, or a CronJob of such Jobs: `spec` is what is not the Job's template."""
    template = {"template": {"spec": pod("x", priority=priority)["spec"]}}
    inner = {field: spec.pop(field) for field in ("completions", "parallelism") if field in spec} | template
    return {"kind": kind, "apiVersion": "batch/v1", "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {**spec, **({"jobTemplate": {"spec": inner}} if kind == "CronJob" else inner)}}


def test_a_job_runs_until_enough_pods_have_succeeded():
    workload = TimedWorkload()
    workload.add_objects(job("j", completions=60, parallelism=20, annotations={"libsched/duration": "2h"}))
    result = Simulation(Cluster([node("n1", cpu="20")]), workload).run()
    assert (result.states["finished"], result.pods_total, len(workload)) == (60, 60, 60)
    assert result.time == pytest.approx(6 * 3600, abs=1)


def test_a_job_that_is_added_as_a_workload_runs_in_the_same_way():
    objects = Objects(job("j", completions=3, annotations={"libsched/duration": "10s"}), keep_annotations=True)
    workload = TimedWorkload()
    workload.add_objects(objects.workloads[0])
    result = Simulation(Cluster([node("n1")]), workload).run()
    assert result.states["finished"] == 3
    assert result.time == pytest.approx(30, abs=1)


def test_a_job_makes_another_pod_for_a_preempted_one():
    workload = TimedWorkload()
    workload.add_objects(job("j", completions=2, parallelism=2, annotations={"libsched/duration": "60s"}))
    workload.add(pod("high", "3", priority=10), arrival=10, duration=20)
    result = Simulation(Cluster([node("n1")]), workload).run()
    assert result.preemption_count == 1
    states = {row["pod"]: row["state"] for row in result.pods.rows()}
    assert sorted(states) == ["high", "j-0", "j-1", "j-2"]
    assert sorted(states.values()) == ["finished", "finished", "finished", "preempted"]
    assert states["j-2"] == "finished"
    assert result.pods_total == result.arrived == 4


@pytest.mark.parametrize("start, names", [
    ("2026-01-01T00:00:00Z", ["c-29453820-0", "c-29453880-0"]),
    ("2026-01-01T12:30:00+02:00", ["c-29454420-0", "c-29454480-0"]),
    (datetime.datetime(2026, 1, 1, 0, 30, tzinfo=datetime.timezone.utc), ["c-29453820-0", "c-29453880-0"])])
def test_a_cron_job_starts_jobs_by_the_date(start, names):
    workload = TimedWorkload()
    workload.add_objects(job("c", "CronJob", schedule="@hourly", annotations={"libsched/duration": "10m"}))
    assert len(workload) == 0
    result = Simulation(Cluster([node("n1")]), workload, start=start).run(datetime.timedelta(hours=2))
    assert [row["pod"] for row in result.pods.rows()] == names
    assert result.pods_total == result.arrived == 2


def test_a_cron_job_of_a_day_in_hours_has_24_runs():
    workload = TimedWorkload()
    workload.add_objects(job("c", "CronJob", schedule="0 * * * *", annotations={"libsched/duration": "10m"}))
    simulation = Simulation(Cluster([node("n1")]), workload)
    with pytest.raises(libsched.InvalidError, match="^until: a CronJob starts Jobs without end"):
        simulation.run()
    result = simulation.run(24 * 3600)
    assert (result.states["finished"], result.states["running"]) == (23, 1)


@pytest.mark.parametrize("start", ["tomorrow", "2026-01-01", "1969-12-31T23:59:59Z", "2150-01-01T00:00:00Z"])
def test_a_beginning_that_is_no_date_is_refused(start):
    with pytest.raises(libsched.InvalidError, match="^start: "):
        Simulation(Cluster([node("n1")]), TimedWorkload(), start=start)


def test_what_has_no_effect_is_a_warning():
    workload = TimedWorkload()
    assert workload.warnings == []
    workload.add_objects([job("a", annotations={"libsched/durration": "1h"}), job("b", backoffLimit=1),
                          job("c", suspend=True)])
    assert [(warning["path"], warning["message"].split(";")[0]) for warning in workload.warnings] == [
        ("workload default/a: metadata.annotations[libsched/durration]", "unknown annotation"),
        ("workload default/b: spec.backoffLimit", "not imitated: it has no effect here"),
        ("workload default/c: spec.suspend", "it is suspended: it makes no pods")]
    assert len(workload) == 2


def test_a_schedule_that_is_none_is_refused_with_its_path():
    workload = TimedWorkload()
    with pytest.raises(libsched.InvalidError, match="^workload default/c: spec.schedule: minute: "):
        workload.add_objects(job("c", "CronJob", schedule="99 * * * *"))


def storage(*modes):
    """A class and a claim for each mode."""
    out = []
    for mode in modes:
        out += [{"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": mode.lower()},
                 "provisioner": "csi.example.com", "volumeBindingMode": mode},
                {"kind": "PersistentVolumeClaim", "apiVersion": "v1",
                 "metadata": {"name": f"of-{mode.lower()}", "namespace": "default"},
                 "spec": {"storageClassName": mode.lower(), "accessModes": ["ReadWriteOnce"],
                          "resources": {"requests": {"storage": "1Gi"}}}}]
    return out


def claiming(name, claim):
    made = pod(name)
    made["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    return made


def test_volumes_are_made_for_claims():
    def result(**options):
        workload = TimedWorkload()
        workload.add(claiming("waits", "of-waitforfirstconsumer"), arrival=10)
        workload.add(claiming("ready", "of-immediate"), arrival=10)
        cluster = Cluster([node("n1"), *storage("WaitForFirstConsumer", "Immediate")])
        return Simulation(cluster, workload, **options).run()

    slow = result(provision_time=datetime.timedelta(seconds=30))
    waits, ready = sorted(slow.pods.rows(), key=lambda row: row["pod"], reverse=True)
    assert slow.quiet and slow.bound == 2
    assert 40 < float(waits["bound"]) < 42
    assert 30 <= float(ready["bound"]) < 42
    assert [(row["action"], row["claim"], row["node"]) for row in slow.volumes.rows()] == [
        ("provisioned", "of-immediate", ""), ("bound", "of-immediate", ""),
        ("provisioned", "of-waitforfirstconsumer", "n1"), ("bound", "of-waitforfirstconsumer", "n1")]
    assert slow.to_dict() == result(provision_time=30).to_dict()
    assert result().wait.longest < 2  # PreBind looks once a second
    without = result(volumes=False)  # takes the requests as fulfilled; nobody binds what does not wait
    assert [row["pod"] for row in without.pods.rows() if row["state"] == "running"] == ["waits"]
    assert without.wait.longest < 1 and len(list(without.volumes.rows())) == 0
    with pytest.raises(libsched.InvalidError, match="a time to make a volume needs a controller"):
        result(volumes=False, provision_time=1)
    with pytest.raises(libsched.InvalidError, match="the time to make a volume is negative"):
        result(provision_time=-1)


def test_a_gang_without_room_is_tried_in_vain():
    # Its pods come back to the queue at once, and are tried without end while time stands still.
    gates = {"GenericWorkload": True, "GangScheduling": True}
    group = {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
             "metadata": {"name": "g", "namespace": "default"},
             "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}
    workload = TimedWorkload()
    for name in "abc":
        member = pod(name, cpu="2")
        member["spec"]["schedulingGroup"] = {"podGroupName": "g"}
        workload.add(member)
    workload.add(pod("alone", cpu="4"), arrival=1000)
    result = Simulation(Cluster([node("n1"), group]), workload, Framework(feature_gates=gates, semantics="1.36")).run()
    assert result.states["running"] == 1 and result.states["pending"] == 3
    assert 1000 < result.summary["time"] < 2000
    assert 100 < result.summary["attempts"] < 100_000


def test_the_same_input_gives_the_same_bytes():
    def made(seed):
        workload = TimedWorkload()
        workload.add(pod("p"), replicas=30, interval=0.5, duration=7)
        simulation = Simulation(Cluster([node(f"n{i}") for i in range(4)]), workload,
                                ties="random", seed=seed)
        return json.dumps(simulation.run().to_dict())

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_annotations_and_several_profiles():
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "second"}]}
    workload = TimedWorkload()
    timed = pod("t", annotations={"libsched/arrival": "10s", "libsched/duration": "1m"})
    second = pod("s")
    second["spec"]["schedulerName"] = "second"
    other = pod("o")
    other["spec"]["schedulerName"] = "nobody"
    workload.add_objects([timed, second])
    workload.add_objects(Objects(other))
    workload.add_objects([Pod(pod("u", annotations={"libsched/arrival": "5s"}),
                              keep_annotations=True)])
    frameworks = [Framework(config, profile=name) for name in ("default-scheduler", "second")]
    simulation = Simulation(Cluster([node("n1")]), workload, frameworks)
    early = simulation.run(8)
    assert early.time == simulation.now == 8
    assert not early.quiet
    assert early.arrived == 3
    result = simulation.run()
    assert result.ignored_schedulers == {"nobody": 1}
    assert [(row["pod"], row["state"]) for row in result.pods.rows()] == [
        ("s", "running"), ("o", "ignored"), ("u", "running"), ("t", "finished")]


def test_a_bad_row_names_its_place_and_nothing_runs(trace):
    trace.write_text(TRACE + "d,1,1,0,0,,,,20,10,\n")
    workload = TimedWorkload()
    with pytest.raises(libsched.InvalidError) as caught:
        workload.add_trace(trace)
    assert str(caught.value) == f"{trace}:5: deletion_time: 10 is before creation_time"
    assert len(workload) == 0


@pytest.mark.parametrize(("arguments", "error", "text"), [
    ({"arrival": -1}, libsched.InvalidError, "the arrival is negative"),
    ({"duration": -1}, libsched.InvalidError, "the duration is negative"),
    ({"replicas": 0}, libsched.InvalidError, "replicas is a positive number, not 0"),
    ({"arrival": "1s"}, libsched.MisuseError, "arrival is a number of seconds or a timedelta, not '1s'"),
])
def test_wrong_arguments_add_nothing(arguments, error, text):
    workload = TimedWorkload()
    with pytest.raises(error, match=text):
        workload.add(pod("p"), **arguments)
    assert len(workload) == 0


def test_a_simulation_refuses_what_does_not_fit_together():
    workload = TimedWorkload()
    workload.add(pod("p"))
    there = pod("p")
    there["spec"]["nodeName"] = "n1"
    with pytest.raises(libsched.ExistsError, match='the workload have a pod "default/p"'):
        Simulation(Cluster([node("n1"), there]), workload)
    Simulation(Cluster([node("n1")]), workload)
    with pytest.raises(libsched.StateError, match="a simulation has this workload"):
        workload.add(pod("q"))
    with pytest.raises(libsched.InvalidError, match="ties"):
        Simulation(Cluster([node("n1")]), workload, ties="best")
    with pytest.raises(libsched.InvalidError, match="negative"):
        Simulation(Cluster([node("n1")]), workload).run(-1)


def test_progress_is_told_and_can_end_a_run():
    workload = TimedWorkload()
    workload.add(pod("p", "1m"), replicas=4000)
    told = []
    simulation = Simulation(Cluster([node("n1")]), workload)
    with pytest.raises(libsched.CancelledError, match="the simulation was ended"):
        simulation.run(progress=lambda p: told.append(p) or len(told) < 3)
    assert len(told) == 3
    assert told[-1].total == 4000

    def raises(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        simulation.run(progress=raises)
    cancel = libsched.Cancel()
    cancel.set()
    with pytest.raises(libsched.CancelledError):
        simulation.run(cancel=cancel)
    assert simulation.run(progress=lambda p: None).bound == 110


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    pass


Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.c_void_p), ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]


def test_tables_are_arrow_streams(traced):
    capsule = traced.pods.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(Stream))
    schema = Schema()
    assert stream.contents.get_schema(stream, schema) == 0
    assert [schema.children[i].contents.name for i in range(schema.n_children)] == [
        b"namespace", b"pod", b"state", b"arrival", b"bound", b"wait", b"end", b"node", b"attempts",
        b"reason", b"message"]
    schema.release(schema)
    del capsule  # releases what was not taken over


def test_tables_have_texts(traced, tmp_path):
    table = traced.series
    assert repr(table) == f"<ResultTable series: {len(table):,} rows>"
    path = tmp_path / "series.json"
    table.write(path)
    assert json.loads(path.read_bytes()) == json.loads(table.json())
    assert table.csv().startswith(b"time,arrived,waiting,pending,running,finished")
    with pytest.raises(libsched.FileError, match="nowhere"):
        table.write(tmp_path / "nowhere" / "x.csv")
    pandas = pytest.importorskip("pandas")
    frame = traced.to_pandas()["pods"]
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["pod"]) == ["a", "b", "c"]


def test_results_show_themselves(traced):
    assert repr(traced) == f"<SimulationResult at {traced.time:,.3f} s: 1 pending, 2 finished>"
    page = traced._repr_html_()
    assert "<th style='text-align:left'>finished</th><td>2</td>" in page
    html = simulation_html(traced)
    assert html.count("<figure>") == 5
    assert "script" not in html.replace("runs no script", "")


def test_plots(traced, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "run.svg"
    figure = traced.plot(path)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "pods", "used, share of all\nfragmented, share of the free", "pending pods", "finished pods"]
    assert figure.axes[-1].get_xlabel() == "seconds"
    assert path.read_text().lstrip().startswith("<?xml")
    with pytest.raises(libsched.FileError):
        traced.plot(tmp_path / "nowhere" / "run.svg")
    with pytest.raises(libsched.UnsupportedError, match="xyz"):
        traced.plot(tmp_path / "run.xyz")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_plots_have_a_unit_that_people_read():
    pytest.importorskip("matplotlib")
    workload = TimedWorkload()
    workload.add(pod("p"), arrival=datetime.timedelta(days=3))
    figure = Simulation(Cluster([node("n1")]), workload).run().plot()
    assert figure.axes[-1].get_xlabel() == "days"
    assert figure.axes[0].lines[0].get_xdata()[-1] == pytest.approx(3, abs=0.1)


def test_plots_say_what_they_need(traced, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(libsched.UnsupportedError, match=r"pip install libsched\[plots\]"):
        traced.plot()
