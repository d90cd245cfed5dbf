"""`libsched cel`: does this selector compile, and which devices match it?"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..cel import Answer, Answers, CompileError, compile
from ..errors import InvalidError
from ..objects import Objects
from . import output, reading
from .asking import add_semantics
from .digits import whole
from .terminal import Terminal, table

DESCRIPTION = """\
Compiles a selector of devices (CEL, as in DeviceClasses and ResourceClaims) as Kubernetes does,
and says which devices of ResourceSlices match it, and which operand of its && stands in the way of
the others. Without --slices it only compiles the expression and prints its type."""

EPILOG = """\
exit codes:
  0  some device matches (with --any: the expression has a value for some device); without
     --slices: the expression compiles
  1  no device matches
  2  no answer, such as after bad input

examples:
  libsched cel 'device.driver == "gpu.example.com"'
  kubectl get resourceslices -o json | libsched cel 'device.driver == "gpu.example.com"' --slices -
  libsched cel 'device.attributes["gpu.example.com"].model' --any --slices cluster.json"""

_PAINT = {"yes": "good", "no": "faint", "error": "bad"}
_MOST_ROWS = 40


def add(made: argparse.ArgumentParser) -> None:
    """Which devices match a CEL selector, and why not the others?"""
    made.description, made.epilog = DESCRIPTION, EPILOG
    made.add_argument("expression", metavar="EXPRESSION", help="the selector, over the variable 'device'")
    made.add_argument("--slices", action="append", default=[], metavar="FILE",
                      help="manifests or dumps with ResourceSlices; - is standard input; may be repeated")
    made.add_argument("--any", action="store_true",
                      help="take an expression of any type, and print its values")
    made.add_argument("--cost", action="store_true", help="print what each evaluation costs")
    made.add_argument("--cost-limit", type=whole(1, (1 << 64) - 1, "positive number of at most 64 bits"), default=0, metavar="N",
                      help="where an evaluation ends (default: 1,000,000, as in Kubernetes)")
    made.add_argument("--list-attributes", action="store_true",
                      help="attributes may be lists: feature gate DRAListTypeAttributes")
    add_semantics(made)
    output.add(made, "print a line of JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compiles, asks and prints; returns 0, 1 or 2."""
    if options.slices.count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")
    try:
        program = compile(options.expression, list_attributes=options.list_attributes,
                          any_result=options.any, cost_limit=options.cost_limit,
                          semantics=options.semantics)
    except CompileError as error:
        if not options.json:
            raise
        document = {"expression": options.expression, "valid": False, "error": error.message}
        if error.path:
            document.update({"line": error.line, "column": error.column})
        output.print_document(document, options.output)
        return 2
    head: dict[str, Any] = {"expression": options.expression, "valid": True, "type": program.type}
    if not options.slices:
        if options.output == "csv":
            raise InvalidError("-o csv needs --slices")
        if options.json:
            output.print_document(head, options.output)
        else:
            Terminal(sys.stdout).line(program.type)
        return 0
    parts = [(name, reading.read(name, defaults=False, strict=False)) for name in options.slices]
    if not options.json:
        for name, objects in parts:
            reading.tell(name, objects, Terminal(sys.stderr), each_field=False)
    found = program.devices(Objects([objects for _, objects in parts]))
    if not len(found):
        raise InvalidError(f"there are no devices of ResourceSlices in {', '.join(options.slices)}")
    if options.json:
        warnings = [{"file": name, **warning} for name, objects in parts for warning in objects.warnings]
        output.print_document({**head, **found.to_dict(), "warnings": warnings}, options.output)
    elif options.output == "csv":
        output.print_csv([["driver", "pool", "device", "node", "answer", "cost", "why"],
                          *([one.driver, one.pool, one.device, one.node, one.said, one.cost, one.why]
                            for one in found)])
    else:
        _write(found, options)
    return 0 if found.matching or any(one.value for one in found) else 1


def _write(found: Answers, options: argparse.Namespace) -> None:
    out = Terminal(sys.stdout)
    shown = list(found) if options.output == "wide" else list(found)[:_MOST_ROWS]
    lines = table([_row(one, options) for one in shown])
    for one, line in zip(shown, lines, strict=True):
        out.line(out.paint(_PAINT.get(one.said, "note"), line))
    rest = len(found) - len(shown)
    if rest > 0:
        out.line(f"  ... and {rest:,} more (-o wide shows all)")
    out.line(out.paint("strong", found.headline))


def _row(one: Answer, options: argparse.Namespace) -> list[str]:
    cost = [f"cost {one.cost:,}"] if options.cost else []
    return [one.driver, one.pool, one.device, one.node, one.said, *cost, one.why]
