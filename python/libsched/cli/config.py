"""`libsched config check`: is a KubeSchedulerConfiguration valid, and which plugins does it run?"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..config import Config
from ..errors import Error, FileError
from . import config_releases, configs, output, releases
from .configs import POINTS
from .reading import shown
from .terminal import Terminal, print_json, table

POINTS_WITH_WEIGHT = ("score", "placementScore")


def add(made: argparse.ArgumentParser) -> None:
    """Check a scheduler's configuration."""
    made.description = "Works on files with a KubeSchedulerConfiguration."
    inner = made.add_subparsers(title="commands", dest="config_command", metavar="COMMAND",
                                required=True)
    check = inner.add_parser(
        "check", help="validate, and list the plugins of each extension point",
        description="Prints what kube-scheduler would say about the configuration (exit code 2), "
        "or that it is valid, and the plugins of each extension point as it would run them, with the "
        "weights of scores. Warns of what cannot run here although it is valid, such as extenders whose "
        "certificates are missing. Configurations in the data of a ConfigMap are checked one by one. "
        "With --semantics it tells by release what that release refuses, warns of, or has otherwise than "
        "the first release that takes the configuration; the exit code is then 1 if a release refuses it.")
    check.add_argument("file", metavar="FILE", help="YAML or JSON; - is standard input")
    check.add_argument("--semantics", metavar="RELEASES", default="",
                       help='tell what a release says, or each of a range such as 1.33..1.37')
    check.add_argument("--json", action="store_true",
                       help="print a line of JSON for each configuration")
    check.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Checks a file; returns 0, 2, or with --semantics 1 if a release refuses a configuration."""
    asked = releases.named(options.semantics) if options.semantics else []
    name = shown(options.file)
    try:
        document = configs.document(options.file)
    except FileError:
        raise
    except Error as error:  # it is empty
        return _refused(options, name, "", error, "")
    code = 0
    parts = [(one.place, one.text.encode()) for one in configs.within(document)] or [("", document)]
    for number, (place, text) in enumerate(parts):
        if number and not options.json:
            Terminal(sys.stdout).line()
        where = f"{name}: {place}" if place else name
        code = max(code, config_releases.check(options, where, place, text, asked) if asked
                   else _check(options, where, place, text))
    return code


def _check(options: argparse.Namespace, where: str, place: str, text: bytes) -> int:
    """Checks a configuration, which stands at a place of the file; returns 0 or 2."""
    try:
        config = Config(text)
        described = config.describe()
        unable = list(configs.unable(config))
    except Error as error:
        return _refused(options, where, place, error, configs.hint(error, text))
    if options.json:
        print_json({"valid": True, **({"place": place} if place else {}), **described, "cannotRun": unable})
        return 0
    terminal, errors = Terminal(sys.stdout), Terminal(sys.stderr)
    for warning in described.get("warnings", ()):
        errors.warn(f"{where}: {warning}")
    for entry in unable:
        errors.warn(f'{where}: profile "{entry["profile"]}" cannot run here: {entry["error"]}')
    profiles = described["profiles"]
    terminal.line(f"{terminal.paint('good', 'valid')}: {where}: {output.counted(len(profiles), 'profile')}")
    for number, profile in enumerate(profiles):
        if number:
            terminal.line()
        terminal.line(f"profile {terminal.paint('strong', profile['schedulerName'])}")
        for line in profile_lines(profile):
            terminal.line(line)
    return 0


def _refused(options: argparse.Namespace, where: str, place: str, error: Error, hint: str) -> int:
    if options.json:
        print_json({"valid": False, **({"place": place} if place else {}), "error": error.message,
                    "path": error.path, **({"hint": hint} if hint else {})})
    else:
        Terminal(sys.stderr).line(f"{where}: {error}" + (f"; {hint}" if hint else ""))
    return 2


def profile_lines(profile: dict[str, Any]) -> list[str]:
    """Formats a table of extension points, plugins in their order, and weights."""
    rows = []
    for point in POINTS:
        for number, plugin in enumerate(profile["plugins"].get(point, ())):
            weight = str(plugin.get("weight", "")) if point in POINTS_WITH_WEIGHT else ""
            rows.append([point if number == 0 else "", plugin["name"], weight])
    return table(rows, right=(2,))
