"""The pages about answers of many pods: capacity, drains, placements and comparisons.

Each is a self-contained file in the look of the page of `explain_html`: a summary, and tables to sort,
search and group. The data comes from the results; with the cluster, nodes also have their zone and pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _explain
from .._arguments import checks_arguments
from .._amounts import amounts
from .._facts import fact_text
from ..capacity import Capacity
from ..compare import KINDS, Comparison, kind_of, node_text
from ..drain import OUTCOMES as DRAINED
from ..drain import Drain
from ..pending import Suggestion, Why
from ..placement import OUTCOMES as PLACED
from ..placement import Placement
from ..status import NO_REASON
from ..utilisation import POOL_LABELS, Use, pool_label
from ..view import View
from . import answer_document

_ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_MOST_BARS = 40
_MOST_ALIKE = 3  # suggestions of one kind in the summary

_PAINT = {
    "placed": "good", "bound": "good", "moved": "good", "gained": "good", "new": "note", "gone": "note",
    "kept": "faint", "stays": "faint", "ended": "faint", "stay": "faint", "wait": "faint",
    "deleted": "note", "gated": "note", "unschedulable": "bad", "refused": "bad", "error": "bad",
    "pending": "bad", "blocked": "bad", "returned": "bad", "lost": "bad"}


@checks_arguments
def capacity_html(found: Capacity, cluster: View | None = None, *, pods: Sequence[str] = (),
                  notes: Sequence[str] = ()) -> str:
    """Returns a page about a capacity: the pods by node, zone and pool, and why not one more.

    Parameters
    ----------
    found : Capacity
    cluster : Cluster or Snapshot, optional
        The cluster that the capacity is about.
    pods : sequence of str
        What was counted, for the title.
    notes : sequence of str
        Remarks to show.
    """
    places = _Places(cluster)
    cards: list[dict[str, Any]] = [
        {"title": "Pods", "figure": [("" if found.is_exact else "at least ") + f"{found.count:,}",
                                     "more fit"],
         "lines": [] if len(found.counts) < 2 or not pods else
         [f"{count:,} of {name}" for name, count in zip(pods, found.counts, strict=False)]}]
    used = sum(count > 0 for count in found.nodes.values())
    cards.append({"title": "Nodes", "figure": [f"{used:,}", f"of {len(found.nodes):,} take some"],
                  "meter": [used / max(1, len(found.nodes)), "good" if used else "bad"]})
    if found.next is not None:
        cards.append({"title": "The next pod", "lines": [f"{found.next.pod.key} is {found.next.outcome}",
                                                         found.next.text], "wide": True})
    elif not found.is_exact:
        cards.append({"title": "The count has ended", "lines": [
            {"maximum": "It has reached its maximum.", "deadline": "Its time was over.",
             "cancelled": "It was cancelled."}[found.end]]})
    if found.verdicts is not None:
        cards.append(_reasons("Why not one more", _explain.reason_counts(found.verdicts)))
    cards += places.cards(found.nodes, 0)
    rows = []
    for name, count in _explain.ranked(found.nodes):
        verdict = None if found.verdicts is None else found.verdicts[name]
        status = None if verdict is None or verdict.fits else verdict.status
        rows.append([name, count, *places.of(name), "" if status is None else status.plugin,
                     "" if status is None else status.message or NO_REASON,
                     "" if verdict is None else "; ".join(map(fact_text, verdict.facts))])
    tables = [_table("Nodes", "node", [
        _column("node", width=240), _column("pods", "bar", width=130, sum=True), *places.columns,
        _column("plugin", group=True, width=170), _column("why not one more", "why", width=330),
        _column("facts", "fact", width=330)], rows)]
    return _page("capacity", ", ".join(pods) or "capacity", "good" if found.count else "bad",
                 found.headline, notes, cards, tables)


@checks_arguments
def why_html(found: Why, cluster: View | None = None, *, notes: Sequence[str] = ()) -> str:
    """Returns a page about a pod that waits: what rejects it, the nearest nodes, and what would help.

    The parameters are those of `capacity_html`.
    """
    places = _Places(cluster)
    cards: list[dict[str, Any]] = []
    if found.reasons:
        cards.append(_reasons("What rejects the nodes", found.reasons))
    elif found.text or found.gate:
        cards.append({"title": "What rejects it", "lines": [str(found.gate or found.text)], "wide": True})
    if found.plugins:
        cards.append({"title": "Nodes that each plugin rejects by itself",
                      "bars": _bars(found.plugins, "bad", None)})
    if found.beyond:
        cards.append({"title": "More than any node has", "lines": [str(one) for one in found.beyond],
                      "wide": True})
    if found.preemption_text:
        cards.append({"title": "Preemption", "lines": [found.preemption_text], "wide": True})
    cards.append({"title": "What would help", "wide": True, "lines": [
        f"{one.text} {one.others}".strip() for one in _best(found)] or [
        "It fits already." if found.fits else "No single change helps."]})
    tables = []
    if found.suggestions:
        tables.append(_table("Suggestions", "suggestion", [
            _column("it would fit, if you", width=420), _column("kind", group=True, width=150),
            _column("subject", group=True, width=220), _column("nodes that would take it", "bar", width=170),
            _column("the first", width=220), _column("as an edit", width=320)],
            [[f"{one.text} {one.others}".strip(), one.kind, one.subject, one.nodes, one.node, one.edit]
             for one in found.suggestions]))
    if found.nearest:
        tables.append(_table("Nearest nodes", "rejection", [
            _column("node", group=True, width=240), *places.columns,
            _column("plugin", group=True, width=190), _column("reason", "why", width=330),
            _column("facts", "fact", width=420)],
            [[node.node, *places.of(node.node), lack.plugin, ", ".join(lack.reasons) or NO_REASON,
              "; ".join(filter(None, map(fact_text, lack.facts)))]
             for node in found.nearest for lack in node.lacks]))
    return _page("why", found.pod.key, "good" if found.fits and found.gate is None else "bad",
                 found.headline.removeprefix(f"{found.pod.key}: "), notes, cards, tables)


def _best(found: Why) -> list[Suggestion]:
    """Returns the first suggestions of each kind, so that no kind hides another."""
    seen: Counter[str] = Counter()
    best = []
    for one in found.suggestions:
        seen[one.kind] += 1
        if seen[one.kind] <= _MOST_ALIKE:
            best.append(one)
    return best


@checks_arguments
def drain_html(found: Drain, cluster: View | None = None, *, notes: Sequence[str] = ()) -> str:
    """Returns a page about a drain: what becomes of each pod, and where they go.

    The parameters are those of `capacity_html`.
    """
    places = _Places(cluster)
    cards = [_counts("Pods", found.outcomes, DRAINED)]
    to = Counter(one.to_node for one in found.pods if one.outcome == "moved")
    why = Counter((one.plugin or one.outcome, one.text) for one in found.pods
                  if one.text and not one)
    if why:
        cards.append(_reasons("What is in the way", [(count, *key) for key, count in why.most_common()]))
    budgets = Counter(one.budget for one in found.pods if one.budget)
    if budgets:
        cards.append({"title": "Budgets that block", "bars": _bars(budgets, "bad", (0, 6))})
    if to:
        cards.append({"title": "Where they go", "bars": _bars(to, "good", (0, 3)), "wide": True})
        cards += places.cards(to, None)
    pods = [[one.pod.key, one.outcome, one.from_node, one.to_node, one.text, one.plugin, one.budget]
            for one in found.pods]
    of_node: dict[str, Counter[str]] = {name: Counter() for name in found.nodes}
    for one in found.pods:
        of_node[one.from_node][one.outcome] += 1
    shown = [outcome for outcome in DRAINED if found.outcomes[outcome]]
    tables = [
        _table("Pods", "pod", [
            _column("pod", width=280), _column("outcome", "tag", group=True, width=120),
            _column("from", group=True, width=180), _column("to", group=True, width=200),
            _column("why", "why", width=360), _column("plugin", group=True, width=160),
            _column("budget", group=True, width=160)], pods),
        _table("Drained nodes", "node", [
            _column("node", width=240), _column("pods", "bar", width=120, sum=True), *places.columns,
            *(_column(outcome, "number", width=110, sum=True) for outcome in shown)],
            [[name, counts.total(), *places.of(name), *(counts[outcome] for outcome in shown)]
             for name, counts in of_node.items()])]
    if to:
        tables.append(_table("Targets", "node", [
            _column("node", width=240), _column("pods", "bar", width=120, sum=True), *places.columns],
            [[name, count, *places.of(name)] for name, count in _explain.ranked(to)]))
    return _page("drain", ", ".join(found.nodes[:3]) + (
        f" and {len(found.nodes) - 3:,} more" if len(found.nodes) > 3 else ""),
        "good" if found else "bad", found.headline, notes, cards, tables, {"kept": "note"})


@checks_arguments
def schedule_html(placements: Iterable[Placement], cluster: View | None = None, *,
                  before: Mapping[str, Use] | None = None, after: Mapping[str, Use] | None = None,
                  notes: Sequence[str] = (), title: str = "placements") -> str:
    """Returns a page about placements: where each pod goes, and how full the cluster is afterwards.

    Parameters
    ----------
    placements : iterable of Placement
        As `libsched.schedule` returns them.
    before, after : mapping of str to Use, optional
        The use of each resource, as `libsched.utilisation.use` sums it up.
    cluster, notes
        As for `capacity_html`.
    title : str
    """
    places = _Places(cluster)
    listed = list(placements)
    outcomes: Counter[str] = Counter()
    nodes: Counter[str] = Counter()
    why: Counter[tuple[str, str]] = Counter()
    for one in listed:
        outcomes[one.outcome] += one.count
        if one.outcome in ("placed", "bound"):
            nodes[one.node] += one.count
        elif one.text and not one:
            why[one.plugin or one.outcome, one.text] += one.count
    profiles = {one.profile for one in listed if one.profile}
    several = any(one.count > 1 for one in listed)
    cards = [_counts("Pods", outcomes, PLACED)]
    if before and after:
        cards.append({"title": "Requested", "wide": True, "uses": [
            {"name": name, "before": before[name].share if name in before else 0.0,
             "after": use.share, "text": _use_text(name, before.get(name, Use(0, 0)), use)}
            for name, use in after.items() if use.requested or name in ("cpu", "memory")]})
    if why:
        cards.append(_reasons("Why pods have no node",
                              [(count, *key) for key, count in why.most_common()]))
    if nodes:
        cards += places.cards(nodes, None)
    tables = [_table("Pods", "pod", [
        _column("pod", width=300), _column("outcome", "tag", group=True, width=140),
        _column("count", "number", width=90, sum=True), _column("node", group=True, width=220),
        _column("score", "number", width=90), _column("nodes that fit", "number", width=130),
        _column("why", "why", width=360), _column("plugin", group=True, width=150),
        _column("profile", group=True, width=150)],
        [[one.pod.key, one.outcome, one.count if several else None, one.node, one.score,
          one.feasible if one.outcome in ("placed", "unschedulable") else None, one.text, one.plugin,
          one.profile if len(profiles) > 1 else ""] for one in listed])]
    if nodes:
        tables.append(_table("Nodes", "node", [
            _column("node", width=240), _column("pods", "bar", width=120, sum=True), *places.columns],
            [[name, count, *places.of(name)] for name, count in _explain.ranked(nodes)]))
    failed = sum(count for outcome, count in outcomes.items()
                 if outcome in ("unschedulable", "gated", "refused", "error"))
    placed = outcomes["placed"] + outcomes["bound"]
    return _page("schedule", title, "bad" if failed else "good",
                 f"{placed:,} of {placed + failed:,} placed", notes, cards, tables)


@checks_arguments
def compare_html(found: Comparison, cluster: View | None = None, *,
                 notes: Sequence[str] = (), names: tuple[str, str] = ("before", "after")) -> str:
    """Returns a page about a comparison: where each pod goes on both sides, and how full nodes are.

    Parameters
    ----------
    names : tuple of str
        What the sides are called.
    found, cluster, notes
        As for `capacity_html`.
    """
    places = _Places(cluster)
    sides_of = found.before, found.after
    cards = [_counts("Pods", found.counts, KINDS)]
    cards.append({"title": "Nodes in use", "bars": [
        {"label": name, "value": side.nodes_in_use, "share": side.nodes_in_use / max(1, side.nodes),
         "kind": "plain"} for name, side in zip(names, sides_of, strict=True)]})
    cards.append({"title": f"Requested on used nodes, {names[0]} and {names[1]}", "wide": True, "uses": [
        {"name": name, "before": before.share, "after": after.share, "text": _use_text(name, before, after)}
        for name, (before, after) in found.uses.items() if before.requested or after.requested]})
    lost = Counter((one.after.plugin or one.after.outcome, one.after.text) for one in found.changed
                   if one.after is not None and not one.after.node and one.after.text)
    if lost:
        cards.append(_reasons("Why they have no node after",
                              [(count, *key) for key, count in lost.most_common()]))
    sides = [Counter(side.node for one in found.pods if (side := getattr(one, name)) and side.node)
             for name in ("before", "after")]
    rows = [[one.pod.key, kind_of(one), node_text(one.before), node_text(one.after), one.reason]
            for one in sorted(found.pods, key=lambda one: not one.changed)]
    tables = [_table("Pods", "pod", [
        _column("pod", width=300), _column("change", "tag", group=True, width=120),
        _column(names[0], group=True, width=230), _column(names[1], group=True, width=230),
        _column("why", "why", width=420)], rows)]
    nodes = sorted({*sides[0], *sides[1], *found.before.empty, *found.after.empty},
                   key=lambda name: (-abs(sides[1][name] - sides[0][name]), name))
    if nodes:
        tables.append(_table("Nodes", "node", [
            _column("node", width=240), _column(names[0], "number", width=150, sum=True),
            _column(names[1], "number", width=150, sum=True),
            _column("difference", "number", width=120, sum=True), *places.columns],
            [[name, sides[0][name], sides[1][name], sides[1][name] - sides[0][name],
              *places.of(name)] for name in nodes]))
    changed = len(found.changed)
    return _page("compare", f"{len(found.pods):,} pods", "note" if changed else "good",
                 f"{changed:,} change" + "s" * (changed == 1), notes, cards, tables,
                 {"moved": "note"})


class _Places:
    """The zone and the pool of nodes, where the cluster says so."""

    def __init__(self, cluster: View | None) -> None:
        self._cluster = cluster
        self._labels: list[tuple[str, str]] = []
        if cluster is None:
            return
        zone = next((label for label in _ZONES for info in cluster.nodes.values()
                     if info.node.label(label) is not None), "")
        pool = pool_label(cluster)
        kind = "instance type" if pool == POOL_LABELS[-1] else "pool"
        self._labels = [pair for pair in (("zone", zone), (kind, pool)) if pair[1]]

    @property
    def columns(self) -> list[dict[str, Any]]:
        return [_column(title, group=True, width=150) for title, _ in self._labels]

    def of(self, name: str) -> list[str]:
        if self._cluster is None or name not in self._cluster.nodes:
            return [""] * len(self._labels)
        node = self._cluster.nodes[name].node
        return [node.label(label) or "" for _, label in self._labels]

    def cards(self, counts: Mapping[str, int], table: int | None) -> list[dict[str, Any]]:
        """Returns a card for each place: the pods there, with a link to the rows of a table."""
        made = []
        for at, (title, _) in enumerate(self._labels):
            found: Counter[str] = Counter()
            for name, count in counts.items():
                found[self.of(name)[at]] += count
            made.append({"title": f"By {title}", "bars": _bars(
                found, "good", None if table is None else (table, 2 + at))})
        return made


def _bars(counts: Mapping[str, int], kind: str, rows: tuple[int, int] | None) -> list[dict[str, Any]]:
    """Returns the largest counts as bars; `rows` is the table and the column that hold the names."""
    ranked = [(name, count) for name, count in _explain.ranked(counts) if count][:_MOST_BARS]
    top = ranked[0][1] if ranked else 1
    return [{"label": name or "none", "value": count, "share": count / top, "kind": kind,
             **({"rows": [*rows, name]} if rows else {})} for name, count in ranked]


def _counts(title: str, counts: Mapping[str, int], order: Sequence[str]) -> dict[str, Any]:
    """Returns a card of outcomes, each with a link to its rows of the first table."""
    total = sum(counts.values())
    return {"title": title, "figure": [f"{total:,}", "in all"], "bars": [
        {"label": name, "value": counts[name], "share": counts[name] / max(1, total),
         "kind": {"good": "good", "bad": "bad"}.get(_PAINT.get(name, ""), "plain"), "rows": [0, 1, name]}
        for name in order if counts.get(name)]}


def _reasons(title: str, counts: Sequence[tuple[int, str, str]]) -> dict[str, Any]:
    top = max((count for count, _, _ in counts), default=1)
    return {"title": title, "wide": True, "bars": [
        {"label": plugin, "text": reason, "value": count, "share": count / top, "kind": "bad"}
        for count, plugin, reason in counts[:_MOST_BARS]]}


def _use_text(resource: str, before: Use, after: Use) -> str:
    requested, allocatable = amounts(resource, after.requested, after.allocatable)
    return f"{before.share:.1%} → {after.share:.1%}, {requested} of {allocatable}"


def _column(title: str, kind: str = "text", *, group: bool = False, width: int = 150,
            sum: bool = False) -> dict[str, Any]:
    return {"title": title, "kind": kind, "group": group, "width": width, "sum": sum}


def _table(name: str, noun: str, columns: list[dict[str, Any]], rows: list[list[Any]]) -> dict[str, Any]:
    """Returns a table without the columns that are empty in every row."""
    kept = [at for at in range(len(columns))
            if at == 0 or any(row[at] not in ("", None) for row in rows)]
    return {"name": name, "noun": noun, "columns": [columns[at] for at in kept],
            "rows": [[row[at] for at in kept] for row in rows], "kept": kept}


def _page(verb: str, title: str, kind: str, headline: str, notes: Sequence[str],
          cards: list[dict[str, Any]], tables: list[dict[str, Any]],
          paint: Mapping[str, str] | None = None) -> str:
    for card in cards:
        for bar in card.get("bars", ()):
            if "rows" in bar:  # columns may have been left out
                table, column, name = bar["rows"]
                kept = tables[table]["kept"]
                if column in kept:
                    bar["rows"] = [table, kept.index(column), name]
                else:
                    del bar["rows"]
    for table in tables:
        del table["kept"]
    return answer_document(f"{title} · libsched {verb}", {
        "verb": f"libsched {verb}", "title": title, "pill": [kind, headline], "notes": list(notes),
        "cards": cards, "tables": tables,
        "paint": {**_PAINT, **(paint or {})}})
