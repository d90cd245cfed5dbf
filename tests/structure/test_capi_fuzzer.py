"""The fuzzer of the C API calls every function; a function without a rule fails here."""

import re
import sys

import pytest
import sources

FOLDER = sources.ROOT / "tests" / "fuzz" / "capi"
sys.path.insert(0, str(FOLDER))

import generate  # noqa: E402

SYMBOLS = (sources.ROOT / "capi" / "libsched.symbols").read_text().split()


@pytest.fixture(scope="module")
def made():
    return generate.files()


def test_every_function_has_an_entry_and_a_call(made):
    assert sorted(re.findall(r'\{"(\w+)", call_\1, \d+\}', made["table.inc"])) == sorted(SYMBOLS)
    calls = "".join(text for name, text in made.items() if name.startswith("calls_"))
    written = re.findall(r"^void call_(\w+)\(Turn& t\) \{$", calls, re.MULTILINE)
    special = generate.hooks("special.hpp", "call")
    assert sorted([*written, *special]) == sorted(SYMBOLS)


def test_a_call_hands_over_every_parameter(made):
    headers, _, _ = generate.read()
    calls = "".join(text for name, text in made.items() if name.startswith("calls_"))
    for header in headers:
        for symbol in header.symbols:
            found = re.search(rf"(?:= |  ){symbol.name}\((.*)\);$", calls, re.MULTILINE)
            if symbol.kind == "function" and found:
                handed = [word for word in found[1].split(", ") if word]
                assert len(handed) == len(symbol.parameters), symbol.name


@pytest.mark.parametrize("declaration", [
    "void libsched_new(double x);", "void libsched_new(libsched_str strange);",
    "void libsched_new(libsched_unknown *thing);", "void libsched_new(void (*slot)(void *user));",
])
def test_a_function_without_a_rule_is_refused(declaration):
    header = generate.model.read_header(f"/* What it is. */\n#ifndef X_H\n{declaration}\n#endif\n", "x.h")
    with pytest.raises(generate.NoRule, match="libsched_new"):
        generate.Call(header.symbols[0], ["pod"], ["pod"], set()).text()


def test_what_is_written_by_hand_says_why():
    text = (FOLDER / "special.hpp").read_text()
    for name in generate.hooks("special.hpp", "call"):
        assert re.search(rf"//[^\n]*\.\nvoid call_{name}\(", text), name
