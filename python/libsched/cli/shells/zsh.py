"""Completion for zsh, over its own function `_arguments`."""

from __future__ import annotations

from ..grammar import Argument, Command

_END = """
if [[ $funcstack[1] == {function} ]]; then
    {function} "$@"  # zsh has found this file in $fpath
else
    compdef {function} {program}  # the script was sourced
fi
"""


def script(root: Command) -> str:
    """Returns the script for a program; it may lie in a folder of `$fpath` or be sourced."""
    program = root.words[0]
    parts = [f"#compdef {program}\n# Completion of {program} for zsh, made by '{program} completion zsh'.\n"]
    parts += [_function(command) for command in reversed(list(root.walk()))]
    return "\n".join(parts) + _END.format(program=program, function=_name(root))


def _name(command: Command) -> str:
    return "_" + "__".join(word.replace("-", "_") for word in command.words)


def _function(command: Command) -> str:
    specs = [spec for option in command.options for spec in _options(option)]
    specs += [_positional(one) for one in command.positionals]
    if not command.commands:
        lines = [f"{_name(command)}() {{", "    _arguments -s -S \\"]
        return "\n".join([*lines, *(f"        {spec} \\" for spec in specs[:-1]), f"        {specs[-1]}", "}\n"])
    specs += ["'1:command:->command'", "'*::argument:->argument'"]
    listed = [f"                {_quoted(one.words[-1] + ':' + one.summary)}" for one in command.commands]
    cases = [f"                {one.words[-1]}) {_name(one)} && found=0 ;;" for one in command.commands]
    lines = [f"{_name(command)}() {{", "    local curcontext=$curcontext state line found=1",
             "    typeset -A opt_args", "    _arguments -C -s -S \\",
             *(f"        {spec} \\" for spec in specs[:-1]), f"        {specs[-1]} && found=0",
             "    case $state in", "        command)", "            local -a commands=(", *listed, "            )",
             "            _describe -t commands command commands && found=0", "            ;;",
             "        argument)", "            case $words[1] in", *cases, "            esac", "            ;;",
             "    esac", "    return found", "}\n"]
    return "\n".join(lines)


def _options(option: Argument) -> list[str]:
    """Returns a specification for each flag; an option that is there is not offered again, unless it may be."""
    said = "" if option.many else f"({' '.join(option.flags)})"
    if option.flags[0] in ("-h", "--help", "--version"):
        said = "(- *)"  # nothing else makes sense beside it
    specs = []
    for flag in option.flags:
        long = flag.startswith("--")
        mark = "" if not option.value else ("=-" if option.optional else "=") if long else "+"
        value = ""
        if option.value:
            value = f"{'::' if option.optional else ':'}{_escaped(option.value, ':')}:{_action(option)}"
        repeat = "*" if option.many else ""
        specs.append(_quoted(f"{said}{repeat}{flag}{mark}[{_escaped(option.brief, '[]')}]{value}"))
    return specs


def _positional(one: Argument) -> str:
    start = "*" if one.many else ""
    return _quoted(f"{start}:{_escaped(one.value, ':')}:{_action(one)}")


def _action(one: Argument) -> str:
    if one.choices:
        return f"({' '.join(one.choices)})"
    return "_files" if one.takes_files else "_files -/" if one.takes_folders else " "


def _escaped(text: str, special: str) -> str:
    return "".join(f"\\{character}" if character in special + "\\" else character for character in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
