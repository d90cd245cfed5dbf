"""The command line's --semantics: the release of the cluster, or another one."""

import json

import pytest

import libsched
from libsched.cli.releases import ends
from manifests import node, pod, several
from test_releases import of

TAINTED = [{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]


def ask(run, cluster, *arguments):
    return run("fit", "cluster.json", "--pod", "pod.json", *arguments,
               files={"cluster.json": cluster, "pod.json": pod()})


def test_auto_is_the_release_of_the_cluster(run):
    done = ask(run, of("v1.33.4", taints=TAINTED))
    assert "node(s) had untolerated taint {gpu: a100}\n" in done.out
    assert done.err == "semantics of 1.33: the kubelet on a is v1.33.4\n"
    done = ask(run, of("v1.30.1", taints=TAINTED), "--semantics", "auto")
    assert done.err == ("semantics of 1.31: the kubelet on a is v1.30.1; v1.30.1 is older than 1.31, whose "
                        "semantics apply\n")
    done = ask(run, of("v1.33.4", taints=TAINTED), "--json")
    assert (json.loads(done.out)["release"], done.err) == ({"semantics": "1.33", "cluster": {
        "name": "1.33", "version": "v1.33.4", "source": "the kubelet on a"}}, "")
    done = ask(run, node(taints=TAINTED), "--json")
    assert json.loads(done.out)["release"] == {"semantics": libsched.k8s_version}


def test_another_release_than_that_of_the_cluster(run):
    done = ask(run, of("v1.33.4", taints=TAINTED), "--semantics", "v1.36.2-eks-1")
    assert "node(s) had untolerated taint(s)\n" in done.out
    assert done.err == "semantics of v1.36.2-eks-1 as asked for, but the kubelet on a is v1.33.4\n"
    assert ask(run, of("v1.33.4"), "--semantics", "1.33").err == ""
    assert ask(run, node(), "--semantics", "1.33").err == ""
    done = ask(run, of("v1.33.4"), "--semantics", "1.36", "--json")
    assert json.loads(done.out)["release"]["semantics"] == "1.36" and done.err == ""


@pytest.mark.parametrize("words", [
    ("explain", "cluster.json", "--pod", "pod.json"), ("schedule", "cluster.json", "--pod", "pod.json"),
    ("capacity", "cluster.json", "--pod", "pod.json"), ("why", "pod.json", "cluster.json"),
    ("drain", "a", "cluster.json"), ("simulate", "cluster.json", "--workload", "pod.json"),
    ("compare", "cluster.json", "--all", "--cordon", "b")])
def test_all_verbs_say_which_release_applies(run, words):
    files = {"cluster.json": several(of("v1.33.4"), node("b")), "pod.json": pod()}
    assert "semantics of 1.33: the kubelet on a is v1.33.4\n" in run(*words, files=files).err
    done = run(*words, "--json", files=files)
    last = json.loads(done.out.splitlines()[-1])
    assert last.get("summary", last)["release"]["semantics"] == "1.33"


def test_two_dumps_of_two_releases(run):
    old, new = node("a"), node("a")
    old["status"]["nodeInfo"], new["status"]["nodeInfo"] = ({"kubeletVersion": v} for v in ("v1.33.1", "v1.36.1"))
    files = {"old.json": several(old, pod("x")), "new.json": several(new, pod("x"))}
    done = run("compare", "old.json", "--after", "new.json", files=files)
    assert done.err == ("semantics of 1.33: the kubelet on a is v1.33.1\n"
                        "semantics of 1.36: the kubelet on a is v1.36.1\n")


def test_the_help_names_the_releases_that_there_are(run):
    oldest, newest = ends()
    assert f'"{oldest}" to "{newest}"' in " ".join(run("fit", "--help").out.split())
    before, after = (f"1.{int(end[2:]) + step}" for end, step in ((oldest, -1), (newest, 1)))
    for known in (oldest, newest):
        assert libsched.Config(semantics=known).profiles
    for unknown in (before, after):
        with pytest.raises(libsched.UnsupportedError, match="unknown semantics"):
            libsched.Config(semantics=unknown)
