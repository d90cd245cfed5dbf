"""Pages of the command line: what `--help` prints, with an anchor for each command."""

import contextlib
import io
import os

NAME = "command-line"
WIDTH = "96"


def helps():
    """(command, help) of the program and of each of its commands, in the order of `libsched --help`."""
    from libsched import cli
    os.environ["COLUMNS"] = WIDTH
    yield "libsched", _printed(cli, ["--help"])
    for verb in cli.OWN:
        yield f"libsched {verb}", _printed(cli, [verb, "--help"])


def _printed(cli, arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        # Verbs of other packages are left out: they depend on what is installed here.
        listed, cli.verbs.offered = cli.verbs.offered, lambda own: ({}, [])
        try:
            cli.parser(arguments).parse_args(arguments)
        finally:
            cli.verbs.offered = listed
    return out.getvalue()


def pages():
    parts = ["# The command line\n",
             "The exit code is 0 for yes, 1 for no, and 2 for no answer. "
             "[Recipes](../recipes.md) show the commands at work.\n"]
    for command, text in helps():
        parts.append(f"## {command}\n")
        parts.append(f"```text\n{text.rstrip()}\n```\n")
    yield "Command line", "reference/command-line.md", "\n".join(parts)
