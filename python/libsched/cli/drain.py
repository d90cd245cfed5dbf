"""`libsched drain`: where would the pods of these nodes go, and which would not?"""

from __future__ import annotations

import argparse
import os

from ..drain import OUTCOMES, Drain, drain
from ..errors import FileError, InvalidError
from ..report.answers import drain_html
from . import asking, needs, output
from .dump import hints
from .placing import judges
from .progress import Progress
from .question import about_input, read_cluster
from .terminal import Terminal, table

DESCRIPTION = """\
Finds out what 'kubectl drain' would do to nodes, and where their pods would go. All nodes are cordoned
first, with the taint that the node lifecycle controller adds, and then emptied in the given order; the pods of a node are evicted by priority, the highest
first, then by namespace and name. PodDisruptionBudgets count down with each eviction, and never up. Pods of
DaemonSets and static pods stay. The pod that a controller makes in the stead of an evicted one is placed as
kube-scheduler would with an empty queue, before the next pod is evicted."""

EPILOG = """\
exit codes:
  0  every pod finds a place, or needs none
  1  a pod finds none, is refused, is blocked by its PodDisruptionBudget, or returns to a drained node,
     because a cordon does not keep it away
  2  no answer, such as after bad input

examples:
  libsched drain node-a node-b cluster.yaml
  $(libsched kubectl-line) | libsched drain node-a -
  libsched drain -l pool=gpu cluster.yaml
  libsched drain node-a cluster.yaml --delete-emptydir-data --json | jq .outcomes"""

_PAINT = {"moved": "good", "deleted": "note", "stays": "faint"}


def add(made: argparse.ArgumentParser) -> None:
    """Where do the pods of drained nodes go?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("nodes", nargs="*", metavar="NODE", help="the nodes, in order")
    made.add_argument("cluster", metavar="CLUSTER", help=asking.CLUSTER_HELP)
    made.add_argument("-l", "--selector", action="append", default=[], metavar="SELECTOR",
                      help="the nodes with these labels, such as pool=gpu, by name; instead of NODE")
    made.add_argument("--also", action="append", default=[], metavar="FILE",
                      help="further manifests of the cluster; may be repeated")
    made.add_argument("--force", action="store_true",
                      help="evict pods that declare no controller; nothing takes their place")
    made.add_argument("--delete-emptydir-data", action="store_true",
                      help="evict pods with emptyDir volumes")
    asking.add_choice(made)
    output.add(made, "print a line of JSON")
    output.add_page(made)
    asking.add_judging(made)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Drains the nodes; returns 0, 1 or 2."""
    if options.cluster != "-" and not os.path.exists(options.cluster):
        raise FileError(f"{options.cluster}: No such file or directory; the last argument is CLUSTER, and those "
                        "before it are nodes")
    if bool(options.nodes) == bool(options.selector):
        raise InvalidError("name the nodes to drain, or choose them by -l SELECTOR")
    nodes = options.nodes or [f"-l {selector}" for selector in options.selector]
    options.cluster = [options.cluster, *options.also]
    question = read_cluster(options)
    notes: list[str] = []
    drained = {name for node in nodes for name in question.cluster._handle.choose_nodes(node).split("\n")}
    pods = [pod for pod in question.cluster.pods.values() if pod.node_name in drained]
    needs.check(options, question.cluster, pods)
    frameworks, other_profile = judges(asking.Profiles(options), pods, notes)
    with Progress("draining nodes"):
        found = drain(question.cluster, nodes, frameworks, force=options.force,
                      delete_emptydir_data=options.delete_emptydir_data,
                      other_profile=other_profile, ties=options.ties, seed=options.seed)
    notes += hints(question, (one.text for one in found.pods))
    output.answer(
        options, notes, text=lambda out: _write(out, found, options.output == "wide"),
        page=lambda: drain_html(found, question.cluster, notes=notes),
        document=lambda: {**found.to_dict(), "notes": notes, **about_input(question)},
        rows=lambda: [["pod", "from", "outcome", "to", "text", "plugin", "budget", "profile"],
                      *([one.pod.key, one.from_node, one.outcome, one.to_node, one.text,
                         one.plugin, one.budget, one.profile] for one in found.pods)])
    return 0 if found else 1


def _write(out: Terminal, found: Drain, wide: bool) -> None:
    for node in found.nodes:
        of_node = [one for one in found.pods if one.from_node == node]
        out.line(out.paint("strong", node) + f": {len(of_node):,} pod{'s' * (len(of_node) != 1)}")
        lines = table([[one.pod.key, one.outcome, one.text or one.to_node,
                        *([one.plugin, one.budget, one.profile] if wide else [])]
                       for one in of_node])
        for one, line in zip(of_node, lines, strict=True):
            out.line(out.paint(_PAINT.get(one.outcome, "bad"), line))
    counts = found.outcomes
    told = [out.paint(_PAINT.get(one, "bad"), f"{counts[one]:,} {one}")
            for one in OUTCOMES if counts[one]]
    out.line(", ".join(told) or "no pods")
