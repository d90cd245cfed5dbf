"""`kubectl libsched` with a kubectl that fails: an answer that what is missing might change is refused."""

import json
import os

import pytest

from libsched.cli import kubectl
from manifests import node, pod, several

CLAIM = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
PODS = {
    "plain": pod("plain", cpu="1"), "claims": pod("claims", **CLAIM),
    "devices": pod("devices", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]),
    "spaces": pod("spaces", affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "zone", "namespaceSelector": {}, "labelSelector": {}}]}}),
    "classy": pod("classy", priorityClassName="high")}
LISTS = {"nodes": several(node("a"), node("b")), "pods": several(pod("run", cpu="1", node_name="a")),
         "resourceslices": several()}
#: Answers lists from files; kinds in $DENY are forbidden, and $FAIL does what it says.
FAKE = """\
#!/bin/sh
[ -z "$FAIL" ] || eval "$FAIL"
case "$*" in *config*) printf 'shop '; exit 0;; version*) exit 1;; esac
while [ "$1" != get ]; do shift; done
case ",$DENY," in *,$2,*)
  echo "Error from server (Forbidden): $2 is forbidden: User cannot list it" >&2; exit 1;; esac
if [ -e "lists/$2" ]; then cat "lists/$2"; else echo '{"kind":"List","apiVersion":"v1","items":[]}'; fi
"""


@pytest.fixture
def ask(tmp_path, monkeypatch, capfd):
    """Runs `kubectl libsched`; returns the code and standard error."""
    (tmp_path / "lists").mkdir()
    for name, content in LISTS.items():
        (tmp_path / "lists" / name).write_text(json.dumps(content))
    for name, content in PODS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    fake = tmp_path / "kubectl"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def go(*words, deny="", fail=""):
        monkeypatch.setenv("DENY", deny)
        monkeypatch.setenv("FAIL", fail)
        code = kubectl.main(words)
        return code, capfd.readouterr().err
    return go


VERBS = [("fit", "--pod"), ("explain", "--pod"), ("schedule", "--pod"), ("capacity", "--pod"), ("why",),
         ("simulate", "--workload")]


@pytest.mark.parametrize("verb", [(*verb, "plain.json") for verb in VERBS] + [
    ("drain", "b"), ("compare", "--all", "--cordon", "b")])
def test_nodes_and_pods_are_always_needed(ask, verb):
    for kind in ("nodes", "pods"):
        code, err = ask(*verb, deny=kind)
        assert code == 2 and f"{kind} cannot be listed" in err and "forbidden" in err
    code, err = ask(*verb, "--allow-missing", deny="pods")
    assert code == 0 and "warning: pods cannot be listed, and are left out" in err
    assert ask(*verb, "--allow-missing", deny="nodes")[0] == 2


@pytest.mark.parametrize(("kind", "wanted"), [
    ("persistentvolumeclaims", "claims"), ("persistentvolumes", "claims"), ("storageclasses", "claims"),
    ("csinodes", "claims"), ("csidrivers", "claims"), ("csistoragecapacities", "claims"),
    ("volumeattachments", "claims"), ("resourceclaims", "devices"), ("resourceslices", "devices"),
    ("deviceclasses", "devices"), ("namespaces", "spaces"), ("priorityclasses", "classy")])
def test_what_a_pod_has_decides_about_other_kinds(ask, kind, wanted):
    code, err = ask("fit", "--pod", f"{wanted}.json", deny=kind)
    assert code == 2 and f"{kind} cannot be listed, and the answer about default/{wanted} needs them" in err
    assert ask("fit", "--pod", f"{wanted}.json", "--allow-missing", deny=kind)[0] in (0, 1)
    code, err = ask("fit", "--pod", "plain.json", deny=kind)
    assert code == 0 and f"warning: {kind} cannot be listed, and are left out" in err


def test_requests_may_come_from_limit_ranges(ask):
    code, err = ask("fit", "--pod", "plain.json", deny="limitranges")
    assert code == 2 and "limitranges cannot be listed, and the answer about default/plain needs them" in err
    assert ask("why", "pod/run", "-n", "default", deny="limitranges")[0] == 0  # a pod of the cluster has its requests


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_asks_what_a_pod_has(ask, verb):
    code, err = ask(*verb, "claims.json", deny="persistentvolumes")
    assert code == 2 and "persistentvolumes cannot be listed, and the answer about default/claims" in err


def test_a_drain_needs_budgets(ask):
    code, err = ask("drain", "b", deny="poddisruptionbudgets")
    assert code == 2 and "poddisruptionbudgets cannot be listed, and the answer needs them" in err
    assert ask("drain", "b", "--allow-missing", deny="poddisruptionbudgets")[0] == 0
    assert ask("fit", "--pod", "plain.json", deny="poddisruptionbudgets")[0] == 0


def test_terms_of_other_pods_select_namespaces(ask, tmp_path):
    (tmp_path / "lists" / "pods").write_text(json.dumps(several({
        **PODS["spaces"], "spec": {**PODS["spaces"]["spec"], "nodeName": "a"}})))
    code, err = ask("fit", "--pod", "plain.json", deny="namespaces")
    assert code == 2 and "namespaces cannot be listed" in err


def test_selectors_of_devices_need_slices_alone(ask):
    code, err = ask("cel", "true", deny="nodes,pods")
    assert code == 2 and "there are no devices" in err
    code, err = ask("cel", "true", deny="resourceslices")
    assert code == 2 and "resourceslices cannot be listed" in err


@pytest.mark.parametrize(("fail", "text"), [
    ("exit 3", "nodes cannot be listed: kubectl ended with 3"),
    ("kill -9 $$", "nodes cannot be listed: kubectl was ended by signal 9"),
    ("exit 0", "nodes cannot be listed: kubectl has printed nothing"),
    (r"printf '\377' >&2; exit 1", "nodes cannot be listed: \\ufffd"),
    (r"printf '\377'; exit 0", "is no text"),
    ("echo '{'; exit 0", "cluster.json"),
    (r"case $* in *config*) printf '\377'; exit 0;; esac", "the namespace that kubectl names is no text"),
    ("case $* in *config*) echo broken >&2; exit 1;; esac", "the namespace is not known, name it by -n: broken")])
def test_a_kubectl_that_fails(ask, fail, text):
    code, err = ask("why", "pod/run", fail=fail)
    assert code == 2 and "Traceback" not in err and "not foreseen" not in err
    assert text in err.replace("\ufffd", "\\ufffd")


def test_a_kubectl_that_cannot_run(ask, tmp_path):
    (tmp_path / "kubectl").write_text("#!/no/such/shell\n")
    code, err = ask("why", "pod/run")
    assert code == 2 and "kubectl" in err and "Traceback" not in err


def test_pods_of_why_are_named_by_either_form(ask):
    assert ask("why", "--pod", "plain.json")[0] == 0
    assert ask("why", "--pod", "pod/run", "-n", "default")[0] == 0
    code, err = ask("why")
    assert code == 2 and "name the pod first" in err
    code, err = ask("wy", "pod/run")
    assert code == 2 and "did you mean why?" in err
