"""Answers of `libsched fit` and `libsched explain`: the common parts of their text and JSON."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable
from typing import Any

from .. import _explain
from ..errors import NotFoundError
from ..fit import FitResult
from ..verdicts import NodeVerdict
from . import output
from .asking import Answer, about
from .output import print_csv, print_document
from .question import Question, about_input
from .terminal import Terminal, table


@dataclasses.dataclass
class _Alike:
    """Pods with equal answers: the first one, and how many there are."""

    pod: str
    code: int
    reasons: str
    count: int = 0


# The colour of a code's total, and its words for one pod and for several.
_TOTALS = (("good", "fits", "fit"), ("bad", "does not fit", "do not fit"),
           ("bad", "has no answer", "have no answer"))


class TextWriter:
    """Writes answers as text; subclasses format a result.

    An answer that equals an earlier one is counted instead, unless `fold` is false.
    """

    def __init__(self, options: argparse.Namespace, *, fold: bool = True) -> None:
        self.options = options
        self.out: Terminal = Terminal(sys.stdout)
        self._fold = fold
        self._told: dict[tuple[str, ...], _Alike] = {}
        self._first = True

    def write(self, answer: Answer) -> None:
        if self._like_another(answer) and self._fold:
            return
        if not self._first:
            self.out.line()
        self._first = False
        for note in answer.notes:
            self.out.note(note)
        if answer.result is None:
            sys.stdout.flush()
            Terminal(sys.stderr).error(about(answer.candidate.pod, str(answer.error)))
            return
        for line in self.lines(answer.result):
            self.out.line(line)

    def lines(self, result: FitResult) -> Iterable[str]:
        raise NotImplementedError

    def _like_another(self, answer: Answer) -> bool:
        """Counts an answer; returns whether an earlier one is equal but for the name of the pod."""
        pod, result = answer.candidate.pod.key, answer.result
        said = [str(answer.error)] if result is None else self.lines(result)
        key = (answer.candidate.kind, *(text.replace(pod, "\0") for text in (*answer.notes, *said)))
        known = key in self._told
        if not known:
            self._told[key] = _Alike(pod, answer.code, _reasons(answer))
        self._told[key].count += 1
        return known

    def close(self) -> None:
        """Writes what has become of several pods, by answer, the most frequent first."""
        total = sum(one.count for one in self._told.values())
        if total < 2:
            return
        counts = [sum(one.count for one in self._told.values() if one.code == code) for code in range(3)]
        told = [self.out.paint(paint, f"{count:,} {words[count != 1]}")
                for count, (paint, *words) in zip(counts, _TOTALS, strict=True) if count]
        self.out.line()
        self.out.line(f"{total:,} pods: {', '.join(told)}")
        alike = sorted(self._told.values(), key=lambda one: -one.count)
        if len(alike) == total or not self._fold:
            return
        rows = [[f"{one.count:,}", one.pod if one.count == 1 else f"like {one.pod}", one.reasons] for one in alike]
        for one, line in zip(alike, table(rows, right=(0,)), strict=True):
            self.out.line(self.out.paint("good" if one.code == 0 else "bad", line))
        self.out.note("  (-o wide shows all)")


def _reasons(answer: Answer) -> str:
    """Returns an answer in a line."""
    result = answer.result
    if result is None or result.error:
        return str(answer.error) if result is None else result.error
    if result.fits:
        return f"fits {len(result.nodes):,} of {output.counted(result.node_count, 'node')}"
    if _explain.is_gated(result):
        return _explain.headline(result).removeprefix(f"{result.pod.key}: ")
    return ", ".join(f"{count:,} {reason}" for count, _, reason in _explain.reason_counts(result))


class JsonWriter:
    """Writes answers as JSON, a line for each pod; subclasses add members."""

    def __init__(self, options: argparse.Namespace, question: Question) -> None:
        self.options = options
        self._input = about_input(question)

    def write(self, answer: Answer) -> None:
        candidate, result, error = answer.candidate, answer.result, answer.error
        line: dict[str, Any] = {"pod": candidate.pod.key}
        if candidate.kind:
            line["workload"] = {"kind": candidate.kind, "replicas": candidate.replicas}
        if error is not None:
            line.update(error=str(error))
            if error.plugin:
                line["plugin"] = error.plugin
        if result is not None:
            line.update(self.fields(result))
        line.update(notes=answer.notes, **self._input)
        print_document(line, self.options.output)

    def close(self) -> None:
        """Ends the output; there is nothing to add."""

    def fields(self, result: FitResult) -> dict[str, Any]:
        """Returns the members about a result."""
        details = result.to_dict()
        line: dict[str, Any] = {
            "profile": result.profile,
            "fits": result.fits,
            "nodes": result.nodes,
            "nodeCount": result.node_count,
            "reasons": [{"nodes": count, "plugin": plugin, "reason": reason}
                        for count, plugin, reason in _explain.reason_counts(result)],
        }
        for name in ("error", "preEnqueue", "fitError"):
            if details.get(name):
                line[name] = details[name]
        return line

    def verdicts(self, result: FitResult, node: str) -> dict[str, Any]:
        """Returns the status of PreFilter, and the verdicts on a node or, without a name, all."""
        if node and node not in result:
            raise NotFoundError(f'there is no node "{node}" to explain')
        return {"preFilter": result.to_dict().get("preFilter"),
                "explain": [_verdict(verdict) for verdict in result if node in ("", verdict.node)]}


class CsvWriter:
    """Writes answers as CSV: a row for each pod and node, with the total score if asked for.

    A pod without verdicts, such as a gated one, is a row without a node. Notes and errors go to
    standard error.
    """

    def __init__(self, scored: bool) -> None:
        self._scored = scored
        print_csv([["pod", "node", "fits", "plugin", "reasons", *(["total"] if scored else [])]])

    def write(self, answer: Answer) -> None:
        errors = Terminal(sys.stderr)
        for note in answer.notes:
            errors.note(note)
        result = answer.result
        if result is None:
            errors.error(about(answer.candidate.pod, str(answer.error)))
            return
        pod = answer.candidate.pod.key
        if result.error or _explain.is_gated(result):
            print_csv([[pod, "", "no", "", result.error or result.fit_error]
                       + [""] * self._scored])
            return
        scores = result.scores if self._scored and not result.score_error else None
        if result.score_error:
            errors.error(f"{pod}: scoring failed: {result.score_error}")
        rows = []
        for verdict in result:
            row: list[object] = [pod, verdict.node, "yes" if verdict.fits else "no",
                                 verdict.status.plugin, "; ".join(verdict.status.reasons)]
            if self._scored:
                there = scores is not None and verdict.node in scores
                row.append(scores.total(verdict.node) if scores is not None and there else "")
            rows.append(row)
        print_csv(rows)

    def close(self) -> None:
        """Ends the output; there is nothing to add."""


Writer = TextWriter | JsonWriter | CsvWriter


def _verdict(verdict: NodeVerdict) -> dict[str, Any]:
    """Returns a verdict in the form of the C API's JSON."""
    status = verdict.status
    entry: dict[str, Any] = {"node": verdict.node, "code": status.code.label}
    if status.plugin:
        entry["plugin"] = status.plugin
    if status.reasons:
        entry["reasons"] = list(status.reasons)
    if verdict.facts:
        entry["facts"] = list(verdict.facts)
    if verdict.by_pre_filter:
        entry["excludedByPreFilter"] = True
    return entry
