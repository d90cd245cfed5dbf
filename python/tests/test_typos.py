"""Warnings and hints about typos, and the overview in the package's documentation."""

import pydoc
import warnings

import pytest

import libsched
from manifests import node, pod


def warned(source, make=libsched.Pod, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        make(source, **options)
    assert all(one.category is libsched.InputWarning for one in told)
    assert all(one.filename == __file__ for one in told)
    return [str(one.message) for one in told]


def test_unknown_fields():
    source = pod("p", nodeSelectr={"a": "b"})
    assert warned(source) == [
        '1 unknown field ignored: spec.nodeSelectr; did you mean "nodeSelector"?']
    assert warned([source, {**source, "metadata": {"name": "q"}}], libsched.Cluster)[0].startswith("2 unknown fields ignored")
    assert warned(source, libsched.Objects, validate=True) == []  # they are in `warnings`
    assert warned(pod("p")) == []


def test_memory_in_thousandths():
    source = pod("p")
    source["spec"]["containers"][0]["resources"] = {"requests": {"memory": "512m"}}
    assert warned(source) == ["<Pod default/p> asks for 1 byte of memory: in quantities m is a "
                              "thousandth; did you mean Mi?"]
    assert "has 1 byte of memory" in warned(node("a", memory="64m"), libsched.Cluster)[0]
    source["spec"]["containers"][0]["resources"] = {"requests": {"memory": "1GB"}}
    with pytest.raises(libsched.InvalidError, match='did you mean "1Gi"'):
        libsched.Pod(source)


def test_kinds():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", libsched.InputWarning)
        with pytest.raises(libsched.InvalidError, match='kind "pod": did you mean "Pod"?'):
            libsched.Pod({**pod("p"), "kind": "pod"})
    assert warned({**node("a"), "kind": "node"}, libsched.Cluster) == [
        'not read: kind "node": did you mean "Node"?']


def test_help_begins_with_an_overview():
    text = pydoc.plain(pydoc.render_doc(libsched)).split("\n")
    start = "\n".join(text[:50])
    for name in ("Cluster", "Framework", "FitResult", "Pod", "Objects", "plugin", "sweep",
                 "Scheduler", "Simulation", "libsched.testing"):
        assert name in start
