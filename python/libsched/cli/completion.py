"""`libsched completion`: scripts that let a shell complete commands, options and values."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from . import grammar, verbs
from .shells import bash, fish, zsh
from .terminal import print_line

DESCRIPTION = """\
Prints a script for a shell, after which Tab completes the commands of libsched, their options, the
values of an option, and names of files. Commands of other packages that are installed now are part of
it. It goes on standard output; to use it at once, or in every new shell:"""

EPILOG = """\
examples:
  source <(libsched completion bash)
  libsched completion bash > ~/.local/share/bash-completion/completions/libsched
  source <(libsched completion zsh)               # after compinit
  libsched completion zsh > ~/.zfunc/_libsched    # a folder of $fpath
  libsched completion fish > ~/.config/fish/completions/libsched.fish"""

_SCRIPTS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def verb(whole: Callable[[], argparse.ArgumentParser]) -> verbs.Add:
    """Returns the verb; `whole` makes the parser of the whole command line."""

    def add(made: argparse.ArgumentParser) -> None:
        """Print a completion script for a shell."""
        made.description, made.epilog = DESCRIPTION, EPILOG
        made.add_argument("shell", metavar="SHELL", choices=tuple(_SCRIPTS),
                          help="bash, zsh or fish")
        made.set_defaults(run=run)

    def run(options: argparse.Namespace) -> int:
        script = _SCRIPTS[options.shell](grammar.of(whole()))
        print_line(script.removesuffix("\n").encode("utf-8", "replace"))
        return 0

    return add
