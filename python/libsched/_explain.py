"""Texts about verdicts, for `FitResult.explain` and for the command line.

Callers choose colours and width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ._facts import fact_text
from .placement import Placement
from .status import NO_REASON, Code
from .verdicts import NodeVerdict, Verdicts

#: Colours a text; the first argument is "good", "bad", "note", "strong" or "faint".
Paint = Callable[[str, str], str]


#: Stands for extenders among plugins.
EXTENDER = "Extender"


def plain(kind: str, text: str) -> str:
    """Returns the text without colour."""
    del kind
    return text


def headline(result: Verdicts, paint: Paint = plain) -> str:
    """Returns a line like ``default/web: fits 3 of 41 nodes``."""
    pod = result.pod.key
    if result.error:
        return f"{pod}: {paint('bad', 'no answer')}: {result.error}"
    gate = result.pre_enqueue
    if gate is not None and not gate.is_success:
        return (f"{pod}: {paint('bad', 'is gated')}: {gate.message or gate.code.label} "
                f"({gate.plugin})")
    count = result.node_count
    nodes = f"{count:,} node{'s' * (count != 1)}"
    if result.nodes:
        return f"{pod}: {paint('good', f'fits {len(result.nodes):,} of {nodes}')}"
    return f"{pod}: {paint('bad', f'fits none of {nodes}')}"


def is_gated(result: Verdicts) -> bool:
    gate = result.pre_enqueue
    return gate is not None and not gate.is_success


def summary(result: Verdicts, paint: Paint = plain, width: int = 100, most_lines: int = 0,
            hint: str = "") -> Iterator[str]:
    """Yields the headline, the nodes that fit, and the number of nodes that each reason excludes.

    Names are arranged in columns. Names beyond `most_lines` lines (0 means no limit) are only
    counted, followed by `hint`.
    """
    yield headline(result, paint)
    if result.error or is_gated(result):
        return
    yield from columns(result.nodes, width, most_lines, hint)
    yield from reasons(result, paint)


def behind(result: Verdicts, paint: Paint = plain, most: int = 5) -> Iterator[str]:
    """Yields what is behind an answer about the pod as a whole: its facts, and those of failed nodes."""
    for fact in result.pod_facts:
        if text := fact_text(fact):
            yield f"  {paint('faint', text)}"
    if not result.error:
        return
    failed = [verdict for verdict in result if verdict.facts and verdict.status.code is Code.ERROR]
    for verdict in failed[:most]:
        for fact in verdict.facts:
            yield f"  {paint('faint', f'{verdict.node}: {fact_text(fact)}')}"
    if len(failed) > most:
        yield f"  ... and on {len(failed) - most:,} more nodes"


def reasons(result: Verdicts, paint: Paint = plain) -> Iterator[str]:
    """Yields the number of nodes that each reason excludes."""
    counts = reason_counts(result)
    if not counts:
        return
    yield "does not fit:"
    digits = max(len(f"{count:,}") for count, _, _ in counts)
    names = max(len(rejector(plugin, reason)) for _, plugin, reason in counts)
    for count, plugin, reason in counts:
        yield f"  {f'{count:,}':>{digits}}  {paint('strong', rejector(plugin, reason).ljust(names))}  {reason}"


def rejector(plugin: str, reason: str) -> str:
    """Returns who rejects a node: a plugin, or extenders, which have none. Several plugins name themselves."""
    return plugin or ("" if reason.startswith("node(s) didn't satisfy plugin(s)") else EXTENDER)


def reason_counts(result: Verdicts) -> list[tuple[int, str, str]]:
    """Returns tuples (number of nodes, plugin, reason), the most frequent first."""
    counts = [(count, plugin, reason)
              for (plugin, reason), count in result.reasons_by_plugin.items()]
    return sorted(counts, key=lambda entry: (-entry[0], entry[1], entry[2]))


def nearest(result: Verdicts) -> dict[tuple[str, str], tuple[str, Mapping[str, Any]]]:
    """Returns for each plugin and reason a node and the fact behind it, if facts were made.

    The node is the one with the most free of the resource that is short, else the first.
    """
    found: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for verdict in result:
        for fact in verdict.facts:
            key = (verdict.status.plugin, str(fact["reason"]))
            if key not in found or _free(fact) > _free(found[key][1]):
                found[key] = (verdict.node, fact)
    return dict(sorted(found.items()))


def _free(fact: Mapping[str, Any]) -> int:
    return int(fact.get("free", 0))


def about_node(result: Verdicts, node: str, paint: Paint = plain) -> Iterator[str]:
    """Yields the verdict on a node, plugin by plugin."""
    verdict = result[node]
    if verdict.fits:
        yield f"{result.pod.key} on {node}: {paint('good', 'fits')}"
    else:
        yield f"{result.pod.key} on {node}: {paint('bad', 'does not fit')}"
    plugins = result.filter_plugins()
    names = max([len(name) for name, _ in plugins] + [len("PreFilter")])
    for name, mark, text in steps(result, verdict):
        kind = {"yes": "good", "no": "bad"}.get(mark, "faint")
        yield f"  {paint(kind, mark.ljust(4))}  {name.ljust(names)}  {text}".rstrip()
        if mark == "no":
            for fact in verdict.facts:
                yield f"{' ' * (names + 10)}{paint('faint', fact_text(fact))}"
    if verdict.fits:
        for fact in verdict.facts:
            yield f"  {paint('faint', fact_text(fact))}"


def steps(result: Verdicts, verdict: NodeVerdict) -> Iterator[tuple[str, str, str]]:
    """Yields (plugin, mark, text) for each Filter plugin on a node, and for extenders if they reject it.

    Marks are "yes", "no", "skip" if PreFilter skipped the plugin, and "-" if the plugin did not run
    because an earlier one rejected the node.
    """
    status = verdict.status
    plugins = result.filter_plugins()
    asked = True
    if verdict.by_pre_filter:
        yield "PreFilter", "no", f"{status.plugin}: {status.message or NO_REASON}"
        asked = False
    for name, skipped in plugins:
        if skipped:
            yield name, "skip", "not concerned by this pod"
        elif not asked:
            yield name, "-", "not asked"
        elif name == status.plugin and not status.is_success:
            yield name, "no", status.message or NO_REASON
            asked = False
        else:
            yield name, "yes", ""
    if asked and not status.is_success and not status.plugin:
        yield EXTENDER, "no", status.message


def ranked(nodes: Mapping[str, int]) -> list[tuple[str, int]]:
    """Returns pairs (name, count), the highest count first, then by name."""
    return sorted(nodes.items(), key=lambda item: (-item[1], item[0]))


def capacity(headline: str, then: Placement | None, verdicts: Verdicts | None,
             nodes: Mapping[str, int], paint: Paint = plain, most: int = 10) -> Iterator[str]:
    """Yields how many pods fit, why the next does not, and the nodes with most of them."""
    yield paint("good" if any(nodes.values()) else "bad", headline)
    if then is not None:
        named = then.outcome == "unschedulable" or then.plugin in then.text
        plugin = "" if named else f" ({then.plugin})"
        yield f"the next is {paint('bad', then.outcome)}: {then.text}{plugin}"
    if verdicts is not None:
        yield from reasons(verdicts, paint)
        for node, fact in nearest(verdicts).values():
            yield f"  {paint('faint', f'nearest: {node}: {fact_text(fact)}')}"
    some = [(name, count) for name, count in ranked(nodes) if count]
    if not some:
        return
    yield f"on {len(some):,} of {len(nodes):,} node{'s' * (len(nodes) != 1)}:"
    digits = len(f"{some[0][1]:,}")
    for name, count in some[:most]:
        yield f"  {f'{count:,}':>{digits}}  {name}"
    if len(some) > most:
        rest = sum(count for _, count in some[most:])
        yield f"  ... and {rest:,} on {len(some) - most:,} more"


def columns(names: list[str], width: int, most_lines: int = 0, hint: str = "") -> Iterator[str]:
    """Yields names in columns, indented."""
    if not names:
        return
    cell = max(len(name) for name in names) + 2
    each = max(1, (width - 2) // cell)
    lines = [names[start:start + each] for start in range(0, len(names), each)]
    shown = lines if not most_lines or len(lines) <= most_lines else lines[:most_lines]
    for line in shown:
        yield ("  " + "".join(name.ljust(cell) for name in line)).rstrip()
    left = len(names) - sum(len(line) for line in shown)
    if left:
        yield f"  ... and {left:,} more" + (f" ({hint})" if hint else "")
