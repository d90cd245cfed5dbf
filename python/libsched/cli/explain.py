"""`libsched explain`: reasons and scores by node and plugin, as text, JSON or a page."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .. import _explain
from .._arguments import MOST
from ..errors import NotFoundError
from ..fit import FitResult
from ..report import explain_html
from ..scores import Scores
from ..status import NO_REASON
from . import asking, output
from .digits import whole
from .fit import answer_all, tell_all
from .dump import with_claims
from .question import Question, read_question
from .terminal import table
from .writing import CsvWriter, JsonWriter, TextWriter, Writer

DESCRIPTION = """\
Shows for every pod of a file the answer of each plugin of kube-scheduler on each node: the
filter that rejects the node, with its reasons, and the score of each Score plugin: raw, normalised to
0..100, and weighted. The nodes are listed best first. Pods that run already, and workloads, are
judged as by 'libsched fit'."""

EPILOG = """\
exit codes:
  0  every pod fits on some node
  1  a pod does not
  2  no answer, such as after bad input, or where scoring fails

examples:
  libsched explain cluster.yaml --pod web.yaml
  libsched explain cluster.yaml --pod web.yaml --node general-a-1
  libsched explain cluster.yaml --pod web.yaml --html web.html"""

_KINDS = ("weighted", "normalized", "raw", "all")
_TOP = 20


def add(made: argparse.ArgumentParser) -> None:
    """What does each plugin make of each node?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    asking.add_inputs(made, "judge")
    made.add_argument("--node", type=asking.nonempty, metavar="NODE", help="only this node, plugin by plugin")
    made.add_argument("--values", choices=_KINDS, default="weighted",
                      help="which scores the table shows (default: weighted; all: "
                      "raw/normalised/weighted)")
    made.add_argument("--top", type=whole(0, MOST, "number of nodes"), default=_TOP, metavar="N",
                      help=f"list that many nodes that fit, and that many that don't (default: "
                      f"{_TOP}; 0: all)")
    output.add(made, "print one line of JSON for each pod")
    output.add_page(made)
    asking.add_as_is(made)
    asking.add_claims(made)
    asking.add_judging(made)
    asking.add_extender_calls(made)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explains the verdicts; returns 0, 1 or 2."""
    output.refuse("--node", options.output if options.node else "", "csv")
    output.refuse("--node", options.output if options.node else "", "wide")
    if options.output == "wide":
        options.top, options.values = 0, "all"
    question = read_question(options)
    if options.claims:
        question = with_claims(question)
    if options.node and options.node not in question.cluster.nodes:
        raise NotFoundError(f'there is no node "{options.node}" to explain')
    judge = asking.Judge(options, question.cluster, score=True,
                         facts=options.output != "csv")
    if not options.html:
        return answer_all(question, judge, _writer(options, question))
    answers = list(judge.answers(question.candidates))
    results = [answer.result for answer in answers if answer.result is not None]
    if results:  # before the text, whose reader may stop early
        output.write_page(options.html, explain_html(results, cluster=question.cluster,
                                                     absent=not options.as_is))
    writer = _writer(options, question)
    code = tell_all(question, answers, writer)
    writer.close()
    if results:
        output.tell_page(options)
    return code


def _writer(options: argparse.Namespace, question: Question) -> Writer:
    if options.json:
        return ExplainJson(options, question)
    return CsvWriter(True) if options.output == "csv" else ExplainText(options, fold=options.output != "wide")


class ExplainText(TextWriter):
    """Writes answers as text."""

    def lines(self, result: FitResult) -> Iterator[str]:
        if result.error or _explain.is_gated(result):
            yield _explain.headline(result, self.out.paint)
            yield from _explain.behind(result, self.out.paint)
        elif self.options.node:
            yield from self._about_node(result, self.options.node)
        else:
            yield from self._overview(result)

    def _overview(self, result: FitResult) -> Iterator[str]:
        paint = self.out.paint
        yield _explain.headline(result, paint) + _best_text(result)
        yield from _explain.behind(result, paint)
        if result.score_error:
            yield f"{paint('bad', 'scoring failed')}: {result.score_error}"
        if not result.score_error and result.scores is not None:
            yield from self._scores(result, result.scores)
        elif result.nodes:
            yield from _explain.columns(result.nodes, self.out.width)
        rejected = [verdict for verdict in result if not verdict.fits]
        if not rejected:
            return
        yield "does not fit:"
        top = self.options.top or len(rejected)
        rows = [[verdict.node, _explain.rejector(verdict.status.plugin, verdict.status.message),
                 verdict.status.message or NO_REASON] for verdict in rejected[:top]]
        for line in table(rows):
            yield paint("bad", line)
        if len(rejected) > top:
            yield f"  ... and {len(rejected) - top:,} more (--top 0 shows all); all of them by reason:"
            for count, plugin, reason in _explain.reason_counts(result):
                yield f"  {count:>7,}  {paint('strong', _explain.rejector(plugin, reason))}  {reason}"

    def _scores(self, result: FitResult, scores: Scores) -> Iterator[str]:
        paint = self.out.paint
        kind = self.options.values
        order = _ranked(scores)
        top = self.options.top or len(order)
        short = abbreviations(list(scores.plugins))
        rows = [["node", "total", *(short[plugin] for plugin in scores.plugins)]]
        cells = {plugin: _cells(scores, plugin, kind) for plugin in scores.plugins}
        for at in order[:top]:
            rows.append([scores.nodes[at], f"{scores.totals[at]:,}",
                         *(cells[plugin](at) for plugin in scores.plugins)])
        head, *lines = table(rows, right=range(1, len(rows[0])))
        yield paint("strong", head)
        best = set(result.best)
        for at, line in zip(order, lines, strict=False):
            yield paint("good", line) if scores.nodes[at] in best else line
        if len(order) > top:
            yield f"  ... and {len(order) - top:,} more that fit (--top 0 shows all)"
        shown = {"all": "raw/normalised/weighted", "normalized": "normalised"}.get(kind, kind)
        legend = ", ".join(f"{short[plugin]} {plugin} x{weight}"
                           for plugin, weight in scores.plugins.items())
        yield paint("faint", f"  {shown} scores: {legend}")
        if result.skipped_scores:
            yield paint("faint", f"  skipped: {', '.join(result.skipped_scores)}")

    def _about_node(self, result: FitResult, node: str) -> Iterator[str]:
        paint = self.out.paint
        yield from _explain.about_node(result, node, paint)
        if result.score_error:
            yield f"{paint('bad', 'scoring failed')}: {result.score_error}"
            return
        scores = result.scores
        if scores is None or node not in scores:
            return
        total = scores.total(node)
        better = sum(other > total for other in scores.totals)
        rows = [["score", "raw", "normalised", "weight", "weighted"]]
        for plugin, score in scores[node].items():
            rows.append([plugin, f"{score.raw:,}", f"{score.normalized:,}",
                         f"{scores.plugins[plugin]:,}", f"{score.weighted:,}"])
        rows += [[plugin, "skipped", "", "", ""] for plugin in result.skipped_scores]
        rows.append(["total", "", "", "", f"{total:,}"])
        head, *lines, last = table(rows, right=range(1, 5))
        yield paint("strong", head)
        yield from lines
        yield paint("strong", last)
        yield (f"rank {better + 1:,} of {len(scores):,}"
               + (f"; the highest total is {max(scores.totals):,}" if better else ""))


class ExplainJson(JsonWriter):
    """Writes answers as JSON: the members of `fit --explain --json`, and the scores."""

    def fields(self, result: FitResult) -> dict[str, Any]:
        node = self.options.node or ""
        details = result.to_dict()
        line = super().fields(result)
        line.update(self.verdicts(result, node))
        line["scores"] = [entry for entry in details.get("scores") or ()
                          if node in ("", entry["node"])]
        line["weights"] = dict(result.score_plugins())
        line.update(skipScore=result.skipped_scores, best=result.best)
        if result.score_error:
            line["scoreError"] = result.score_error
        return line


def _best_text(result: FitResult) -> str:
    if not result.best or result.scores is None:
        return ""
    more = len(result.best) - 1
    ties = f" and {more:,} more" if more else ""
    return f", best {result.best[0]}{ties} ({result.scores.total(result.best[0]):,})"


def _ranked(scores: Scores) -> list[int]:
    """Returns the indexes of the nodes, the highest total first, then by name."""
    totals = scores.totals
    return sorted(range(len(scores)), key=lambda at: (-totals[at], scores.nodes[at]))


def _cells(scores: Scores, plugin: str, kind: str) -> Any:
    """Returns a function from an index to the text of a plugin's score."""
    columns = [getattr(scores, name)(plugin) for name in
               (("raw", "normalized", "weighted") if kind == "all" else (kind,))]
    return lambda at: "/".join(f"{column[at]:,}" for column in columns)


def abbreviations(names: list[str]) -> dict[str, str]:
    """Abbreviates each name to its capitals, with a number if several names share them.

    >>> abbreviations(["NodeResourcesFit", "ImageLocality", "IdleLatency", "custom"])
    {'NodeResourcesFit': 'NRF', 'ImageLocality': 'IL', 'IdleLatency': 'IL2', 'custom': 'custom'}
    """
    made: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for name in names:
        short = "".join(re.findall("[A-Z]", name)) or name
        seen[short] += 1
        made[name] = short if seen[short] == 1 else f"{short}{seen[short]}"
    return made
