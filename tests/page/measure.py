"""Measures the page of `explain` with many nodes in a real headless browser, and prints a table.

    .venv/bin/python tests/page/measure.py [NODES]

Each action is what a click or a key does, with the layout that follows; the longest of seven times counts.
"""

import pathlib
import random
import sys
import tempfile
import time

import libsched
from browser import Browser
from libsched.report import explain_html

ACTIONS = {
    "sort by total": "click('[data-sort=total]')",
    "sort by node": "click('[data-sort=node]')",
    "sort by verdict": "click('[data-sort=verdict]')",
    "sort by a plugin": "click('[data-sort=p1]')",
    "search for a name": "type('node-3' + round)",
    "search for a label": "type('zone=z' + round)",
    "search for nothing": "type('')",
    "nodes that fit": "click('#which input[value=fits]')",
    "nodes that don’t fit": "click('#which input[value=not]')",
    "all nodes": "click('#which input[value=all]')",
    "nodes with a reason": "click('#reasons button')",
    "no reason": "click('#reason')",
    "group by zone": "choose(1)",
    "no groups": "choose(0)",
    "filters": "click('#values input[value=filters]')",
    "scores": "click('#values input[value=weighted]')",
}
TIMES = 7
_SCRIPT = """
    const [action, round] = arguments;
    const click = (selector) => document.querySelector(selector).click();
    const type = (text) => {
      const field = document.getElementById("search");
      field.value = text;
      field.dispatchEvent(new Event("input"));
    };
    const choose = (index) => {
      const list = document.getElementById("group");
      list.selectedIndex = index;
      list.dispatchEvent(new Event("change"));
    };
    const act = {%s};
    const begin = performance.now();
    act[action]();
    document.getElementById("scroll").getBoundingClientRect();
    document.getElementById("table").offsetHeight;
    return performance.now() - begin;
""" % ", ".join(f"{name!r}: () => {{ {code}; }}" for name, code in ACTIONS.items())  # noqa: UP031


def cluster(count):
    """Nodes in ten zones and four pools, a fifth of them tainted and a fifth full."""
    chance = random.Random(5)
    nodes, pods = [], []
    for index in range(count):
        taints = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}] if index % 5 == 0 else []
        nodes.append({
            "apiVersion": "v1", "kind": "Node", "spec": {"taints": taints}, "metadata": {
                "name": f"node-{index}", "labels": {
                    "kubernetes.io/hostname": f"node-{index}", "kubernetes.io/arch": "amd64",
                    "kubernetes.io/os": "linux", "topology.kubernetes.io/region": "r",
                    "topology.kubernetes.io/zone": f"z{index % 10}", "karpenter.sh/nodepool": f"p{index % 4}",
                    "node.kubernetes.io/instance-type": f"t{index % 7}"}},
            "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"}}})
        cpu = "15" if index % 5 == 1 else f"{chance.randrange(12_000)}m"
        pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{index}"}, "spec": {
            "nodeName": f"node-{index}", "containers": [{"name": "c", "resources": {"requests": {
                "cpu": cpu, "memory": f"{chance.randrange(32)}Gi"}}}]}})
    made = libsched.Cluster(nodes)
    made.add_pods(pods)
    return made


def main(count):
    made = cluster(count)
    pod = libsched.Pod({"metadata": {"name": "web"}, "spec": {"containers": [
        {"name": "c", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]}})
    begin = time.perf_counter()
    result = libsched.Framework().score(made, pod, facts=True)
    page = explain_html(result, cluster=made)
    spent = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        browser.open(path)
        opened = browser.run("return performance.now()")
        print(f"{count:,} nodes: page made in {1000 * spent:.0f} ms, {len(page) / 1e6:.1f} MB, "
              f"opened in at most {opened:.0f} ms")
        for action in ACTIONS:
            taken = [browser.run(_SCRIPT, action, turn) for turn in range(TIMES)]
            print(f"{action:22} {max(taken):7.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
