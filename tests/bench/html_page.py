"""The result as a page: a single file with plots, tables, the machine and the gates, and without a script.

It is made of the JSON alone, so a recorded run gives the same page again.
"""

import html
import pathlib

import headlines
import sections
import svg_plots
import table
from rows_by_size import KINDS

_STYLE = pathlib.Path(__file__).with_name("page.css")
_SIDES = (("limit", "limit kernel"), ("libsched", "libsched"), ("upstream", "upstream"))
# Of the plots: a heading, a sentence, and per plot the question and, for the filters, the kinds.
_PLOTS = (
    ("Filters, one pod against every node",
     "PreFilter and all Filter plugins on each node, for a plain pod and for pods with constraints; "
     "the limit is a hand-written kernel that does only the arithmetic.", ("filter",)),
    ("Other questions",
     "Scores included; the search for a first node when there is none; and what-ifs in a fork that is reverted.",
     ("evaluate", "nothing fits", "fork, schedule, revert", "fork, add node, check, revert")),
)
_PLOT_TITLES = {"filter": "", "evaluate": "whole evaluation", "nothing fits": "first fit, nothing fits",
                "fork, schedule, revert": "fork, place a pod, revert",
                "fork, add node, check, revert": "fork, add a node, check, revert"}


def value(number, unit="ns"):
    """A figure with its unit, or a dash."""
    return table.value(number, unit).replace(" us", " µs") if number is not None else "–"


def ratio(number):
    """How many times, or a dash."""
    return "–" if number is None else f"{number:,.0f}×" if number >= 10 else f"{number:.1f}×" if number >= 2 else f"{number:.2f}×"


def _tick(number):
    """A power of ten, as short as possible."""
    return value(number).replace(".00", "").replace(".0 ", " ")


def _count(nodes):
    return f"{nodes // 1000}k" if nodes >= 1000 and nodes % 1000 == 0 else f"{nodes:,}"


def _slug(text):
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")


def _tiles(result):
    """The figures to remember."""
    gates = [gate for row in result["rows"] for gate in row["gates"]]
    out = []
    if gates:
        met = sum(gate["met"] for gate in gates)
        out.append(("good" if met == len(gates) else "bad", "gates met", f"{met} of {len(gates)}",
                    "all of them" if met == len(gates) else f"{len(gates) - met} missed"))
    out += [_tile(headline.tile, row) for headline, row in headlines.found(result) if headline.tile]
    return "".join(f'<div class="tile {kind}"><dt>{html.escape(title)}</dt><dd>{html.escape(text)}'
                   f"<small>{html.escape(note)}</small></dd></div>" for kind, title, text, note in out)


def _tile(title, row):
    notes = [f"{ratio(row['over_upstream'])} faster than upstream"] if row["over_upstream"] else []
    if row["to_limit"]:
        notes.append(f"{ratio(row['to_limit'])} the limit")
    return "", title, value(row["libsched"]["min"], row["unit"]), ", ".join(notes)


def ratio_bars(result):
    """How much faster than upstream the headlines are."""
    items = [(headline.label, row["over_upstream"],
              f"{value(row['libsched']['min'], row['unit'])} for {value(row['upstream'], row['unit'])}")
             for headline, row in headlines.found(result) if row["over_upstream"]]
    return svg_plots.bars(items, ratio)


def legend(strips=False):
    mark = '<path class="mark limit" d="M12 1V11"/>' if strips else '<path class="line limit" d="M0 6H24"/>'
    shapes = {"limit": mark, "libsched": '<circle class="dot libsched" cx="12" cy="6" r="4.5"/>',
              "upstream": '<circle class="dot upstream" cx="12" cy="6" r="4.5"/>'}
    return '<ul class="legend">' + "".join(
        f'<li><svg viewBox="0 0 24 12" aria-hidden="true">{shapes[kind]}</svg>{label}</li>'
        for kind, label in _SIDES) + "</ul>"


def _points(result, question, kind, side):
    found = [(row["plot"]["nodes"], row["libsched"]["min"] if side == "libsched" else row[side])
             for row in result["rows"]
             if row.get("plot") and row["plot"]["question"] == question and row["plot"]["kind"] == kind]
    return sorted((nodes, number) for nodes, number in found if number)


def size_plots(result):
    out = []
    for title, text, questions in _PLOTS:
        figures = []
        for question in questions:
            for kind, kind_title in KINDS.items():
                series = [(side, side, _points(result, question, kind, side)) for side, _ in _SIDES]
                name = _PLOT_TITLES[question]
                several = question in ("evaluate", "nothing fits")
                shown = f"{name}, {kind_title}" if name and several else name or kind_title
                figures.append(svg_plots.lines(shown, series, _tick, _count))
        figures = [figure for figure in figures if figure]
        if figures:
            out.append(f"<h3>{html.escape(title)}</h3><p class=\"soft\">{html.escape(text)}</p>"
                       f'<div class="plots">{"".join(figures)}</div>')
    return "".join(out)


def _cell(text, label, kind=""):
    empty = " empty" if text == "–" else ""
    return f'<td class="{kind}{empty}" data-label="{html.escape(label)}">{text}</td>'


def _table(rows):
    unit = rows[0]["unit"]
    numbers = [number for row in rows for number in (row["limit"], row["libsched"]["min"], row["upstream"])
               if number and row["unit"] == unit]
    strips = svg_plots.Strips(numbers) if numbers else None
    has = {side: any(row[side] is not None for row in rows) for side in ("limit", "upstream")}
    gated = any(row["gates"] for row in rows)
    columns = [("name", ""), ("number", "limit"), ("number", "libsched"), ("number", "median"), ("number", "upstream"),
               ("number", "of limit"), ("number", "faster")]
    left_out = {"limit": not has["limit"], "of limit": not has["limit"], "upstream": not has["upstream"],
                "faster": not has["upstream"]}
    head = [f'<th class="{kind}">{title}</th>' for kind, title in columns if not left_out.get(title)]
    head.append(f'<th class="strips">{strips.axis(lambda number: _axis(number, unit)) if strips else ""}</th>')
    if gated:
        head.append('<th class="gates">gates</th>')
    body = []
    for row in rows:
        low = row["libsched"]["min"]
        note = row["notes"].get("text")
        small = f"<small>{html.escape(note)}</small>" if note else ""
        cells = [f"<td>{html.escape(row['name'])}{small}</td>"]
        if has["limit"]:
            cells.append(_cell(value(row["limit"], row["unit"]), "limit"))
        cells += [_cell(value(low, row["unit"]), "libsched", "own"),
                  _cell(value(row["libsched"]["median"], row["unit"]), "median", "median")]
        if has["upstream"]:
            cells.append(_cell(value(row["upstream"], row["unit"]), "upstream"))
        if has["limit"]:
            cells.append(_cell(ratio(row["to_limit"]), "of limit"))
        if has["upstream"]:
            cells.append(_cell(ratio(row["over_upstream"]), "faster than upstream"))
        drawn = strips.strip([("limit", row["limit"]), ("upstream", row["upstream"]), ("libsched", low)],
                             f"libsched {value(low, row['unit'])}") if strips and row["unit"] == unit else ""
        cells.append(f'<td class="strips">{drawn}</td>')
        if gated:
            gates = "".join(f'<span class="gate {"met" if gate["met"] else "missed"}">'
                            f'{"✓" if gate["met"] else "✗"} {html.escape(_gate_text(gate["text"]))}</span>'
                            for gate in row["gates"])
            cells.append(f'<td class="gates{"" if gates else " empty"}">{gates}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _axis(number, unit):
    return value(number, unit).replace(".00", "").replace(".0 ", " ")


def _gate_text(text):
    return (text.replace("<=", "≤").replace(">=", "≥").replace(" x ", "× ").replace(" us", " µs"))


def _machine(result):
    machine, load = result["machine"], result["load_average"]
    peer = result["upstream"]
    facts = [
        ("processor", f"{machine['cpu']}, {machine['cpus']} CPUs ({machine.get('architecture', '')})"),
        ("instruction sets", ", ".join(machine.get("instruction_sets") or []) or "–"),
        ("limit kernels up to", machine["instruction_set"]),
        ("clock", table.clock(machine) or "–"),
        ("caches", ", ".join(f"{name} {size // 1024:,} KiB" for name, size in (machine.get("caches") or {}).items()) or "–"),
        ("memory", f"{machine['memory_gib']} GiB" if machine.get("memory_gib") else "–"),
        ("system", machine.get("system", "–")),
        ("libsched", machine["libsched"]),
        ("upstream", f"Kubernetes {peer['kubernetes']}, {peer['go']}" if isinstance(peer, dict) else str(peer)),
        ("load average", " → ".join(f"{load[when][0]:.1f}" for when in ("before", "after"))),
        ("repetitions", str(result.get("repetitions", "–"))),
    ]
    return '<dl class="facts">' + "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(text))}</dd>" for name, text in facts) + "</dl>"


def page(result):
    """The document."""
    parted = sections.sections(result["rows"])
    plots, ratios = size_plots(result), ratio_bars(result)
    notices = list(result.get("notes") or [])
    if result.get("quick"):
        notices.insert(0, "This was a quick run: its repetitions are short, and its figures are rough.")
    if table.busy(result):
        notices.append("The machine was busy: the figures are higher than on an idle one.")
    parts = [
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>libsched benchmarks</title><style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>",
        "<header><h1>libsched benchmarks</h1>",
        f'<p class="soft">{html.escape(_subtitle(result))}</p>',
        "".join(f'<p class="notice">{html.escape(text)}</p>' for text in notices),
        f'<dl class="tiles">{_tiles(result)}</dl>',
        "<nav>", '<a href="#ratios">Against upstream</a>' if ratios else "",
        '<a href="#sizes">By size of the cluster</a>' if plots else "",
        "".join(f'<a href="#{_slug(title)}">{html.escape(title)}</a>' for title, _ in parted),
        '<a href="#machine">Machine and method</a></nav></header>',
    ]
    if ratios:
        parts.append('<section><h2 id="ratios">How many times faster than upstream</h2>'
                     '<p class="soft">CPU time of upstream\'s framework for the same question on the same cluster, '
                     "divided by libsched's; each grid line is a factor of ten.</p>" + ratios + "</section>")
    if plots:
        parts.append('<section><h2 id="sizes">By size of the cluster</h2>' + legend() + plots + "</section>")
    for title, groups in parted:
        parts.append(f'<section><h2 id="{_slug(title)}">{html.escape(title)}</h2>{legend(strips=True)}')
        for group, rows in groups:
            heading = f"<h3>{html.escape(group[0].upper() + group[1:])}</h3>"
            parts.append((heading if heading[4:-5].lower() != title.lower() else "") + _table(rows))
        parts.append("</section>")
    parts.append('<section><h2 id="machine">Machine and method</h2>' + _machine(result) + (
        "<p>Every figure is CPU time of one thread: the minimum of the repetitions, with their median beside it; where "
        "several pods are judged, the median over the pods. Repetitions of benchmarks take turns; only rates of placing, "
        "RunFilterPlugins, forks and simulated clusters are measured one benchmark after the other. All sides were measured in "
        "one run on this machine. Before anything is timed, the limit kernels and the library must have the same answers. "
        "Upstream's figures include its garbage collection, with one thread for all of Go.</p></section>"))
    parts.append("<footer>Made by <code>make bench</code>.</footer></body></html>\n")
    return "".join(parts)


def _subtitle(result):
    peer = result["upstream"]
    against = f"against the Kubernetes scheduling framework {peer['kubernetes']}" if isinstance(peer, dict) else \
        "without upstream"
    return (f"libsched {result['machine']['libsched']}, {against} and the hardware's limit. {result['machine']['cpu']}, "
            f"{result.get('date', '')}.")
