"""`libsched evaluate`: golden results of small cases, bad ones among them."""

import gzip
import json
import subprocess
import sys

import pytest

from manifests import CLAIMS, GATED, node, pod


def case(*pods, objects=(node("b"), node("a", cpu="1")), **more):
    return {"objects": list(objects), "pods": list(pods), **more}


def evaluate(run, *cases, code=0):
    done = run("evaluate", stdin="".join(json.dumps(one) + "\n" for one in cases))
    assert done.code == code, done
    return done.lines()


def test_golden(run):
    golden, = evaluate(run, case(pod("x", cpu="2"), name="one"))
    assert list(golden) == ["name", "mode", "pods"]
    assert (golden["name"], golden["mode"]) == ("one", "evaluate")
    result, = golden["pods"]
    assert list(result) == ["pod", "profile", "preFilter", "nodes", "feasible", "skipScore",
                            "scores", "best"]
    assert (result["pod"], result["profile"]) == ("default/x", "default-scheduler")
    skipped = result["preFilter"].pop("skipFilter")
    assert result["preFilter"] == {"code": "Success", "allNodes": True}
    assert skipped == sorted(skipped) and "NodePorts" in skipped
    assert result["nodes"] == [
        {"node": "a", "code": "UnschedulableAndUnresolvable", "plugin": "NodeResourcesFit",
         "reasons": ["Insufficient cpu"]},
        {"node": "b", "code": "Success"}]
    assert result["feasible"] == ["b"] == result["best"]
    assert "NodeAffinity" in result["skipScore"]
    score, = result["scores"]
    assert score["node"] == "b" and score["total"] == sum(
        plugin["weighted"] for plugin in score["plugins"].values())
    assert score["plugins"]["TaintToleration"] == {"raw": 0, "normalized": 100, "weighted": 300}


def test_fit_error(run):
    result, = evaluate(run, case(pod("x", cpu="20")))[0]["pods"]
    assert result["feasible"] == []
    assert result["fitError"].startswith("0/2 nodes are available: 2 Insufficient cpu.")


def test_release(run):
    """A case may name the release whose semantics apply."""
    tainted = node("a")
    tainted["spec"] = {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}
    for mode in ("evaluate", "schedule"):
        cases = [case(pod("x"), objects=[tainted], mode=mode, **more) for more in ({}, {"release": "1.31"})]
        reasons = [golden["pods"][0]["nodes"][0]["reasons"] for golden in evaluate(run, *cases)]
        assert reasons == [["node(s) had untolerated taint(s)"], ["node(s) had untolerated taint {k: v}"]]
    for mode in ("evaluate", "trace", "queue", "config"):
        refused, = evaluate(run, case(pod("x"), mode=mode, release="1.30", name="c"), code=2)
        assert refused["name"] == "c" and 'release: unknown semantics "1.30"' in refused["error"]
    told = evaluate(run, *(case(mode="config", release=release) for release in ("1.34", "1.35")))
    weights = [{plugin["name"]: plugin["weight"] for plugin in one["profiles"][0]["plugins"]["score"]}
               for one in told]
    assert ["DynamicResources" in one for one in weights] == [False, True]


def test_excluded_nodes_are_judged(run):
    pinned = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["b"]}]}]}}}}
    result, = evaluate(run, case(pod("x", **pinned)))[0]["pods"]
    assert result["preFilter"]["nodeNames"] == ["b"]
    assert result["preFilter"]["restrictedBy"] == ["NodeAffinity"]
    assert result["nodes"][0]["excludedByPreFilter"] is True
    assert "excludedByPreFilter" not in result["nodes"][1] and result["feasible"] == ["b"]


def test_gates(run):
    result, = evaluate(run, case(pod("x", **GATED)))[0]["pods"]
    assert result["preEnqueue"]["plugin"] == "SchedulingGates" and len(result["nodes"]) == 2


def test_no_profile_and_no_nodes(run):
    result, = evaluate(run, case(pod("x", schedulerName="other")))[0]["pods"]
    assert result == {"pod": "default/x", "profile": "other", "feasible": [],
                      "error": 'profile not found for scheduler name "other"'}
    result, = evaluate(run, case(pod("x"), objects=()))[0]["pods"]
    assert result["error"] == "no nodes available to schedule pods" and result["feasible"] == []


def test_pods_do_not_see_each_other(run):
    golden, = evaluate(run, case(pod("x", cpu="4"), pod("y", cpu="4")))
    assert [result["feasible"] for result in golden["pods"]] == [["b"], ["b"]]


def test_objects(run):
    bound = pod("bound", cpu="3", node_name="b")
    ended = {**pod("ended", cpu="3", node_name="b"), "status": {"phase": "Failed"}}
    for other, expected in ((bound, []), (ended, ["b"]), (pod("pending", cpu="3"), ["b"])):
        golden, = evaluate(run, case(pod("x", cpu="2"), objects=[node("b"), other]))
        assert golden["pods"][0]["feasible"] == expected


def test_defaults(run):
    wanted = pod("x")
    wanted["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "2"}}
    plain, defaulted = evaluate(run, case(wanted), case(wanted, defaults=True))
    assert plain["pods"][0]["feasible"] == ["a", "b"]
    assert defaulted["pods"][0]["feasible"] == ["b"]


def test_claims_of_devices(run):
    result, = evaluate(run, case(pod("x", **CLAIMS)))[0]["pods"]
    assert result["preEnqueue"]["plugin"] == "DynamicResources" and result["feasible"] == []


def test_nominated_pods(run):
    nominated = {**pod("n", cpu="3", priority=5), "status": {"nominatedNodeName": "b"}}
    objects = [node("b"), nominated]
    low, high = evaluate(run, case(pod("x", cpu="2", priority=1), pod("y", cpu="2", priority=9),
                                   objects=objects))[0]["pods"]
    assert low["feasible"] == [] and low["nodes"][0]["reasons"] == ["Insufficient cpu"]
    assert high["feasible"] == ["b"] and "error" not in high
    elsewhere = {**nominated, "status": {"nominatedNodeName": "gone"}}
    result, = evaluate(run, case(pod("x", cpu="2", priority=1),
                                 objects=[node("b"), elsewhere]))[0]["pods"]
    assert result["feasible"] == ["b"]


CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"schedulerName": "bold", "plugins": {
              "filter": {"disabled": [{"name": "NodeResourcesFit"}]}}}]}
CONFIG_YAML = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: bold, plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}}]
"""


def test_configurations(run):
    wanted = pod("x", cpu="20", schedulerName="bold")
    for golden in evaluate(run, case(wanted, config=CONFIG), case(wanted, config=CONFIG_YAML)):
        assert golden["pods"][0]["feasible"] == ["a", "b"]
    many = [case(wanted, config={**CONFIG, "parallelism": number + 1}) for number in range(70)]
    assert len(evaluate(run, *many)) == 70


def test_bad_cases_do_not_end_it(run):
    answers = evaluate(
        run,
        case(pod("x", cpu="lots"), name="quantity"),
        case(node("x"), name="no pod"),
        case(name="object", objects=[node("a"), {"kind": "Node", "apiVersion": "v1", "spec": 3}]),
        case(name="config", config={**CONFIG, "parallelism": -1}),
        case(name="plugin", config={**CONFIG, "profiles": [{"schedulerName": "x", "plugins": {
            "multiPoint": {"enabled": [{"name": "Nonesuch"}]}}}]}),
        case(name="trace", mode="trace", profile={"plugins": 1}),
        case(name="mode", mode="guess"), ["no case"],
        case(pod("x"), name="good"), code=2)
    texts = [answer.get("error", "") for answer in answers]
    assert texts[0].startswith("pods[0].spec.containers[0].resources.requests.cpu: ")
    assert texts[1] == "pods[0]: not a Pod"
    assert texts[2].startswith("objects[1].")
    assert texts[3].startswith("config: ") and "parallelism" in texts[3]
    assert texts[4].startswith('profile "x": ') and "Nonesuch" in texts[4]
    assert texts[5].startswith("profile: ")
    assert texts[6] == 'unknown mode "guess"'
    assert "JSON object" in texts[7]
    assert [answer.get("name") for answer in answers] == [
        "quantity", "no pod", "object", "config", "plugin", "trace", "mode", None, "good"]
    assert answers[8]["pods"][0]["feasible"] == ["a", "b"]


def test_files(run):
    cases = [case(pod("x"), name=name) for name in "abc"]
    done = run("evaluate", "one.json", "many.jsonl.gz", files={
        "one.json": json.dumps(cases[0], indent=2),
        "many.jsonl.gz": gzip.compress(b"".join(json.dumps(one).encode() + b"\n"
                                                for one in cases[1:]))})
    assert done.code == 0 and [line["name"] for line in done.lines()] == ["a", "b", "c"]
    done = run("evaluate", "none.json")
    assert done.code == 2 and "none.json: No such file" in done.err
    assert run("evaluate", stdin="").out == ""


def test_each_answer_comes_at_once():
    """A program may keep the command open and send one case after another."""
    with subprocess.Popen([sys.executable, "-m", "libsched", "evaluate"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        for name in ("one", "two"):
            process.stdin.write(json.dumps(case(pod("x"), name=name)) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["name"] == name
        process.stdin.close()
        assert process.wait(30) == 0


def test_unicode(run):
    golden, = evaluate(run, case(pod("x"), name="Ünïcode ✓ \u2028"))
    assert golden["name"] == "Ünïcode ✓ \u2028"
    done = run("evaluate", stdin=json.dumps(case(pod("x"), name="ü")), env={
        "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.lines()[0]["name"] == "ü"


def test_schedule(run):
    """Each pod sees those before it; a gated one is not tried."""
    gated = pod("g", schedulingGates=[{"name": "example.com/wait"}])
    pods = evaluate(run, case(gated, pod("x", cpu="3"), pod("y", cpu="3"), pod("z", cpu="3"),
                              objects=[node("a"), node("b")], mode="schedule"))[0]["pods"]
    assert set(pods[0]) == {"pod", "profile", "preEnqueue", "feasible"}
    assert pods[1]["feasible"] == ["a", "b"] and pods[1]["chosen"] == "a" == pods[1]["best"][0]
    assert pods[2]["feasible"] == ["b"] == [pods[2]["chosen"]]
    assert "chosen" not in pods[3] and pods[3]["fitError"] == (
        "0/2 nodes are available: 2 Insufficient cpu.")
    again = evaluate(run, case(gated, pod("x", cpu="3"), objects=[node("a"), node("b")]))[0]["pods"]
    assert "chosen" not in again[1] and again[0]["feasible"] == ["a", "b"]


def test_schedule_takes_the_nominated_node(run):
    wanted = {**pod("x", cpu="1"), "status": {"nominatedNodeName": "b"}}
    only, = evaluate(run, case(wanted, objects=[node("a"), node("b")], mode="schedule"))[0]["pods"]
    assert only["chosen"] == "b" and only["best"][0] == "a"


def test_preemption(run):
    low, other = (pod(name, cpu="3", node_name=on, priority=priority)
                  for name, on, priority in (("low", "a", 1), ("other", "b", 2)))
    urgent, plain = pod("u", cpu="2", priority=9), pod("p", cpu="1", priority=1)
    objects = [node("a"), node("b"), low, other]
    only, = evaluate(run, case(urgent, objects=objects))[0]["pods"]
    room = "preemption: found a potential placement for pod on node a, preempting 1 victims"
    assert only["fitErrorWithPostFilter"] == f"{only['fitError']} {room}"
    assert only["postFilter"] == {
        "code": "Success", "reasons": [room], "nominatedNode": "a", "victims": ["default/low"], "tied": ["a"],
        "candidates": [{"node": "a", "pods": ["default/low"], "numPDBViolations": 0},
                       {"node": "b", "pods": ["default/other"], "numPDBViolations": 0}]}
    # The victim leaves at once, and its room belongs to the nominated pod.
    first, second, third = evaluate(run, case(urgent, pod("q", cpu="3", priority=1), plain,
                                              objects=objects, mode="schedule"))[0]["pods"]
    assert first["postFilter"]["nominatedNode"] == "a" and "chosen" not in first
    assert second["feasible"] == [] and second["postFilter"]["clearsNomination"]
    assert second["fitErrorWithPostFilter"] == (
        "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: "
        "2 No preemption victims found for incoming pod.")
    assert third["feasible"] == ["a", "b"]
    off = {**CONFIG, "profiles": [{"plugins": {"multiPoint": {
        "disabled": [{"name": "DefaultPreemption"}]}}}]}
    without, = evaluate(run, case(urgent, objects=objects, config=off))[0]["pods"]
    assert "postFilter" not in without and "fitErrorWithPostFilter" not in without


def test_mode_trace_records_the_calls_of_scripted_plugins(run):
    text = json.dumps({
        "name": "t", "mode": "trace", "objects": [node("a")], "pods": [pod("p")],
        "profile": {"plugins": {
            "queueSort": {"enabled": [{"name": "PrioritySort"}]},
            "bind": {"enabled": [{"name": "DefaultBinder"}]},
            "multiPoint": {"enabled": [{"name": "Fake"}]}}},
        "fakes": [{"name": "Fake", "points": ["filter", "permit"], "script": {
            "filter": [{"node": "a", "code": "Unschedulable", "reasons": ["no"]}],
            "permit": [{"code": "Wait", "timeout": "20ms"}]}}],
        "steps": [{"do": "preFilter"}, {"do": "filter"}, {"do": "permit"}, {"do": "waitOnPermit"},
                  {"do": "bind"}]})
    steps = run("evaluate", stdin=text).lines()[0]["pods"][0]["steps"]
    assert steps[1] == {
        "step": "filter", "node": "a",
        "status": {"code": "Unschedulable", "plugin": "Fake", "reasons": ["no"], "error": "no"},
        "calls": [{"point": "filter", "plugin": "Fake", "node": "a", "code": "Unschedulable"}]}
    assert steps[2]["waitTimes"] == {"Fake": "20ms"}
    assert "after waiting 20ms at plugin Fake" in steps[3]["status"]["reasons"][0]
    assert steps[4]["calls"] == [{"point": "bind", "plugin": "DefaultBinder", "node": "a"}]


TRACE = {"mode": "trace", "objects": [node("a")], "pods": [pod("p")], "profile": {"plugins": {
    "queueSort": {"enabled": [{"name": "PrioritySort"}]}, "bind": {"enabled": [{"name": "DefaultBinder"}]}}}}


@pytest.mark.parametrize("part, text", [
    ({"steps": [{}]}, 'unknown step ""'), ({"steps": [{"do": "dance"}]}, 'unknown step "dance"'),
    ({"steps": [{"do": 3}]}, "steps[0].do: expected a text"), ({"steps": [3]}, "steps[0]: expected a JSON"),
    ({"steps": [{"do": "addPod", "other": "default/x"}]}, 'no pod "default/x"'),
    ({"steps": [{"do": "cycle", "wait": [{"remove": 1}]}]}, "steps[0].wait[0].remove: expected true or"),
    ({"fakes": [{"name": None}]}, "fakes[0].name: missing"), ({"fakes": [{}]}, "fakes[0].name: missing"), ({"fakes": [{"name": ""}]}, "fakes[0].name: missing"),
    ({"fakes": [{"name": "F", "points": ["dance"]}]}, 'fakes[0].points[0]: unknown point "dance"'),
    ({"fakes": [{"name": "F", "script": {"dance": []}}]}, 'fakes[0].script: unknown call "dance"'),
    ({"fakes": [{"name": "F", "script": {"filter": [{"code": "Odd"}]}}]}, 'unknown code "Odd"'),
    ({"fakes": [{"name": "F", "script": {"filter": [{"score": 1.5}]}}]}, "expected an integer"),
    ({"fakes": [{"name": "F", "script": {"score": [{"score": 2**63}]}}]}, "the number is too large"),
    ({"fakes": [{"name": "F", "script": {"permit": [{"timeout": "soon"}]}}]}, 'invalid duration "soon"')])
def test_malformed_traces_are_refused(run, part, text):
    bad, good = evaluate(run, {**TRACE, **part, "name": "bad"},
                         {**TRACE, "name": "good", "steps": [{"do": "preFilter"}]}, code=2)
    assert bad["name"] == "bad" and text in bad["error"] and set(bad) == {"name", "error"}
    assert good["pods"][0]["steps"][0]["status"] == {"code": "Success"}


def test_null_is_absent_in_traces(run):
    fake = {"name": "F", "points": ["filter"], "instanceName": None, "script": {"filter": [
        {"pod": None, "code": "Unschedulable", "reasons": [None]}, None], "score": None}}
    profile = {"plugins": {**TRACE["profile"]["plugins"], "filter": {"enabled": [{"name": "F"}]}}}
    golden, = evaluate(run, {**TRACE, "fakes": [fake], "profile": profile,
                             "steps": [{"do": "preFilter", "wait": None}, {"do": "filter", "pod": None}]})
    assert golden["pods"][0]["steps"][1]["status"]["code"] == "Unschedulable"


def test_a_pod_that_is_being_deleted_has_no_cycle(run):
    leaving = pod("p")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    golden, = evaluate(run, {**TRACE, "pods": [leaving], "steps": [{"do": "cycle"}]})
    assert golden["pods"][0]["steps"] == [{"step": "cycle", "skipped": "deleting"}]


@pytest.mark.parametrize("name", [{}, {"schedulerName": ""}, {"schedulerName": "other"}])
def test_a_bare_profile_takes_every_pod(run, name):
    golden, = evaluate(run, {**TRACE, "profile": {**TRACE["profile"], **name}, "steps": [{"do": "cycle"}]})
    step, = golden["pods"][0]["steps"]
    assert step["chosen"] == "a" and step["status"] == {"code": "Success"}


@pytest.mark.parametrize("points", [["preFilter", "score"], ["preFilter", "filter", "score"]])
def test_a_cycle_without_a_feasible_node_leaves_all_nodes_to_later_steps(run, points):
    """Upstream's list of feasible nodes is nil then, which later steps treat as all nodes."""
    fake = {"name": "F", "points": points, "script": {"preFilter": [{"nodeNames": ["elsewhere"]}]}}
    profile = {"plugins": {**TRACE["profile"]["plugins"], "multiPoint": {"enabled": [{"name": "F"}]}}}
    golden, = evaluate(run, {**TRACE, "objects": [node("n0"), node("n1")], "fakes": [fake], "profile": profile,
                             "steps": [{"do": "filterAll"}, {"do": "cycle"}, {"do": "score"}]})
    _, cycle, score = golden["pods"][0]["steps"]
    assert cycle["status"]["error"] == (
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [F].")
    assert [scored["node"] for scored in score["scores"]] == ["n0", "n1"]


def test_objects_get_a_uid(run):
    """Objects get uids, as from the API server: a claim refers to its owning pod by uid."""
    volumes = [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
        "name": "x-v", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x", "controller": True,
                                            "uid": "Pod/default/x"}]},
        "spec": {"volumeName": "pv"}}
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {
        "capacity": {"storage": "1Gi"}, "claimRef": {"namespace": "default", "name": "x-v",
                                                     "uid": "PersistentVolumeClaim/default/x-v"}}}
    wanted = pod("x", volumes=volumes)
    objects = [node("a"), claim, volume]
    result, = evaluate(run, case(wanted, objects=objects))[0]["pods"]
    assert result["feasible"] == ["a"]
    wanted["metadata"]["uid"] = "other"
    result, = evaluate(run, case(wanted, objects=objects))[0]["pods"]
    assert result["feasible"] == [] and result["fitError"].endswith("created for pod default/x (pod is not owner).")


def test_the_order_of_nodes_goes_with_changes(run):
    """A cluster without nodes has no order: the list is absent, as in upstream's answers."""
    for objects, order in (((), None), ((node("b"), node("a")), ["b", "a"])):
        result, = evaluate(run, case(pod("x"), objects=objects, changes=[{}]))[0]["pods"]
        assert result.get("nodeOrder") == order


def test_changes_that_cannot_be(run):
    for applied, text in ((pod("b"), "pod default/b is not bound"),
                          ({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}},
                           "Service cannot change, only nodes and bound pods can")):
        bad, = evaluate(run, case(pod("x"), changes=[{"before": 0, "apply": [applied]}]), code=2)
        assert bad["error"] == f"changes[0]: {text}"
    bad, = evaluate(run, case(pod("x"), changes=[{"before": 0, "apply": {}}]), code=2)
    assert bad["error"] == "changes[0].apply: expected a list"
    good, = evaluate(run, case(pod("x"), changes=[None, {"before": None, "delete": None, "apply": None}]))
    assert good["pods"][0]["feasible"] == ["a", "b"]
    bad, = evaluate(run, case(pod("x"), changes=[{"delete": ""}]), code=2)
    assert bad["error"] == "changes[0].delete: expected a list of texts"
    for before in (True, 1.5, 2**63, "1"):
        bad, = evaluate(run, case(pod("x"), changes=[{"before": before}]), code=2)
        assert bad["error"] == "changes[0].before: expected an integer"


def test_mode_config(run):
    good, odd, unmade = evaluate(run, {"name": "c", "mode": "config", "config": CONFIG},
                                 {"mode": "config", "config": {**CONFIG, "parallelism": -1}},
                                 {"mode": "config", "config": {**CONFIG, "profiles": [{"plugins": {
                                     "score": {"enabled": [{"name": "Nonesuch"}]}}}]}}, code=2)
    assert good["mode"] == "config" and good["config"]["parallelism"] == 16
    names = [plugin["name"] for plugin in good["profiles"][0]["plugins"]["filter"]]
    assert "NodeResourcesFit" not in names and "NodeAffinity" in names
    assert odd["error"].startswith("config: parallelism: Invalid value")
    assert odd["error"].count("parallelism") == 1 and "Nonesuch" in unmade["error"]
