"""`libsched fit`: which nodes of a cluster take the given pods, and why don't the others?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from .. import _explain
from ..errors import NotFoundError
from ..fit import FitResult
from ..status import NO_REASON
from . import asking, output
from .dump import hints, with_claims
from .progress import Progress
from .question import Question, read_question
from .terminal import table
from .writing import CsvWriter, JsonWriter, TextWriter, Writer

DESCRIPTION = """\
Judges every pod of a file on a cluster, as kube-scheduler would: PreEnqueue, PreFilter and
Filter on every node. A pod that runs in the cluster already (same namespace and name) is judged as
if it were not there and had no nodeName. A workload, such as a Deployment, is judged by its pod
template."""

EPILOG = """\
exit codes:
  0  every pod fits on some node
  1  a pod does not
  2  no answer, such as after bad input

examples:
  libsched fit cluster.yaml --pod train.yaml
  libsched fit nodes.json pods.json --pod deployment.yaml --explain gpu-a-3
  $(libsched kubectl-line) | libsched fit - --pod web.yaml --json | jq .nodes"""

MOST_NAME_LINES = 12


def add(made: argparse.ArgumentParser) -> None:
    """Which nodes take a pod, and why don't the others?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    asking.add_inputs(made, "judge")
    made.add_argument("--explain", nargs="?", const="", metavar="NODE",
                      help="say for each node, or for this one plugin by plugin, why")
    output.add(made, "print one line of JSON for each pod")
    asking.add_as_is(made)
    asking.add_claims(made)
    asking.add_judging(made)
    asking.add_extender_calls(made)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Judges the pods; returns 0, 1 or 2."""
    output.refuse("--explain NODE", options.output if options.explain else "", "wide")
    output.refuse("--explain", options.output if options.explain is not None else "", "csv")
    if options.output == "wide":
        options.explain = ""
    question = read_question(options)
    if options.claims:
        question = with_claims(question)
    judge = asking.Judge(options, question.cluster, facts=options.explain is not None)
    writer: Writer = (FitJson(options, question) if options.json
                      else CsvWriter(False) if options.output == "csv"
                      else FitText(options, fold=options.output != "wide"))
    return answer_all(question, judge, writer)


def answer_all(question: Question, judge: asking.Judge,
               writer: Writer) -> int:
    """Judges every candidate; returns the worst exit code."""
    code = 0
    with Progress("judging pods", len(question.candidates)) as progress:
        progress.update(0, f"0 of {len(question.candidates):,}")
        for number, answer in enumerate(judge.answers(question.candidates), 1):
            progress.update(number, f"{number:,} of {len(question.candidates):,}")
            code = max(code, tell_all(question, [answer], writer))
    writer.close()
    return code


def tell_all(question: Question, answers: Iterable[asking.Answer], writer: Writer) -> int:
    """Writes answers, with hints at what the dump lacks; returns the worst exit code."""
    code = 0
    for answer in answers:
        if answer.result is not None:
            answer.notes.extend(hints(question, [answer.result.fit_error]))
        writer.write(answer)
        code = max(code, answer.code)
    return code


class FitText(TextWriter):
    """Writes answers as text."""

    def lines(self, result: FitResult) -> list[str]:
        out = self.out
        node = self.options.explain
        if node is not None and (result.error or _explain.is_gated(result)):
            return [_explain.headline(result, out.paint), *_explain.behind(result, out.paint)]
        if node is None:
            return list(_explain.summary(result, out.paint, out.width,
                                         MOST_NAME_LINES if out.is_terminal else 0,
                                         "--json lists them all"))
        if node:
            if node not in result:
                raise NotFoundError(f'there is no node "{node}" to explain; write --explain=NODE, '
                                    "or --explain alone at the end")
            return list(_explain.about_node(result, node, out.paint))
        rows = [[verdict.node, "fits", "", ""] if verdict.fits else
                [verdict.node, "no", _explain.rejector(verdict.status.plugin, verdict.status.message),
                 verdict.status.message or NO_REASON] for verdict in result]
        lines = [_explain.headline(result, out.paint), *_explain.behind(result, out.paint)]
        for verdict, line in zip(result, table(rows), strict=True):
            lines.append(out.paint("good" if verdict.fits else "bad", line))
        return lines


class FitJson(JsonWriter):
    """Writes answers as JSON, a line for each pod."""

    def fields(self, result: FitResult) -> dict[str, Any]:
        line = super().fields(result)
        if self.options.explain is not None:
            line.update(self.verdicts(result, self.options.explain))
        return line
