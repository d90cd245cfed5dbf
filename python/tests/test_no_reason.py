"""A plugin that rejects nodes and gives no reason: counts add up everywhere."""

import libsched
from libsched.report import explain_html
from libsched.report.answers import why_html
from manifests import node, pod, several
from running import run  # noqa: F401

NONE = "(no reason given)"


class Silent(libsched.Plugin):
    """Rejects the node ``a`` without a word."""

    def filter(self, state, pod, node):
        if node.name == "a":
            return libsched.Status(libsched.Code.UNSCHEDULABLE)
        return libsched.Status(libsched.Code.UNSCHEDULABLE, reasons=("a reason",))


PLUGIN = '''
import libsched

class Silent(libsched.Plugin):
    def filter(self, state, pod, node):
        return libsched.Status(libsched.Code.UNSCHEDULABLE)
'''
NODES = several(node("a"), node("b"), node("c"))


def test_python_counts_every_node():
    cluster, framework = libsched.Cluster(NODES), libsched.Framework(plugins=[Silent])
    result = framework.fit(cluster, pod())
    assert result.reasons == {NONE: 1, "a reason": 2}
    assert sum(result.reasons_by_plugin.values()) == 3
    assert NONE in result.explain() and NONE in result._repr_html_()
    assert result["a"].status.reasons == ()  # the status itself stays as the plugin gave it
    assert "0/3 nodes are available: 2 a reason." in result.fit_error
    found = framework.why(cluster, pod())
    assert found.reasons == ((2, "Silent", "a reason"), (1, "Silent", NONE))
    assert f"Silent: {NONE}" in found.explain() and NONE in why_html(found)
    assert NONE in framework.capacity(cluster, pod()).explain()
    assert NONE in explain_html([framework.fit(cluster, pod())])


def test_the_command_line_counts_every_node(run):  # noqa: F811
    files = {"silent.py": PLUGIN, "cluster.json": NODES, "pod.json": pod()}
    for verb in ("fit", "explain", "capacity"):
        done = run(verb, "cluster.json", "--pod", "pod.json", "--plugin", "silent:Silent", files=files)
        assert done.code == 1 and NONE in done.out, (verb, done.out, done.err)
    done = run("why", "pod.json", "cluster.json", "--plugin", "silent:Silent", files=files)
    assert f"3  Silent  {NONE}" in done.out
    told = run("fit", "cluster.json", "--pod", "pod.json", "--plugin", "silent:Silent", "--json", files=files).json()
    assert told["reasons"] == [{"nodes": 3, "plugin": "Silent", "reason": NONE}]
    wide = run("fit", "cluster.json", "--pod", "pod.json", "--plugin", "silent:Silent", "-o", "wide", files=files)
    assert wide.out.count(NONE) == 3
