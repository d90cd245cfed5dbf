"""`libsched capacity`: how many more of the given pods fit, where, and why not one more?"""

from __future__ import annotations

import argparse

from .. import _explain
from .._arguments import MOST
from ..capacity import capacity
from ..errors import InvalidError
from ..objects import Pod, Workload
from ..report.answers import capacity_html
from . import asking, output
from .admission import folded
from .digits import seconds, whole
from .dump import hints
from .placing import judges
from .progress import Progress
from .question import about_input, read_question
from .terminal import Terminal

DESCRIPTION = """\
Counts how many more pods like those of a file fit, as the tool cluster-capacity does: copies of the pods
are placed one after the other, in rotation if there are several, as kube-scheduler would with an
empty queue, until one is not placed. A workload stands for its pod template, and a nodeName does not
count. Pods are never preempted, and nodes never sampled."""

EPILOG = """\
exit codes:
  0  at least one more pod fits
  1  none does
  2  no answer, such as after bad input

examples:
  libsched capacity cluster.yaml --pod web.yaml
  libsched capacity cluster.yaml --pod deployment.yaml --max 1000 --json | jq .count
  $(libsched kubectl-line) | libsched capacity - --pod web.yaml --deadline 10"""

_MOST = 1_000_000


def add(made: argparse.ArgumentParser) -> None:
    """How many more of these pods fit?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    asking.add_inputs(made, "count")
    made.add_argument("--max", type=whole(1, MOST, "positive number of at most 63 bits"), default=_MOST, metavar="N",
                      help=f"stop at so many pods (default: {_MOST:,})")
    made.add_argument("--deadline", type=seconds, metavar="SECONDS",
                      help="stop after so many seconds")
    asking.add_choice(made)
    made.add_argument("--all-nodes", action="store_true",
                      help="list all nodes that take pods, not only those that take the most")
    output.add(made, "print a line of JSON")
    output.add_page(made)
    asking.add_claims(made)
    asking.add_judging(made)
    made.set_defaults(run=run, as_is=True)  # a nodeName does not count


def run(options: argparse.Namespace) -> int:
    """Counts the pods; returns 0, 1 or 2."""
    question = read_question(options, ended=True)
    for candidate in question.candidates:
        if candidate.kind == "DaemonSet":
            raise InvalidError(f"DaemonSet {candidate.pod.key}: each node gets one of its pods, so they "
                               "cannot be counted; give one of the pods")
    notes = [note for candidate in question.candidates for note in candidate.notes]
    notes += folded(remark for candidate in question.candidates for remark in candidate.remarks)
    pods = [candidate.pod for candidate in question.candidates]
    frameworks, other_profile = judges(asking.Profiles(options), pods, notes)
    wanted: list[Pod | Workload] = list(pods)
    with Progress("counting pods"):
        found = capacity(question.cluster, wanted, frameworks, max=options.max,
                         other_profile=other_profile, claims_from_templates=options.claims,
                         ties=options.ties, seed=options.seed, timeout=options.deadline)
    if found.next is not None:
        notes += hints(question, [found.next.text])
    names = [pod.key for pod in pods]

    def write(out: Terminal) -> None:
        most = len(found.nodes) if options.all_nodes or options.output == "wide" else 10
        for line in _explain.capacity(f"{', '.join(names)}: {found.headline}", found.next, found.verdicts,
                                      found.nodes, out.paint, most):
            out.line(line)

    output.answer(options, notes, text=write,
                  page=lambda: capacity_html(found, question.cluster, pods=names, notes=notes),
                  document=lambda: {"pods": names, **found.to_dict(), "notes": notes, **about_input(question)},
                  rows=lambda: [["node", "pods"], *found.nodes.items()])
    failed = found.next is not None and found.next.outcome == "error"
    return 2 if failed else 0 if found else 1
