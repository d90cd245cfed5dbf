"""The examples run; C, Python, Go and the command line give the same answers from the same library."""

import gzip
import json

import project
import pytest

CLUSTERS = project.ROOT / "examples" / "clusters"
SHOP = CLUSTERS / "shop.yaml"
PODS = sorted((CLUSTERS / "pods").glob("*.yaml"))
PYTHON = project.ROOT / ".venv" / "bin" / "python"
LIBSCHED = project.ROOT / ".venv" / "bin" / "libsched"
FITS = {"train": 2, "huge": 0}  # known from how the cluster was made


@pytest.fixture(scope="session")
def go_programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    project.run(project.need("go"), "build", "-o", folder, "./...",
                cwd=project.ROOT / "examples" / "go",
                env={"CGO_ENABLED": "1", "GOFLAGS": "-tags=libsched_repo", "GOTOOLCHAIN": "local"})
    return folder


@pytest.fixture(scope="session")
def go_fit(go_programs):
    return go_programs / "fit"


def answers(program, pod):
    code = 1 if pod.stem == "huge" else 0
    return json.loads(project.run(*program, SHOP, pod, code=code))


@pytest.mark.parametrize("pod", PODS, ids=lambda path: path.stem)
def test_all_languages_answer_alike(pod, go_fit):
    from_c = answers([project.RELEASE / "examples" / "example_c_fit"], pod)
    assert answers([PYTHON, project.ROOT / "examples" / "python" / "fit.py"], pod) == from_c
    assert answers([go_fit], pod) == from_c
    said = json.loads(project.run(LIBSCHED, "fit", SHOP, "--pod", pod, "--json",
                                  code=0 if from_c["fits"] else 1))
    assert from_c["nodes"] == nodes_in(said)
    assert len(from_c["nodes"]) == FITS.get(pod.stem, len(from_c["nodes"]))


def nodes_in(said):
    """The list of nodes that take the pod, from the output of `libsched fit --json`."""
    said = said[0] if isinstance(said, list) else said
    return said["feasible"] if "feasible" in said else said["nodes"]


def test_the_plugin_example():
    """The plugin judges the two nodes that upstream's plugins accept, and rejects both."""
    said = project.run(project.RELEASE / "examples" / "example_c_plugin", SHOP,
                       CLUSTERS / "pods" / "train.yaml", "eu-north-1b", code=1)
    drained = [line.split()[0] for line in said.splitlines() if "DrainedZone" in line]
    assert drained == ["gpu-train-b-1", "gpu-train-b-2"] and " fits" not in said


def test_the_cpp_example():
    said = project.run(project.RELEASE / "examples" / "example_cpp_fit", SHOP,
                       CLUSTERS / "pods" / "train.yaml")
    assert said.startswith("fits 2 of 41 nodes\n  gpu-train-b-1\n  gpu-train-b-2\n")


@pytest.mark.parametrize("program", ["c", "python", "go"])
def test_a_wrong_input_is_named(program, go_fit, tmp_path):
    wrong = tmp_path / "pod.yaml"
    wrong.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n"
                     "  - resources: {requests: {cpu: lots}}\n")
    command = {"c": [project.RELEASE / "examples" / "example_c_fit"],
               "python": [PYTHON, project.ROOT / "examples" / "python" / "fit.py"],
               "go": [go_fit]}[program]
    said = project.run(*command, SHOP, wrong, code=2)
    assert "spec.containers[0].resources.requests.cpu" in said


def test_room():
    said = project.run(PYTHON, project.ROOT / "examples" / "python" / "room.py", SHOP,
                       CLUSTERS / "pods" / "train.yaml", "gpu-train-b-2", 2)
    assert said.splitlines() == ["room for 3 x ml/train",
                                 "room for 11 with 2 more nodes like gpu-train-b-2"]


@pytest.mark.parametrize("program", ["c", "python"])
def test_more_nodes(program):
    command = {"c": [project.RELEASE / "examples" / "example_c_more_nodes"],
               "python": [PYTHON, project.ROOT / "examples" / "python" / "more_nodes.py"]}[program]
    said = project.run(*command, SHOP, CLUSTERS / "pods" / "train.yaml", 20, "gpu-train-b-2", 3)
    assert said.splitlines() == [
        "3 of 20 pods fit", "15 of 20 pods fit with 3 more nodes like gpu-train-b-2", "the next one: NO_NODE",
        "20 of 20 pods fit on 5 new nodes alone"]


@pytest.mark.parametrize("program", ["c", "python", "go"])
@pytest.mark.parametrize("pods,code,wanted", [
    ("train", 0, ["bind ml/train: gpu-train-b-1"]),
    ("huge", 1, ["pending batch/huge: 0/41 nodes are available: "]),
])
def test_api_clients_of_their_own(program, pods, code, wanted, go_programs):
    command = {"c": [project.RELEASE / "examples" / "example_c_decide"],
               "python": [PYTHON, project.ROOT / "examples" / "python" / "decide.py"],
               "go": [go_programs / "decide"]}[program]
    said = project.run(*command, SHOP, CLUSTERS / "pods" / f"{pods}.yaml", code=code).splitlines()
    assert len(said) == len(wanted)
    assert all(line.startswith(start) for line, start in zip(said, wanted, strict=True)), said


def test_demo_of_the_readme():
    said = project.run("examples/demo.sh")
    assert "ml/train: fits 2 of 41 nodes" in said and "batch/huge: fits none of 41 nodes" in said


def test_a_selector_of_devices(tmp_path):
    slices = tmp_path / "slices.yaml"
    slices.write_text("""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: p, resourceSliceCount: 1}
  devices:
  - {name: a, attributes: {model: {string: h100}}}
  - {name: b, attributes: {model: {string: l4}}}
  - {name: c}
""")
    program = project.RELEASE / "examples" / "example_c_selector"
    model = "device.attributes['gpu.example.com'].model"
    said = project.run(program, f"device.driver == 'gpu.example.com' && {model} == 'h100'", slices)
    assert said.splitlines() == [
        "gpu.example.com/p/a: yes",
        f"gpu.example.com/p/b: no, false: {model} == 'h100' ({model} is \"l4\")",
        f"gpu.example.com/p/c: no, no such key: model: {model} == 'h100'"]
    assert project.run(program, "false", slices, code=1).count(": no, false: false") == 3
    assert "Syntax error" in project.run(program, "device.driver ==", slices, code=2)


def test_every_c_example_is_built():
    built = {path.name for path in (project.RELEASE / "examples").glob("example_*")}
    sources = {f"example_{path.suffix[1:]}_{path.stem}"
               for folder in ("c", "cpp")
               for path in (project.ROOT / "examples" / folder).glob("*.c*")}
    assert sources <= built and sources


def test_the_pending_pod_of_the_shop_says_what_the_library_says():
    """The dump's message of a pod that found no node is exactly the scheduler's."""
    program = ("import libsched, sys\n"
               "objects = libsched.Objects.load(sys.argv[1])\n"
               "pod, = [p for p in objects.pods if p.name.startswith('language-large-')][:1]\n"
               "print(libsched.Framework().fit(libsched.Cluster.load(sys.argv[1]), pod).fit_error)")
    said = project.run(PYTHON, "-c", program, SHOP).strip()
    assert said.startswith("0/41 nodes are available: ") and f"'{quoted(said)}'" in SHOP.read_text()


def quoted(text):
    return text.replace("'", "''")


@pytest.fixture(scope="session")
def go_autoscaler(tmp_path_factory):
    folder = tmp_path_factory.mktemp("autoscaler")
    project.run(project.need("go"), "build", "-o", folder, ".",
                cwd=project.ROOT / "examples" / "go" / "autoscaler",
                env={"CGO_ENABLED": "1", "GOFLAGS": "-tags=libsched_repo", "GOTOOLCHAIN": "local"})
    return folder / "autoscaler"


def test_the_autoscaler_accounts_for_every_pod(go_autoscaler):
    region = CLUSTERS / "region.json.gz"
    items = json.loads(gzip.decompress(region.read_bytes()))["items"]
    waiting = [item for item in items if item["kind"] == "Pod" and not item["spec"].get("nodeName")
               and not item["spec"].get("schedulingGates")
               and item.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
    nodes = {item["metadata"]["name"] for item in items if item["kind"] == "Node"}
    report = json.loads(project.run(go_autoscaler, region))
    assert report["placed"] > 0 and report["grow"]["pods"] > 0
    assert report["placed"] + report["grow"]["pods"] + report["waiting"] == len(waiting)
    assert report["removed"] and set(report["removed"]) < nodes
    # Twice as many pods want more nodes; a lower limit removes fewer nodes.
    more = json.loads(project.run(go_autoscaler, "-add", "1", "-below", "0", region))
    assert more["removed"] == [] and more["grow"]["nodes"] > report["grow"]["nodes"]
    assert more["placed"] + more["grow"]["pods"] + more["waiting"] == 2 * len(waiting)


def node(name, cpu, labels=(), **spec):
    return {"kind": "Node", "apiVersion": "v1", "spec": spec,
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **dict(labels)}},
            "status": {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "110"}}}


def running(name, on, cpu="1", **spec):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default", "labels": {"app": name}},
            "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}], **spec},
            "status": {"phase": "Running"}}


def dumped(tmp_path, *items):
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    return path


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_descheduler_asks_as_if_a_pod_were_gone(tmp_path, go_programs):
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "alone"}}, "topologyKey": "kubernetes.io/hostname"}]}}
    cluster = dumped(
        tmp_path, node("a", "2", taints=[{"key": "old", "effect": "NoSchedule"}]), node("b", "2"),
        running("moved", "a"), running("large", "a", cpu="2"), running("alone", "b", affinity=apart),
        running("tolerant", "a", cpu="0", tolerations=[{"operator": "Exists"}]))
    why = "node(s) had untolerated taint(s)"
    assert lines(project.run(go_programs / "descheduler", cluster)) == [
        {"pod": "default/moved", "node": "a", "why": why, "to": "b"},
        {"pod": "default/large", "node": "a", "why": why}]
    assert {"pod": "default/alone", "node": "b"} in lines(project.run(go_programs / "descheduler", "-node", "b", cluster))
    project.run(go_programs / "descheduler", "-node", "x", cluster, code=2)


def test_a_gang_goes_to_the_smallest_domain_that_takes_it(tmp_path, go_programs):
    def zone(name):
        return {"topology.kubernetes.io/zone": name, "topology.kubernetes.io/region": "r"}

    cluster = dumped(tmp_path, node("a1", "3", zone("a")), node("a2", "2", zone("a")), node("b1", "4", zone("b")),
                     running("there", "b1", cpu="2"))
    pod = tmp_path / "pod.json"
    pod.write_text(json.dumps({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "gang"}, "spec": {
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}))

    def found(count, *options, code=0):
        said = project.run(go_programs / "topology", *options, cluster, pod, str(count), code=code)
        return json.loads(said) if said else None

    assert found(2) == {"level": "kubernetes.io/hostname", "domain": "a2", "nodes": {"a2": 2}}
    assert found(3)["domain"] == "a1"
    assert found(4) == {"level": "topology.kubernetes.io/zone", "domain": "a", "nodes": {"a1": 3, "a2": 1}}
    assert found(6)["level"] == "topology.kubernetes.io/region"
    assert found(8, code=1) is None
    assert found(2, "-assume", "a2=1")["domain"] == "b1"
    assert found(7, "-assume", "a2=1", code=1) is None
    assert 'no node "x"' in project.run(go_programs / "topology", "-assume", "x=1", cluster, pod, "2", code=2)


def test_a_node_is_deleted_or_becomes_a_cheaper_one(tmp_path, go_programs):
    def kind(name):
        return {"node.kubernetes.io/instance-type": name}

    big, small = node("big", "8", kind("big")), node("small", "4", kind("small"))
    cluster = dumped(tmp_path, big, small, running("p", "big", "1500m"), running("q", "big", "1500m"),
                     running("full", "small", "3900m"))
    assert lines(project.run(go_programs / "consolidation", cluster)) == [
        {"node": "big", "replace": "small", "saves": 4000}, {"node": "small", "delete": True}]
    # Each pod fits on a small machine alone, but not all of them.
    cluster = dumped(tmp_path, big, small, running("p", "big", "2500m"), running("q", "big", "2500m"),
                     running("full", "small", "3900m"))
    assert lines(project.run(go_programs / "consolidation", cluster)) == []
