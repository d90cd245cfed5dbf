"""`libsched schedule`: where do the given pods go, one after the other, and what is left?"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections import Counter
from typing import Any

from .. import utilisation
from .._amounts import amounts
from ..errors import InvalidError
from ..objects import Pod
from ..placement import Placement
from ..report.answers import schedule_html
from ..utilisation import Use
from . import asking, output
from .digits import whole
from .dump import hints
from .placing import may_preempt, place_all, size, with_daemons
from .progress import Progress
from .candidate import Candidate
from .question import Question, about_input, read_question
from .terminal import Terminal, table

DESCRIPTION = """\
Places the pods of a file one after the other, as kube-scheduler would with an empty queue:
PreEnqueue, a scheduling cycle over all nodes, and Reserve. Each pod sees the pods placed before it. A
workload stands for its replicas, which are named like the pods of its controller, a DaemonSet for a pod
on each eligible node; they get no pod-template-hash label, and the claims of volumeClaimTemplates
and ResourceClaimTemplates are made for each replica. Once a replica finds no node, the remaining ones
are counted without being tried. Pods are never preempted, and nodes never sampled. The same input and seed give the same placements."""

EPILOG = """\
exit codes:
  0  every pod was placed (or has a node already)
  1  a pod was not: it fits nowhere, is gated, or was refused by Reserve
  2  no answer, such as after bad input

examples:
  libsched schedule cluster.yaml --pod deployment.yaml
  libsched schedule cluster.yaml --pod pods.yaml --order priority --limit 100
  libsched schedule cluster.yaml --pod pods.yaml --json | jq -r 'select(.node) | .node'"""

_MOST_ROWS = 10
_ORDER = ("placed", "bound", "kept", "ended", "unschedulable", "gated", "refused", "error")
_UNSEEN = ("bound", "kept", "ended")  # the scheduler does not see those
_PAINT = {"placed": "good", "bound": "good", "kept": "faint", "ended": "faint",
          "unschedulable": "bad", "gated": "note", "refused": "bad", "error": "bad"}


def add(made: argparse.ArgumentParser) -> None:
    """Where do pods go, one after the other?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    asking.add_inputs(made, "place")
    made.add_argument("--order", choices=("file", "priority"), default="file",
                      help="in which order (default: the file's; priority: the highest first, as "
                      "in upstream's queue)")
    asking.add_choice(made)
    made.add_argument("--limit", type=whole(0, (1 << 64) - 1, "number of at most 64 bits"), metavar="N", help="try only the first N pods")
    made.add_argument("--pool-label", metavar="KEY",
                      help="the node label that names pools (default: a well-known one)")
    made.add_argument("--resource", action="append", default=[], metavar="NAME",
                      help="a further resource for the summary; may be repeated")
    output.add(made, "print one line of JSON for each pod, and one for the summary")
    output.add_page(made)
    asking.add_as_is(made)
    asking.add_claims(made)
    asking.add_judging(made)
    made.set_defaults(run=run)


@dataclasses.dataclass
class Summary:
    """The outcomes of all pods."""

    before: dict[str, Use]
    after: dict[str, Use]
    outcomes: Counter[str]
    reasons: Counter[tuple[str, str]]  # (outcome, text)
    nodes: Counter[str]
    pools: Counter[str]
    pool_label: str
    untried: int
    preempting: int

    @property
    def code(self) -> int:
        """The exit code."""
        if self.outcomes["error"]:
            return 2
        failed = ("unschedulable", "gated", "refused")
        return 1 if any(self.outcomes[outcome] for outcome in failed) else 0


def run(options: argparse.Namespace) -> int:
    """Places the pods; returns 0, 1 or 2."""
    question = read_question(options, ended=True)
    label = options.pool_label or utilisation.pool_label(question.cluster)
    pools = utilisation.pools(question.cluster, label) if label else {}
    if options.pool_label and not any(pools.values()):
        raise InvalidError(f'no node has the label "{label}" of --pool-label')
    profiles = asking.Profiles(options)
    resources = [*options.resource, *_extended(question.candidates)]
    summary = Summary(utilisation.use(question.cluster, resources), {}, Counter(), Counter(),
                      Counter(), Counter(), label, 0, 0)
    writer: ScheduleJson | ScheduleCsv | ScheduleText = (
        ScheduleJson(question, options.output) if options.json
        else ScheduleCsv() if options.output == "csv" else ScheduleText(options.output == "wide"))
    notes: list[str] = []
    candidates = with_daemons(question.cluster, question.candidates, notes)
    total = sum(size(candidate) for candidate in candidates)
    limit = total if options.limit is None else min(options.limit, total)
    summary.untried = total - limit
    stuck: list[tuple[Pod, int]] = []
    shown: list[Placement] = []
    done = 0
    with Progress("placing pods", limit) as progress:

        def placed(candidate: Candidate, placement: Placement) -> None:
            nonlocal done
            if placement.outcome == "unschedulable" and not placement.pod.node_name:
                stuck.append((placement.pod, placement.count))
            _count(summary, placement, pools)
            if options.html:
                shown.append(placement)
            kind = "" if placement.outcome in _UNSEEN else candidate.kind
            writer.write(placement, kind)
            done += placement.count
            progress.update(done, f"{done:,} of {limit:,}")

        notes += place_all(question.cluster, profiles, _in_order(candidates, options), limit,
                           ties=options.ties, seed=options.seed, claims=options.claims,
                           placed=placed)
    summary.after = utilisation.use(question.cluster, resources)
    summary.preempting = may_preempt(question.cluster, stuck)
    notes += hints(question, (text for _, text in summary.reasons))
    if options.html:  # before the summary, whose reader may stop early
        told = [f"{summary.untried:,} not tried (--limit)"] if summary.untried else []
        output.write_page(options.html, schedule_html(
            shown, question.cluster, before=summary.before, after=summary.after,
            notes=[*notes, *told], title=_title(question.candidates)))
    writer.close(summary, notes)
    output.tell_page(options)
    return summary.code


def _title(candidates: list[Candidate]) -> str:
    names = [candidate.pod.key for candidate in candidates]
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


def _extended(candidates: list[Candidate]) -> list[str]:
    """Returns the resources that pods ask for beside those that every summary has."""
    return list(dict.fromkeys(name for candidate in candidates for name in candidate.pod.requests))


def _in_order(candidates: list[Candidate], options: argparse.Namespace) -> list[Candidate]:
    """Returns the candidates in the order in which they are placed."""
    if options.order == "priority":
        return sorted(candidates, key=lambda candidate: -candidate.pod.priority)
    return candidates


def _count(summary: Summary, placement: Placement, pools: dict[str, str]) -> None:
    summary.outcomes[placement.outcome] += placement.count
    if placement.outcome in ("placed", "bound"):
        summary.nodes[placement.node] += 1
        if pools:
            summary.pools[pools.get(placement.node, "")] += 1
    elif placement.text:
        summary.reasons[placement.outcome, placement.text] += placement.count


class ScheduleText:
    """Writes placements as text, a line for each pod or group of replicas, and the summary."""

    def __init__(self, wide: bool) -> None:
        self._out = Terminal(sys.stdout)
        self._wide = wide
        self._told: set[tuple[str, str]] = set()  # outcomes and texts of pods that are not placed
        self._folded = 0

    def write(self, placement: Placement, kind: str) -> None:
        paint = self._out.paint
        pod = placement.pod.key
        if placement.outcome == "placed":
            score = "the only one" if placement.score is None else f"score {placement.score:,}"
            self._out.line(f"{pod}  {paint('good', placement.node)}  "
                           + paint("faint", f"{score}, {placement.feasible:,} fit"
                                   + (f", by {placement.profile}" if self._wide else "")))
            return
        if not self._wide and not placement:
            told = placement.outcome, placement.text.replace(pod, "")
            if told in self._told:  # the summary counts them
                self._folded += placement.count
                return
            self._told.add(told)
        where = f"  {placement.node}" if placement.node else ""
        named = placement.outcome == "unschedulable" or placement.plugin in placement.text
        plugin = "" if named else f" ({placement.plugin})"
        outcome = paint(_PAINT[placement.outcome], placement.outcome)
        times = f" x {placement.count:,}" if placement.count > 1 else ""
        self._out.line(f"{pod}{where}  {outcome}{times}: {placement.text}{plugin}")

    def close(self, summary: Summary, notes: list[str]) -> None:
        out = self._out
        if self._folded:
            out.note(f"... and {output.counted(self._folded, 'pod')} that fare like one above (-o wide shows all)")
        out.line()
        for note in notes:
            out.line(f"{out.paint('note', 'note')}: {note}")
        counts = [out.paint(_PAINT[outcome], f"{summary.outcomes[outcome]:,} {outcome}")
                  for outcome in _ORDER if summary.outcomes[outcome]]
        if summary.untried:
            counts.append(f"{summary.untried:,} not tried (--limit)")
        out.line(", ".join(counts) or "nothing to place")
        for (outcome, text), count in summary.reasons.most_common(None if self._wide else _MOST_ROWS):
            if outcome not in ("kept", "ended"):
                out.line(f"  {count:,} {outcome}: {text}")
        if summary.preempting:
            out.note(f"  {summary.preempting:,} of the unschedulable pods have a higher priority "
                     "than some running pod; preemption is not available here")
        if summary.pools:
            self._ranking(f"by {summary.pool_label}", summary.pools)
        self._ranking("by node", summary.nodes)
        rows = [["resource", "allocatable", "before", "", "after", ""]]
        for resource, after in summary.after.items():
            before = summary.before[resource]
            allocatable, then, now = amounts(resource, after.allocatable, before.requested, after.requested)
            rows.append([resource, allocatable, then, f"{before.share:.1%}", now, f"{after.share:.1%}"])
        head, *lines = table(rows, right=range(1, 6))
        out.line("requested:")
        out.line(out.paint("faint", head))
        for line in lines:
            out.line(line)

    def _ranking(self, title: str, counts: Counter[str]) -> None:
        if not counts:
            return
        self._out.line(f"{title}:")
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        most = len(ranked) if self._wide else _MOST_ROWS
        for line in table([[f"{count:,}", name or "(none)"] for name, count in ranked[:most]],
                          right=[0]):
            self._out.line(line)
        if len(ranked) > most:
            rest = sum(count for _, count in ranked[most:])
            self._out.line(f"  ... and {rest:,} on {len(ranked) - most:,} more")


class ScheduleCsv:
    """Writes placements as CSV; a row with a count stands for that many replicas of a workload."""

    def __init__(self) -> None:
        output.print_csv([["pod", "kind", "count", "outcome", "node", "score", "feasible", "profile",
                           "plugin", "text"]])

    def write(self, placement: Placement, kind: str) -> None:
        score = "" if placement.score is None else placement.score
        output.print_csv([[placement.pod.key, kind, placement.count, placement.outcome,
                           placement.node, score, placement.feasible, placement.profile,
                           placement.plugin, placement.text]])

    def close(self, summary: Summary, notes: list[str]) -> None:
        del summary
        for note in notes:
            Terminal(sys.stderr).note(note)


class ScheduleJson:
    """Writes placements as JSON: a line for each, and a last line with the member "summary".

    A line with "count" stands for that many replicas of a workload, and names the first of them.
    """

    def __init__(self, question: Question, form: str) -> None:
        self._input = about_input(question)
        self._form = form

    def write(self, placement: Placement, kind: str) -> None:
        line: dict[str, Any] = {"pod": placement.pod.key, "outcome": placement.outcome}
        if placement.count > 1:
            line["count"] = placement.count
        if kind:
            line["kind"] = kind
        for name in ("profile", "node", "plugin"):
            if getattr(placement, name):
                line[name] = getattr(placement, name)
        if placement.outcome == "placed":
            line.update(feasible=placement.feasible)
            if placement.score is not None:
                line.update(score=placement.score)
        if placement.text:
            line["fitError" if placement.outcome == "unschedulable" else "text"] = placement.text
        output.print_document(line, self._form)

    def close(self, summary: Summary, notes: list[str]) -> None:
        said: dict[str, Any] = {
            "outcomes": {outcome: summary.outcomes[outcome] for outcome in _ORDER
                         if summary.outcomes[outcome]},
            "notTried": summary.untried,
            "reasons": [{"pods": count, "outcome": outcome, "text": text}
                        for (outcome, text), count in summary.reasons.most_common()],
            "mayPreempt": summary.preempting,
            "nodes": dict(sorted(summary.nodes.items())),
        }
        if summary.pool_label:
            said["pools"] = {"label": summary.pool_label,
                             "pods": dict(sorted(summary.pools.items()))}
        said["resources"] = {
            resource: {"allocatable": after.allocatable,
                       "before": summary.before[resource].requested, "after": after.requested}
            for resource, after in summary.after.items()}
        output.print_document({"summary": {**said, "notes": notes, **self._input}}, self._form)
