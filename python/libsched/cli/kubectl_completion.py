"""`kubectl libsched <TAB>`: kubectl asks the program `kubectl_complete-libsched` on PATH.

It is called with the words after `kubectl libsched`, the last of them the one that is completed, and prints candidates, each
on a line with a tab and a description, and at the end a colon with a number for the shell: 4 if no file names are
wanted, 0 if they are.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence

from . import grammar
from .ending import ended
from .kubectl import ALLOW_MISSING, NAMESPACE, OF_KUBECTL, VERBS

_FILES, _NO_FILES = 0, 4
_TIMEOUT = 3  # seconds: a cluster that does not answer must not stop the typing
_HANDED_ON = "handed on to kubectl"
_ALLOWS = "answer without the kinds that cannot be listed"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the candidates for the last word."""
    words = list(sys.argv[1:] if arguments is None else arguments) or [""]
    return ended(lambda: _print(words))


def _print(words: Sequence[str]) -> int:
    candidates, directive = complete(words)
    for word, description in candidates:
        if word.startswith(words[-1]):
            print(f"{word}\t{description}" if description else word)
    print(f":{directive}")
    return 0


def complete(words: Sequence[str]) -> tuple[list[tuple[str, str]], int]:
    """Returns the candidates for the last of the words with their descriptions, and the number for the shell."""
    before, word = list(words[:-1]), words[-1]
    previous = before[-1] if before else ""
    options = _cluster_options(before)
    if previous in NAMESPACE:
        return _plain(_kubectl([*options, "get", "namespaces", "-o", "name"], "namespace/")), _NO_FILES
    if previous == "--context":
        return _plain(_kubectl(["config", "get-contexts", "-o", "name"])), _NO_FILES
    if previous in OF_KUBECTL:
        return [], _FILES if previous == "--kubeconfig" else _NO_FILES

    commands = _commands()
    verb = next((one for one in before if one in commands), None)
    if verb is None:
        if word.startswith("-"):
            return _plain((*OF_KUBECTL, *NAMESPACE), _HANDED_ON), _NO_FILES
        return [(name, command.summary) for name, command in commands.items()], _NO_FILES

    command = commands[verb]
    asked = next((one for one in command.options if previous in one.flags and one.value), None)
    if asked is not None:
        if asked.choices:
            return _plain(asked.choices), _NO_FILES
        return [], _FILES if asked.takes_files or asked.takes_folders else _NO_FILES
    if word.startswith("-"):
        own = [(flag, one.brief) for one in command.options for flag in one.flags if flag.startswith("--")]
        return own + _plain((*OF_KUBECTL, *NAMESPACE), _HANDED_ON) + [(ALLOW_MISSING, _ALLOWS)], _NO_FILES
    if verb == "why":
        space = _after(before, NAMESPACE)
        return _plain(_kubectl([*options, *(["-n", space] if space else []), "get", "pods", "-o", "name"])), _FILES
    if verb == "drain":
        return _plain(_kubectl([*options, "get", "nodes", "-o", "name"], "node/")), _NO_FILES
    return [], _FILES


def _plain(words: Iterable[str], description: str = "") -> list[tuple[str, str]]:
    return [(word, description) for word in words]


def _commands() -> dict[str, grammar.Command]:
    """Returns the commands that work with kubectl, by name."""
    from . import own_parser
    return {command.words[-1]: command for command in grammar.of(own_parser()).commands
            if command.words[-1] in VERBS}


def _after(words: Sequence[str], names: Sequence[str]) -> str:
    """Returns the value that follows the last of some options, or ""."""
    found = ""
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            found = value if equals else words[i + 1] if i + 1 < len(words) else ""
    return found


def _cluster_options(words: Sequence[str]) -> list[str]:
    """Returns the options that choose a cluster, as far as they are typed."""
    values = {name: _after(words, (name,)) for name in OF_KUBECTL}
    return [word for name, value in values.items() if value for word in (name, value)]


def _kubectl(arguments: Sequence[str], prefix: str = "") -> list[str]:
    """Returns the lines that kubectl prints, without a prefix; none if it fails."""
    try:
        done = subprocess.run(["kubectl", *arguments], capture_output=True, check=False, timeout=_TIMEOUT,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.decode(errors="replace").split() if done.returncode == 0 else []
    return [line.removeprefix(prefix) for line in lines]
