"""`libsched compare`: where do the same pods go under two configurations, or in two states?"""

from __future__ import annotations

import argparse
import copy
import functools
import os

from .._amounts import amounts
from ..compare import KINDS, Comparison, compare, kind_of, node_text
from ..errors import InvalidError
from ..objects import Objects, Pod
from ..report.answers import compare_html
from . import asking, needs, output, releases, upgrade, what_if
from .admission import new_pod
from .candidate import ENDED, Candidate
from .dump import hints
from .placing import judges
from .progress import Progress
from .question import Question, about_input, read_cluster
from .terminal import Terminal, table

DESCRIPTION = """\
Places the pending pods of a dump one after the other on two sides, as kube-scheduler would with
an empty queue, and says of each pod where it goes on both. The sides differ by their configuration
(two --config), by the dump (--after), by the release (--semantics 1.33..1.37), or by the what-if
options, which change the second side. With --all every pod is placed anew, without its nodeName, on
nodes that are empty but for static pods: by priority, the highest first, then by creation. Pods are
never preempted, and nodes never sampled.

A range of releases compares where pods go in its first and its last, and from each release to the
next what the plugins make of each pod on the cluster as it is: verdicts, reasons and scores, and the
differences of the page "Releases" that may be behind them."""

EPILOG = """\
exit codes:
  0  every pod goes to the same node on both sides, or to none
  1  some pod does not
  2  no answer, such as after bad input

examples:
  libsched compare cluster.json --config old.yaml --config new.yaml
  libsched compare cluster.json --add-node gpu-1=3
  libsched compare monday.json --after tuesday.json --all -o csv
  libsched compare cluster.json --all --semantics 1.33..1.37"""

_PAINT = {"stay": "faint", "moved": "note", "gained": "good", "lost": "bad", "wait": "faint",
          "new": "note", "gone": "note"}
_MOST_ROWS = 40
_MOST_EMPTY = 12


def add(made: argparse.ArgumentParser) -> None:
    """Where do pods go on two sides?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("cluster", nargs="+", metavar="CLUSTER",
                      help=f"{asking.CLUSTER_HELP}; several are merged")
    made.add_argument("--after", action="append", default=[], metavar="FILE",
                      help="the dump of the second side (default: CLUSTER); may be repeated")
    made.add_argument("--all", action="store_true",
                      help="place all pods anew instead of only the pending ones")
    asking.add_choice(made)
    output.add(made, "print a line of JSON")
    output.add_page(made)
    asking.add_claims(made)
    asking.add_judging(made, configs=2)
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compares the sides; returns 0, 1 or 2."""
    edits: list[str] = options.edits
    options.edits = []  # they are for the second side
    configs = options.config or []
    if len(configs) > 2:
        raise InvalidError("--config is given more than twice; there are two sides")
    wanted = options.semantics
    span = releases.named(wanted) if ".." in wanted else []
    if not edits and not options.after and len(configs) < 2 and len(span) < 2:
        raise InvalidError("the two sides are the same; give a second --config, --after, a range of "
                           "--semantics or a what-if option")
    if [*options.cluster, *options.after].count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")
    options.among = span
    other = copy.copy(options)
    options.semantics, other.semantics = (span[0], span[-1]) if span else (wanted, wanted)
    first = read_cluster(options)
    second = first
    if options.after:
        other.cluster = options.after
        second = read_cluster(other)
    elif not span:
        other.semantics = options.semantics
    pods, pods_after = _pending(first.parts), _pending(second.parts)
    cluster = second.cluster.clone() if edits and second is first else second.cluster
    new = functools.partial(new_pod, cluster) if options.defaults else Candidate
    left, notes = what_if.apply(edits, cluster, second.parts, [Candidate(pod) for pod in pods_after],
                                pending=True, new=new)
    pods_after = [one.pod for one in left]
    sides = []
    for number, (asked, where) in enumerate(((pods, first.cluster), (pods_after, cluster))):
        chosen = copy.copy((options, other)[number])
        chosen.config = (configs[min(number, len(configs) - 1)] if configs else None)
        judged = [*asked, *(where.pods.values() if options.all else ())]
        needs.check(options, where, judged)
        sides.append(judges(asking.Profiles(chosen), judged, notes))
    with Progress("placing pods"):
        found = compare(first.cluster, cluster, pods, sides[0][0], sides[1][0],
                        claims_from_templates=options.claims, pods_after=pods_after, all=options.all, other_profile=sides[0][1],
                        other_profile_after=sides[1][1], ties=options.ties, seed=options.seed)
    notes = list(dict.fromkeys([*notes, *hints(first, (one.reason for one in found.pods))]))
    names = _names(options, configs, edits, span)
    changed: upgrade.Changes = {}
    if len(span) > 1:
        options.config = configs[0] if configs else None
        running = first.cluster.pods.values() if options.all else ()
        changed = upgrade.changes(options, span, first.cluster, [*running, *pods], notes)

    def write(out: Terminal) -> None:
        _write(out, found, names, options.output == "wide")
        if len(span) > 1:
            out.line()
            upgrade.write(out, changed, options.output == "wide")

    output.answer(
        options, notes, text=write,
        page=lambda: compare_html(found, cluster, notes=notes, names=names),
        document=lambda: {**({"edits": edits} if edits else {}), "sides": list(names), **found.to_dict(),
                          **({"releases": span, "changes": upgrade.plain(changed)} if len(span) > 1 else {}),
                          "notes": notes, **about_input(first)},
        rows=lambda: [["pod", "change", "before", "after", "reason"],
                      *([one.pod.key, kind_of(one), node_text(one.before),
                         node_text(one.after), one.reason] for one in found.pods)])
    return 1 if found.changed else 0


def _names(options: argparse.Namespace, configs: list[str], edits: list[str], span: list[str]) -> tuple[str, str]:
    """Returns what the sides are called: by what they differ in."""
    before, after = [], []
    if len(span) > 1:
        before.append(span[0])
        after.append(span[-1])
    if len(configs) == 2:
        before.append(os.path.basename(configs[0]))
        after.append(os.path.basename(configs[1]))
    if options.after:
        before.append(os.path.basename(options.cluster[0]))
        after.append(os.path.basename(options.after[0]))
    if edits:
        after.append(", ".join(edits) if len(edits) < 3 else f"{edits[0]} and {len(edits) - 1} more edits")
    names = ", ".join(before) or "as it is", ", ".join(after)
    return names if names[0] != names[1] else (f"{names[0]} (before)", f"{names[1]} (after)")


def _pending(parts: list[tuple[str, Objects]]) -> list[Pod]:
    pods = {pod.key: pod for _, objects in parts for pod in objects.pods}
    return [pod for pod in pods.values() if not pod.node_name and pod.phase not in ENDED]


def _write(out: Terminal, found: Comparison, names: tuple[str, str], wide: bool) -> None:
    shown = list(found.pods) if wide else found.changed[:_MOST_ROWS]
    head, *lines = table([["pod", "", *names, ""] if shown else [],
                          *([one.pod.key, kind_of(one), node_text(one.before), node_text(one.after), one.reason]
                            for one in shown)])
    if shown:
        out.line(out.paint("faint", head))
    for one, line in zip(shown, lines, strict=True):
        out.line(out.paint(_PAINT[kind_of(one)], line))
    rest = len(found.changed) - len(shown)
    if rest > 0:
        out.line(f"  ... and {rest:,} more that changed (-o wide shows all)")
    counts = found.counts
    told = [out.paint(_PAINT[kind], f"{counts[kind]:,} {kind}") for kind in KINDS if counts[kind]]
    out.line(", ".join(told) or "no pods")
    _write_use(out, found, names, wide)


def _write_use(out: Terminal, found: Comparison, names: tuple[str, str], wide: bool) -> None:
    """Writes a table of the nodes in use on both sides, and names those that are empty afterwards."""
    sides = found.before, found.after
    rows = [["", *names],
            ["nodes in use", *(f"{side.nodes_in_use:,} of {side.nodes:,}" for side in sides)]]
    for resource, uses in found.uses.items():
        if any(use.requested for use in uses):
            rows.append([f"{resource} of used nodes", *(
                f"{use.share:.1%} ({' of '.join(amounts(resource, use.requested, use.allocatable))})" for use in uses)])
    head, *lines = table(rows, right=(1, 2))
    out.line(out.paint("faint", head))
    for line in lines:
        out.line(line)
    for name, side, other in zip(names, sides, reversed(sides), strict=True):
        new = [node for node in side.empty if node not in other.empty]
        if new:
            shown = new if wide else new[:_MOST_EMPTY]
            more = f" and {len(new) - len(shown):,} more" if len(shown) < len(new) else ""
            out.line(f"  empty with {name} alone: {', '.join(shown)}{more}")
