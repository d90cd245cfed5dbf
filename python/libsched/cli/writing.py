"""Answers of `libsched fit` and `libsched explain`: the common parts of their text and JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from .. import _explain
from ..errors import NotFoundError
from ..fit import FitResult
from ..verdicts import NodeVerdict
from .asking import Answer, about
from .output import print_csv, print_document
from .question import Question, about_input
from .terminal import Terminal


class TextWriter:
    """Writes answers as text; subclasses format a result."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.out = Terminal(sys.stdout)
        self._first = True

    def write(self, answer: Answer) -> None:
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
