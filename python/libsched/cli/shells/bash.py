"""Completion for bash: a function that needs nothing of the package bash-completion.

Names of files are left to readline, which knows about quotes, tildes and folders.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from ..grammar import Argument, Command

_SCRIPT = """\
# Completion of {program} for bash, made by '{program} completion bash'.
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} before=() prev="" head="" path={program} options=1 words="" word
    ((COMP_CWORD < 2)) || before=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
    # "--option=value" is three words where COMP_WORDBREAKS has the "=", and one where it does not.
    if [[ $cur == --*=* ]]; then
        prev=${{cur%%=*}} head=$prev= cur=${{cur#*=}}
    elif ((COMP_CWORD > 1)); then
        prev=${{COMP_WORDS[COMP_CWORD-1]}}
        if [[ $cur == "=" ]]; then
            cur=""
        elif [[ $prev == "=" ]] && ((COMP_CWORD > 2)); then
            prev=${{COMP_WORDS[COMP_CWORD-2]}}
        fi
    fi
    for word in "${{before[@]}}"; do
        case "$path $word" in
            {paths}) path="$path $word" ;;
            *" --") options=0 prev="" ;;
        esac
    done
    case "$path $prev" in
{values}
        *)
            case "$path" in
{commands}
            esac
            ;;
    esac
    local IFS=$' \\t\\n'
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "$cur")
}}
complete -F {function} {program}
"""


def script(root: Command) -> str:
    """Returns the script for a program."""
    program = root.words[0]
    commands = list(root.walk())
    values: dict[str, list[str]] = {}
    for command in commands:
        for option in command.options:
            if option.value and not option.optional:
                places = values.setdefault(_value(option), [])
                places += [" ".join((*command.words, flag)) for flag in option.flags]
    cases = [f"        {_pattern(places)})\n            {action} ;;" for action, places in values.items()]
    return _SCRIPT.format(
        program=program, function="_" + program.replace("-", "_"),
        paths=_pattern(" ".join(one.words) for one in commands[1:]) or '""', values="\n".join(cases),
        commands="\n".join(_arguments(command) for command in commands))


def _arguments(command: Command) -> str:
    """Returns what completes an argument of a command: options after a dash, else what is positional."""
    flags = [flag for option in command.options for flag in option.flags]
    plain = [one.words[-1] for one in command.commands]
    plain += [choice for one in command.positionals for choice in one.choices]
    lines = [f"                {_pattern([' '.join(command.words)])})",
             "                    if [[ $options == 1 && $cur == -* ]]; then",
             f"                        words={shlex.quote(' '.join(flags))}"]
    lines += ["                    else", f"                        words={shlex.quote(' '.join(plain))}"]
    if any(one.takes_files for one in command.positionals):
        lines.append("                        compopt -o default")
    elif any(one.takes_folders for one in command.positionals):
        lines.append("                        compopt -o dirnames")
    return "\n".join([*lines, "                    fi", "                    ;;"])


def _value(option: Argument) -> str:
    if option.choices:
        return f"words={shlex.quote(' '.join(option.choices))}"
    return ("compopt -o default" if option.takes_files else "compopt -o dirnames" if option.takes_folders
            else ":")


def _pattern(texts: Iterable[str]) -> str:
    return " | ".join(f'"{text}"' for text in texts)
