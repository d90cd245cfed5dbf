"""The data of a decision, in the columns that the page and the notebook table show.

All data fits into JSON. Texts are not escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Union

from .._arguments import checks_arguments
from .._facts import fact_text
from ..status import NO_REASON
from ..verdicts import Verdicts
from ..view import View
from .asks import asks_data

#: A decision to show: a FitResult, or its `to_dict`.
Decision = Union[Verdicts, Mapping[str, Any]]

_EXACT = 1 << 53  # larger integers become texts, because JavaScript would round them
_PRE_FILTER = "ruled out by PreFilter"


@checks_arguments
def page_data(decision: Decision, most_nodes: int = 0) -> dict[str, Any]:
    """Returns header, columns and nodes, best first; nodes beyond `most_nodes` are counted."""
    if isinstance(decision, Mapping):
        details = decision
        entries = list(details.get("nodes") or ())
        weights: dict[str, int] = {}
        filters: list[tuple[str, bool]] = []
        node_count = len(entries)
    else:
        details = decision.to_dict()
        entries = _entries(decision)
        weights = dict(decision.score_plugins())
        filters = decision.filter_plugins()
        node_count = decision.node_count
    scores = {entry["node"]: entry for entry in details.get("scores") or ()}
    names = sorted((entry["node"] for entry in entries),
                   key=_rank(scores, set(details.get("feasible") or ())))
    reasons = _Reasons(entries)
    shown = names[:most_nodes] if most_nodes else names
    return {
        "pod": details.get("pod", ""),
        "profile": details.get("profile", ""),
        "nodeCount": node_count,
        "fitCount": len(details.get("feasible") or ()),
        "best": list(details.get("best") or ()),
        "fitError": details.get("fitError", ""),
        "error": details.get("error", ""),
        "scoreError": details.get("scoreError", ""),
        "gate": _gate(details.get("preEnqueue")),
        "skipScore": list(details.get("skipScore") or ()),
        "filters": [{"name": name, "skipped": skipped} for name, skipped in filters],
        "scorers": _scorers(scores, weights, shown),
        "nodes": shown,
        "left": len(names) - len(shown),
        "total": [_number(scores[name]["total"]) if name in scores else None for name in shown],
        "whys": reasons.whys,
        "why": [reasons.of.get(name, -1) for name in shown],
        "facts": _facts(entries, shown),
        "counts": reasons.counts(),
        "asks": None if isinstance(decision, Mapping) else asks_data(decision.pod),
    }


def at_home(data: dict[str, Any], view: View, key: str) -> dict[str, Any]:
    """Adds the node on which the pod runs, if it was judged as if it were not there.

    The page counts the pod's requests there as free.
    """
    data["home"] = view.node_of(key) if key in view.pods else None
    return data


def _entries(result: Verdicts) -> list[dict[str, Any]]:
    """Returns all verdicts in the form of the C API's JSON, including those of PreFilter."""
    return [{"node": verdict.node, "code": verdict.status.code.label,
             "plugin": verdict.status.plugin, "reasons": list(verdict.status.reasons),
             "excludedByPreFilter": verdict.by_pre_filter, "facts": verdict.facts}
            for verdict in result]


def _facts(entries: list[dict[str, Any]], shown: list[str]) -> list[list[tuple[str, str]]]:
    """Returns tuples (reason, text) about each node that is shown; nothing if there are no facts."""
    of = {entry["node"]: [(fact["reason"], fact_text(fact)) for fact in entry["facts"]]
          for entry in entries if entry.get("facts")}
    return [of.get(name, []) for name in shown] if of else []


def _rank(scores: Mapping[str, Any], feasible: set[str]) -> Any:
    """Returns a sort key: scored nodes, best first, then unscored ones that fit, then the rest."""
    def key(name: str) -> tuple[bool, bool, int, str]:
        scored = scores.get(name)
        return (name not in feasible, scored is None,
                -int(scored["total"]) if scored else 0, name)
    return key


def _gate(status: Mapping[str, Any] | None) -> str:
    if not status or status.get("code") == "Success":
        return ""
    text = ", ".join(status.get("reasons") or ()) or str(status["code"])
    return f"{status['plugin']}: {text}" if status.get("plugin") else text


def _scorers(scores: Mapping[str, Any], weights: Mapping[str, int],
             names: list[str]) -> list[dict[str, Any]]:
    """Returns a column for each Score plugin, in the order of the weights or the first node."""
    first: Mapping[str, Any] = next(iter(scores.values()))["plugins"] if scores else {}
    order = [name for name in weights if name in first]
    order += [name for name in first if name not in order]
    columns = []
    for plugin in order:
        cells = [scores[name]["plugins"][plugin] if name in scores else None for name in names]
        weight = weights.get(plugin)
        columns.append({
            "name": plugin,
            "weight": _weight(entry["plugins"][plugin] for entry in scores.values())
            if weight is None else weight,
            **{kind: [None if cell is None else _number(cell[kind]) for cell in cells]
               for kind in ("raw", "normalized", "weighted")}})
    return columns


def _weight(cells: Iterable[Mapping[str, int]]) -> int | None:
    """Returns the factor from normalised to weighted scores, if the cells reveal it."""
    for cell in cells:
        if cell["normalized"]:
            return int(cell["weighted"] // cell["normalized"])
    return None


def _number(value: int) -> int | str:
    return value if -_EXACT <= value <= _EXACT else str(value)


class _Reasons:
    """The distinct verdicts on nodes that don't fit. Many nodes share most of them."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self.whys: list[dict[str, Any]] = []
        self.of: dict[str, int] = {}
        self._nodes: Counter[int] = Counter()
        known: dict[tuple[str, str, tuple[str, ...], bool], int] = {}
        for entry in entries:
            if entry["code"] == "Success" and not entry.get("excludedByPreFilter"):
                continue
            reasons = tuple(entry.get("reasons") or ())
            before = bool(entry.get("excludedByPreFilter"))
            key = (entry["code"], entry.get("plugin") or "", reasons, before)
            if key not in known:
                known[key] = len(self.whys)
                self.whys.append({"code": key[0], "plugin": key[1], "preFilter": before,
                                  "reasons": list(reasons) or [_PRE_FILTER if before else NO_REASON]})
            self.of[entry["node"]] = known[key]
            self._nodes[known[key]] += 1

    def counts(self) -> list[dict[str, Any]]:
        """Returns the number of nodes that each reason excludes, the most frequent first."""
        total: Counter[tuple[str, str]] = Counter()
        for index, count in self._nodes.items():
            for reason in self.whys[index]["reasons"]:
                total[self.whys[index]["plugin"], reason] += count
        return [{"plugin": plugin, "reason": reason, "nodes": count} for (plugin, reason), count
                in sorted(total.items(), key=lambda item: (-item[1], item[0]))]
