"""`libsched why`: why is this pod pending, and what would help?"""

from __future__ import annotations

import argparse
import sys

from .._explain import rejector
from .._facts import fact_text
from ..daemons import with_tolerations
from ..errors import InvalidError
from ..pending import Why, why
from ..report.answers import why_html
from . import asking, output
from .candidate import Candidate
from .digits import whole
from .dump import hints
from .placing import judges
from .progress import Progress
from .question import Question, about_input, is_key, is_surely_key, read_question
from .terminal import Terminal, table

DESCRIPTION = """\
Tells all about a pod that waits for a node: which plugins reject which nodes, the nearest nodes with all
that they lack, what preemption would do, and what would help. Suggestions are found by trying: with each
the pod fits, and with one step less it does not."""

EPILOG = """\
exit codes:
  0  every pod fits
  1  a pod does not
  2  no answer, such as after bad input

examples:
  libsched why default/web cluster.yaml
  $(libsched kubectl-line) | libsched why shop/web-7 - -o yaml
  libsched why cluster.yaml --pending
  libsched why train.yaml cluster.yaml --max-nodes 10"""

_MOST_ALIKE = 3  # suggestions of one kind


def add(made: argparse.ArgumentParser) -> None:
    """Why is a pod pending, and what would help?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("first", metavar="POD",
                      help="NAMESPACE/NAME of a pod of CLUSTER, or a manifest of pods; left out with --pod and "
                      "--pending")
    made.add_argument("rest", nargs="*", metavar="CLUSTER",
                      help=f"{asking.CLUSTER_HELP}; several are merged")
    made.add_argument("--pod", action="append", default=[], metavar="FILE",
                      help="the same as POD; may be repeated")
    made.add_argument("--pending", action="store_true", help="ask about all pods of CLUSTER that have no node")
    made.add_argument("--max-nodes", type=whole(0, (1 << 32) - 1, "number of at most 32 bits"), default=100, metavar="N",
                      help="the most nodes that a suggestion may add (default: 100; 0: none)")
    made.add_argument("--nearest", type=whole(0, (1 << 32) - 1, "number of at most 32 bits"), default=5, metavar="N",
                      help="describe so many nodes (default: 5)")
    made.add_argument("--all", action="store_true",
                      help=f"print all suggestions, not only the best {_MOST_ALIKE} of a kind")
    output.add(made, "print a line of JSON")
    output.add_page(made)
    asking.add_claims(made)
    asking.add_judging(made)
    made.set_defaults(run=run, as_is=False)


def run(options: argparse.Namespace) -> int:
    """Asks about the pods; returns 0, 1 or 2."""
    if options.nearest == 0:
        raise InvalidError("--nearest: describe at least one node")
    _take_apart(options)
    question = read_question(options, ended=True)
    if options.html and len(question.candidates) != 1:
        raise InvalidError(f"--html: a page is about one pod, and {len(question.candidates)} are asked about")
    profiles = asking.Profiles(options)
    if options.output == "csv":
        output.print_csv([["pod", "kind", "subject", "container", "text", "edit", "nodes", "node"]])
    codes = []
    for number, candidate in enumerate(question.candidates):
        if number and not options.output:
            Terminal(sys.stdout).line()
        with question.cluster.fork():
            codes.append(_ask(options, question, candidate, profiles))
    return max(codes)


def _take_apart(options: argparse.Namespace) -> None:
    """Tells POD from CLUSTER: POD comes first, but a name of a pod is known by its form anywhere."""
    words = [options.first, *options.rest]
    if not options.pod and not options.pending:
        named = next((word for word in words[1:] if is_surely_key(word)), "")
        if named and not is_key(words[0]):
            words.remove(named)
            words.insert(0, named)
            if not options.json:
                Terminal(sys.stderr).note(f"{named} is taken for POD, which comes before CLUSTER")
        if len(words) < 2:
            raise InvalidError("CLUSTER is missing: libsched why POD CLUSTER, or libsched why CLUSTER --pod POD")
        options.pod = [words.pop(0)]
    options.cluster = words


def _ask(options: argparse.Namespace, question: Question, candidate: Candidate,
         profiles: asking.Profiles) -> int:
    """Asks about a pod; returns 0 or 1. The cluster is changed."""
    notes = candidate.said
    pod, cluster = candidate.pod, question.cluster
    waits = pod.phase == "Pending" or pod.key not in cluster.pods
    pinned = pod.node_name if waits and not candidate.kind else ""
    if candidate.kind == "DaemonSet":
        pod = with_tolerations(pod)
    elif not candidate.kind and pod.key in cluster.pods:
        where = cluster.node_of(pod) or f"{pod.node_name}, which is no node here"
        notes.append(f"{pod.key} runs on {where}; judged as if it were not there")
        cluster.remove_pod(pod.key)
        pod = pod.copy(node_name="")
    frameworks, other_profile = judges(profiles, [pod], notes)
    with Progress("trying what would help"):
        found = why(cluster, pod, frameworks, max_nodes=options.max_nodes,
                    nearest=options.nearest, other_profile=other_profile,
                    claims_from_templates=options.claims)
    if pinned and found.unbound_claims:
        claims = ", ".join(found.unbound_claims)
        notes.append(f"{pod.key} has the nodeName {pinned} and does not run: nodeName bypasses the scheduler, so nobody "
                     f"selects a node for {claims}, and no volume is made; remove spec.nodeName")
    notes += hints(question, [found.text, *(reason for _, _, reason in found.reasons)])
    output.answer(
        options, notes, text=lambda out: _write(out, found, options.all or options.output == "wide"),
        page=lambda: why_html(found, cluster, notes=notes),
        document=lambda: {**found.to_dict(), "notes": notes, **about_input(question)},
        rows=lambda: [[pod.key, one.kind, one.subject, one.container, one.text, one.edit, one.nodes,
                       one.node] for one in found.suggestions])
    return 0 if found.fits and found.gate is None else 1


def _write(out: Terminal, found: Why, everything: bool) -> None:
    out.line(out.paint("strong", found.headline))
    if found.reasons:
        out.line("does not fit:")
        for line in table([[f"{count:,}", rejector(plugin, reason), reason]
                           for count, plugin, reason in found.reasons], right=(0,)):
            out.line(line)
    elif found.text:
        out.line(found.text)
    if found.pre_filter is not None:
        for fact in found.pre_filter.facts:
            if text := fact_text(fact):
                out.line(f"  {text}")
    if found.nearest:
        out.line("nearest:")
    for node in found.nearest:
        out.line("  " + out.paint("strong", node.node))
        for line in table([[lack.plugin, str(lack)] for lack in node.lacks]):
            out.line(f"    {line}")
    for resource in found.beyond:
        out.line(str(resource))
    if found.preemption_text:
        out.line(found.preemption_text)
    if found.suggestions:
        out.line("it would fit, if you")
    shown: dict[str, int] = {}
    left = 0
    for one in found.suggestions:
        shown[one.kind] = shown.get(one.kind, 0) + 1
        if shown[one.kind] > _MOST_ALIKE and not everything:
            left += 1
            continue
        others = f" and {one.nodes - 1:,} more" if one.nodes > 1 else ""
        alike = f" {one.others}" if one.others else ""
        out.line("  " + out.paint("good", one.text + alike) + out.paint("faint", f"  ({one.node}{others})"))
    if left:
        out.line(out.paint("faint", f"  and {left:,} other{'s' * (left != 1)} (--all)"))
    if not found.fits and not found.suggestions and found.gate is None:
        out.line("no single change helps")
