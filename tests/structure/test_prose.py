"""Comments and documents in the listed areas are plain sentences: the clearest telltales of other styles are refused.

CONTRIBUTING.md describes the style. An area is listed once its comments follow it.
"""

import io
import re
import tokenize

import pytest

import sources

AREAS = (
    "ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "Makefile", "bindings/", "capi/", "cmake/", "docs/", "examples/",
    "go/", "libsched/", "packaging/", "python/", "tests/",
)
# The patterns are split, so that this file does not match them itself.
TELLTALES = re.compile("|".join((
    r"\bwho" r"ever\b", r"\b(?:for|of|by|from|says|tells|knows) w" r"ho\b(?! (?:can|do|use|want)\b)",
    r"\bw" r"ho (?:asks|calls|has|holds|is|keeps|listens|looks|may|must|needs|owns|reads|said|says|waits)\b",
    r"\bof on" r"e's own\b", r"\b[Oo]n" r"e (?:asks|looks|reads|sees)\b",
    r"\bt(?:ells?|old) o" r"f\b", r"\bs" r"aid of\b", r"\bas a" r"ll up to\b", r"\bthere is no" r"ne any\b",
)), re.IGNORECASE)
C_LIKE = {".c", ".cpp", ".go", ".h", ".hpp", ".i", ".java", ".js"}
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`]*`|(?P<text>//[^\n]*|/\*.*?\*/)', re.DOTALL)


def python_prose(text):
    """(line, text) of each comment and of each string that is a statement."""
    fresh = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (fresh and token.type == tokenize.STRING):
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def prose(path, text):
    """(line, text) of each comment of a file, or of each line of a document."""
    if path.suffix == ".py":
        yield from python_prose(text)
    elif path.suffix in C_LIKE:
        for found in C_COMMENT.finditer(text):
            if found["text"]:
                yield text.count("\n", 0, found.start()) + 1, found["text"]
    elif path.suffix in (".cmake", ".md", ".sh") or path.name in ("CMakeLists.txt", "Makefile"):
        whole = path.suffix == ".md"
        for number, line in enumerate(text.splitlines(), 1):
            if whole or "#" in line:
                yield number, line if whole else line[line.index("#"):]


def telltales(path, text):
    return [f"{path}:{line}: {found[0]}" for line, words in prose(path, text)
            for found in [TELLTALES.search(words)] if found]


def test_areas_are_written_in_plain_sentences():
    found = []
    for path in sources.files():
        if str(path).startswith(AREAS):
            found += telltales(path, sources.text(path) or "")
    assert not found


@pytest.mark.parametrize(("name", "text"), [
    ("a.py", '"""For who' 'ever."""\n'), ("a.py", "x = 1  # on" "e looks\n"), ("a.py", '  # first\n"""T' 'ells of."""\n'),
    ("a.hpp", "int x;  // the one w" "ho asks\n"), ("a.go", "/* a\n   plugin of on" "e's own */\n"),
    ("a.md", "What is s" "aid of it\n"), ("a.sh", "# as a" "ll up to here\n"),
])
def test_telltales_are_found(name, text):
    assert telltales(sources.pathlib.Path(name), text)


@pytest.mark.parametrize(("name", "text"), [
    ("a.py", 'x = "who' 'ever"\n'), ("a.cpp", 'f("on' 'e looks");\n'), ("a.sh", "echo who" "ever\n"),
])
def test_code_is_no_prose(name, text):
    assert not telltales(sources.pathlib.Path(name), text)
