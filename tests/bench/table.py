"""The result as a readable table: one line a row, gates in green and red on a terminal."""

import os
import sys

_NAME = 60
_COLUMNS = (("limit", 10), ("libsched", 10), ("median", 10), ("upstream", 10),
            ("/ limit", 8), ("x upstream", 12))


def _paint(text, code):
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"\033[{code}m{text}\033[0m" if colour else text


def value(number, unit):
    """Formats a figure with its unit and about three digits."""
    if number is None:
        return "-"
    steps = ((1, "B"), (1e3, "kB"), (1e6, "MB")) if unit == "bytes" else \
        ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s"))
    size, name = [step for step in steps if number >= step[0]][-1:][0] if number >= 1 else steps[0]
    scaled = number / size
    return f"{scaled:.{0 if scaled >= 100 else 1 if scaled >= 10 else 2}f} {name}"


def factor(number):
    """A ratio with about three digits."""
    return "-" if number is None else f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _line(row):
    cells = [value(row["limit"], row["unit"]), value(row["libsched"]["min"], row["unit"]),
             value(row["libsched"]["median"], row["unit"]), value(row["upstream"], row["unit"]),
             factor(row["to_limit"]), factor(row["over_upstream"])]
    text = ("  " + row["name"]).ljust(_NAME)
    text += "".join(cell.rjust(width) for cell, (_, width) in zip(cells, _COLUMNS))
    rate = row["notes"].get("pods_per_second")
    if rate:
        text += f"  {rate:,.0f} pods/s"
    for gate in row["gates"]:
        text += "  " + (_paint(f"{gate['text']}: met", "32") if gate["met"]
                        else _paint(f"{gate['text']}: MISSED", "31;1"))
    return text


def busy(result):
    """Whether other programs ran meanwhile; this one makes a load of 1."""
    load = result["load_average"]
    return max(load["before"][0], load["after"][0] - 1) > 0.6 * (result["machine"]["cpus"] or 1)


def clock(machine):
    """How fast the processor's clock was, or "" in older records: absolute figures are read beside it."""
    latency = machine.get("dependent_add_ns")
    return f"a dependent addition takes {latency:.2f} ns" if latency else ""


def show(result):
    machine, load = result["machine"], result["load_average"]
    peer = result["upstream"]
    print(f"libsched {machine['libsched']} on {machine['cpu']}, {machine['cpus']} CPUs, "
          + ", ".join(filter(None, [machine["instruction_set"], clock(machine)])))
    print("upstream: " + (f"Kubernetes {peer['kubernetes']}, {peer['go']}"
                          if isinstance(peer, dict) else peer))
    print("load average " + " -> ".join(f"{load[when][0]:.1f}" for when in ("before", "after")) +
          (_paint("; the machine was busy, figures are too high", "33")
           if busy(result) else ""))
    for note in result.get("notes") or ():
        print(_paint(note, "33"))
    print("one thread: minimum of the repetitions, and their median; with several pods the median "
          "over the pods\n")
    print(_paint(" " * _NAME + "".join(name.rjust(width) for name, width in _COLUMNS), "1"))
    group = None
    for row in result["rows"]:
        if row["group"] != group:
            group = row["group"]
            print(_paint(group, "1"))
        print(_line(row))
    gates = [gate for row in result["rows"] for gate in row["gates"]]
    met = sum(gate["met"] for gate in gates)
    print(_paint(f"\n{met} of {len(gates)} gates met", "32" if result["gates_met"] else "31;1"))
