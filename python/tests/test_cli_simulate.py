"""`libsched simulate`: text, JSON, files, and the places of mistakes."""

import csv
import json

import pytest

CLUSTER = """
kind: Node
apiVersion: v1
metadata: {name: n1}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110, alibabacloud.com/gpu-milli: 2000}}
---
kind: Pod
apiVersion: v1
metadata: {name: there}
spec: {nodeName: n1, containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
---
kind: Pod
apiVersion: v1
metadata: {name: at-once}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
"""
WORKLOAD = """
kind: Deployment
apiVersion: apps/v1
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {libsched/arrival: 1m, libsched/duration: 90s, libsched/interval: 10s}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
"""
TRACE = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\n"


FILES = {"cluster.yaml": CLUSTER, "pods.yaml": WORKLOAD,
         "trace.csv": TRACE + "a,1000,512,1,500,10,70\nb,1000,512,3,1000,20,\n"}


@pytest.fixture
def simulate(run):
    def go(*arguments, **files):
        return run("simulate", *arguments, files={**FILES, **{
            name.replace("_", "."): text for name, text in files.items()}})

    return go


JOB = """
kind: Job
apiVersion: batch/v1
metadata: {name: j, annotations: {libsched/arrival: 90s, libsched/duration: 1h}}
spec:
  completions: 4
  parallelism: 2
  template: {spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}
"""
CRON_JOB = """
kind: CronJob
apiVersion: batch/v1
metadata: {name: c, annotations: {libsched/duration: 10m}}
spec:
  schedule: "@hourly"
  jobTemplate:
    spec:
      template: {spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}
"""


def test_a_job_runs_to_its_completions(simulate):
    done = simulate("cluster.yaml", "--workload", "job.yaml", job_yaml=JOB)
    assert (done.code, done.err) == (0, "")
    first, second = done.out.splitlines()[:2]
    assert first == "5 pods: 4 finished, 1 running"
    assert second.startswith("2:01:30 in ")


def test_a_job_that_is_suspended_or_misspelt_is_a_warning(simulate):
    misspelt = JOB.replace("duration", "durration") + "---" + JOB.replace("name: j", "name: k").replace(
        "completions: 4", "suspend: true")
    done = simulate("cluster.yaml", "--workload", "job.yaml", job_yaml=misspelt)
    assert "job.yaml: workload default/j: metadata.annotations[libsched/durration]: unknown annotation; " \
        'did you mean "libsched/duration"?' in done.err
    assert "job.yaml: workload default/k: spec.suspend: it is suspended: it makes no pods" in done.err


def test_a_cron_job_needs_an_end(simulate):
    done = simulate("cluster.yaml", "--workload", "cron.yaml", cron_yaml=CRON_JOB)
    assert done.code == 2
    assert "--until: a CronJob starts Jobs without end" in done.err


def test_a_cron_job_starts_jobs_by_the_date(simulate, tmp_path):
    done = simulate("cluster.yaml", "--workload", "cron.yaml", "--until", "3h", "--start", "2026-03-01T10:30:00Z",
                    "--tables", "out", cron_yaml=CRON_JOB)
    assert done.code == 0
    assert done.out.splitlines()[0] == "4 pods: 3 finished, 1 running"
    assert "default,c-29539380-0,finished" in (tmp_path / "out" / "pods.csv").read_text()
    done = simulate("cluster.yaml", "--workload", "cron.yaml", "--until", "3h", "--start", "noon",
                    cron_yaml=CRON_JOB)
    assert done.code == 2
    assert 'start: "noon" is no time' in done.err


def test_text(simulate):
    done = simulate("cluster.yaml", "--workload", "pods.yaml")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0] == "4 pods: 3 finished, 1 running"
    assert lines[2].startswith("waited for a node: median ")
    assert [line.split()[:3] for line in lines if line.lstrip().startswith("cpu")] == [["cpu", "4", "2"]]


GANG = """
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
""" + "".join(f"""---
kind: Pod
apiVersion: v1
metadata: {{name: p{i}}}
spec: {{schedulingGroup: {{podGroupName: g}}, containers: [{{name: c, image: x, resources: {{requests: {{cpu: 1}}}}}}]}}
""" for i in range(3))


def test_a_gang_with_its_group(simulate):
    done = simulate("cluster.yaml", "--workload", "gang.yaml", "--semantics", "1.36", "--feature-gates",
                    "GenericWorkload=true,GangScheduling=true", gang_yaml=GANG)
    assert done.code == 1
    assert "gang.yaml: taken to be in the cluster: 1 PodGroup" in done.err
    assert done.out.splitlines()[0] == "4 pods: 1 running, 3 pending"


def test_json_and_exit_code(simulate):
    done = simulate("cluster.yaml", "--workload", "trace.csv", "--json")
    assert done.code == 1
    summary = json.loads(done.out)
    assert (summary["pods"], summary["finished"], summary["running"]) == (3, 1, 1)
    assert summary["pendingReasons"] == [{"reason": "NodeResourcesFit", "pods": 1}]


def test_reasons_of_pending_pods(simulate):
    """A gate holds pods back and rejects no node; a run slower than real time claims no speed."""
    large, gated = (f"""
kind: Pod
apiVersion: v1
metadata: {{name: {name}}}
spec: {{{more}containers: [{{name: c, image: x, resources: {{requests: {{cpu: 9}}}}}}]}}
""" for name, more in (("large", ""), ("gated", "schedulingGates: [{name: example.com/hold}], ")))
    done = simulate("cluster.yaml", "--workload", "pending.yaml", pending_yaml=large + "---" + gated)
    assert done.code == 1
    assert "  1 pending, rejected by NodeResourcesFit" in done.out.splitlines()
    assert "  1 pending, gated by SchedulingGates" in done.out.splitlines()
    assert "times as fast" not in done.out


def test_until(simulate):
    done = simulate("cluster.yaml", "--workload", "pods.yaml", "--until", "1m5s", "--json")
    summary = json.loads(done.out)
    assert (summary["time"], summary["arrived"], summary["quiet"]) == (65, 2, False)
    done = simulate("cluster.yaml", "--workload", "pods.yaml", "--until", "soon")
    assert done.code == 2
    assert "'soon' is no time such as" in done.err


def test_files(simulate, tmp_path):
    done = simulate("cluster.yaml", "--workload", "pods.yaml", "--tables", "out/all",
                    "--html", "run.html")
    assert done.code == 0
    assert sorted(path.name for path in (tmp_path / "out" / "all").iterdir()) == [
        "pending.csv", "pods.csv", "preemptions.csv", "resources.csv", "series.csv", "volumes.csv"]
    with open(tmp_path / "out" / "all" / "pods.csv", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["pod"] for row in rows] == ["at-once", "web-0", "web-1", "web-2"]
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<title>4 pods · libsched simulate</title>" in page
    done = simulate("cluster.yaml", "--workload", "pods.yaml", "--html", "no/run.html")
    assert done.code == 2
    assert "no/run.html: No such file or directory" in done.err


def test_plot(simulate, tmp_path):
    pytest.importorskip("matplotlib")
    done = simulate("cluster.yaml", "--workload", "pods.yaml", "--plot", "run.png")
    assert done.code == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("row", "error"), [
    ("c,x,1,0,0,0,0", "cpu_milli: \"x\" is not a whole number"),
    ("c,1,1,0,0,20,10", "deletion_time: 10 is before creation_time"),
    ("a,1,1,0,0,0,0", "name: the workload has a pod \"default/a\" already"),
])
def test_a_bad_row_is_an_error_with_its_place(simulate, tmp_path, row, error):
    done = simulate("cluster.yaml", "--workload", "bad.csv", "--tables", "out",
                    bad_csv=TRACE + "a,1,1,0,0,0,0\n" + row + "\n")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"libsched: error: bad.csv:3: {error}\n"
    assert not (tmp_path / "out").exists()


def test_a_bad_annotation_names_file_and_pod(simulate):
    done = simulate("cluster.yaml", "--workload", "pods.yaml",
                    pods_yaml=WORKLOAD.replace("1m,", "later,"))
    assert done.code == 2
    assert ('pods.yaml: workload default/web: metadata.annotations[libsched/arrival]: time: invalid '
            'duration "later"') in done.err


def test_pods_of_an_unknown_scheduler_are_reported(simulate):
    done = simulate("cluster.yaml", "--workload", "trace.csv", "--scheduler-name", "other")
    assert done.code == 1
    assert "2 ignored" in done.out.splitlines()[0]
    assert "  2 ignored, schedulerName other" in done.out


@pytest.mark.parametrize(("arguments", "error"), [
    (["nowhere.yaml"], "nowhere.yaml: No such file or directory"),
    (["cluster.yaml", "--workload", "nowhere.csv"], "nowhere.csv: No such file or directory"),
    (["pods.yaml"], "there are no nodes in pods.yaml"),
    (["-", "--workload", "-"], "standard input (-) can be read only once"),
])
def test_missing_input(simulate, arguments, error):
    done = simulate(*arguments)
    assert done.code == 2
    assert error in done.err
