"""`libsched config check`: is a KubeSchedulerConfiguration valid, and which plugins does it run?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from ..config import MOST_BYTES, Config, nonempty, read_file
from ..errors import Error, FileError
from ..framework import Framework
from .reading import not_text
from .terminal import Terminal, print_json, table

POINTS = ("preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score",
          "reserve", "permit", "preBind", "bind", "postBind", "placementGenerate",
          "placementScore")
POINTS_WITH_WEIGHT = ("score", "placementScore")


def add(made: argparse.ArgumentParser) -> None:
    """Check a scheduler's configuration."""
    made.description = "Works on files with a KubeSchedulerConfiguration."
    inner = made.add_subparsers(title="commands", dest="config_command", metavar="COMMAND",
                                required=True)
    check = inner.add_parser(
        "check", help="validate, and list the plugins of each extension point",
        description="Prints what kube-scheduler would say about the configuration (exit code 2), "
        "or the plugins of each extension point as it would run them, with the weights of scores. "
        "Warns of what cannot run here although it is valid, such as extenders whose certificates "
        "are missing.")
    check.add_argument("file", metavar="FILE", help="YAML or JSON; - is standard input")
    check.add_argument("--json", action="store_true", help="print JSON")
    check.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Checks a file; returns 0 or 2."""
    name = "standard input" if options.file == "-" else options.file
    document = b""
    try:
        document = _document(options.file)
        config = Config(document)
        described = config.describe()
        unable = list(_unable(config))
    except Error as error:
        if isinstance(error, FileError):
            raise
        hint = not_text(document)
        if options.json:
            print_json({"valid": False, "error": error.message, "path": error.path,
                        **({"hint": hint} if hint else {})})
        else:
            Terminal(sys.stderr).line(f"{name}: {error}" + (f"; {hint}" if hint else ""))
        return 2
    if options.json:
        print_json({"valid": True, **described, "cannotRun": unable})
        return 0
    terminal = Terminal(sys.stdout)
    for warning in described.get("warnings", ()):
        Terminal(sys.stderr).warn(f"{name}: {warning}")
    for entry in unable:
        Terminal(sys.stderr).warn(f'{name}: profile "{entry["profile"]}" cannot run here: '
                                  f'{entry["error"]}')
    for number, profile in enumerate(described["profiles"]):
        if number:
            terminal.line()
        terminal.line(f"profile {terminal.paint('strong', profile['schedulerName'])}")
        for line in profile_lines(profile):
            terminal.line(line)
    return 0


def _unable(config: Config) -> Iterator[dict[str, str]]:
    """Yields the profiles that are valid but that this version cannot run, with the reason."""
    for profile in config.profiles:
        try:
            Framework(config, profile=profile)
        except Error as error:
            yield {"profile": profile, "error": str(error), "plugin": error.plugin}


def profile_lines(profile: dict[str, Any]) -> list[str]:
    """Formats a table of extension points, plugins in their order, and weights."""
    rows = []
    for point in POINTS:
        for number, plugin in enumerate(profile["plugins"].get(point, ())):
            weight = str(plugin.get("weight", "")) if point in POINTS_WITH_WEIGHT else ""
            rows.append([point if number == 0 else "", plugin["name"], weight])
    return table(rows, right=(2,))


def _document(name: str) -> bytes:
    return nonempty(sys.stdin.buffer.read(MOST_BYTES)) if name == "-" else read_file(name)
