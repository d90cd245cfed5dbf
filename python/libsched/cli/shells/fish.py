"""Completion for fish: one line of `complete` for each option and argument."""

from __future__ import annotations

from ..grammar import Argument, Command

_BEGIN = """\
# Completion of {program} for fish, made by '{program} completion fish'.

# Succeeds if the words before the cursor that are no options begin with these; with --all, if they are these.
function __{name}_at
    set -l all 0
    if test "$argv[1]" = --all
        set all 1
        set -e argv[1]
    end
    set -l words (commandline -opc)
    set -e words[1]
    set -l plain (string match --invert -- '-*' $words)
    set -l wanted (count $argv)
    if test (count $plain) -lt $wanted; or test $all = 1 -a (count $plain) -ne $wanted
        return 1
    end
    test $wanted = 0; or test "$plain[1..$wanted]" = "$argv"
end

complete -c {program} -f
"""


def script(root: Command) -> str:
    """Returns the script for a program."""
    program = root.words[0]
    name = program.replace("-", "_")
    lines = [_BEGIN.format(program=program, name=name)]
    for command in root.walk():
        # The options and commands of a command with further ones are gone after one of these.
        at = " ".join([f"__{name}_at", *(["--all"] if command.commands else []), *command.words[1:]])
        start = f"complete -c {program} -n {_quoted(at)}"
        lines += [f"{start} -a {one.words[-1]} -d {_quoted(one.summary)}" for one in command.commands]
        lines += [f"{start}{_flags(one)}{_value(one)} -d {_quoted(one.brief)}" for one in command.options]
        lines += [f"{start}{_positional(one)}" for one in command.positionals if _positional(one)]
    return "\n".join(lines) + "\n"


def _flags(option: Argument) -> str:
    return "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)


def _value(option: Argument) -> str:
    if not option.value or option.optional:
        return ""
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    if option.takes_folders:
        return " -x -a '(__fish_complete_directories)'"
    return " -r -F" if option.takes_files else " -x"


def _positional(one: Argument) -> str:
    if one.choices:
        return f" -a {_quoted(' '.join(one.choices))}"
    if one.takes_folders:
        return " -a '(__fish_complete_directories)'"
    return " -F" if one.takes_files else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
