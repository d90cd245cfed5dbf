#!/usr/bin/env python3
"""Rewrites the short table of figures in README.md from a recorded run; the page about performance has the whole one.

    tests/bench/readme_table.py              from docs/bench.json
    tests/bench/readme_table.py FILE         from another run (run.py --json FILE), which becomes docs/bench.json

The table stands between the markers `<!-- bench -->` and `<!-- /bench -->`; a test compares it with the recorded run.
"""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import headlines  # noqa: E402
import table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = ROOT / "docs" / "bench.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


def _times(number):
    return "" if number is None else f"{number:,.0f} x" if number >= 10 else f"{number:.1f} x"


def _value(row, number):
    return "" if number is None else table.value(number, row["unit"])


def markdown(result, *, short=False):
    """The table, with a sentence about the run before it. The short one has the headlines with a short title alone."""
    machine, peer = result["machine"], result["upstream"]
    against = f", Kubernetes {peer['kubernetes']} with {peer['go']}" if isinstance(peer, dict) else ""
    busy = "; the machine was busy" if table.busy(result) else ""
    how = "; ".join(filter(None, [machine["instruction_set"], table.clock(machine)]))
    lines = [f"CPU time of one thread on {machine['cpu']} ({how}){against}, {result['date']}{busy}:", "",
             "| question | limit | libsched | upstream | faster than upstream |", "|---|--:|--:|--:|--:|"]
    for headline, row in headlines.found(result):
        cells = [headline.tile if short else headline.label, _value(row, row["limit"]),
                 _value(row, row["libsched"]["min"]), _value(row, row["upstream"]), _times(row["over_upstream"])]
        if cells[0]:
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def replaced(text, result):
    """A README's text with the short table of a run. Raises ValueError if the markers are missing."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ValueError(f"README.md needs one {BEGIN} and one {END} behind it")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{markdown(result, short=True)}\n{END}{rest.split(END)[1]}"


def main(arguments):
    if len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        source = pathlib.Path(arguments[0]) if arguments else RECORDED
        result = json.loads(source.read_text(encoding="utf-8"))
        if result["quick"]:
            raise ValueError(f"{source} is a quick run")
        README.write_text(replaced(README.read_text(encoding="utf-8"), result), encoding="utf-8")
        if source.resolve() != RECORDED:
            shutil.copyfile(source, RECORDED)
    except (OSError, ValueError, KeyError) as error:
        print(f"tests/bench/readme_table.py: {error!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
