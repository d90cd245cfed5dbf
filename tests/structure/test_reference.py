"""The C headers are a manual: every symbol has a comment, and the HTML reference has every symbol."""

import html
import re
import sys

import pytest
import sources

sys.path.insert(0, str(sources.ROOT / "docs"))

from reference import model, scan  # noqa: E402
from reference.page import Pages, place  # noqa: E402

INCLUDES = [sources.ROOT / "capi" / "include", sources.ROOT / "net" / "include"]
SYMBOLS = [symbol for path in ("capi/libsched.symbols", "net/libsched_net.symbols")
           for symbol in (sources.ROOT / path).read_text().split()]


@pytest.fixture(scope="module")
def headers():
    return model.read_reference(sources.ROOT)


@pytest.fixture(scope="module")
def pages(headers):
    made = Pages(headers)
    return {place(header): made.markdown(header) for header in headers}


def anchors(page):
    """The anchors of a page: those of its headings, and those within its cards."""
    return re.findall(r"^## .* \{ #(\S+) \}$", page, re.MULTILINE) + re.findall(r'\bid="([^"]+)"', page)


def card_of(page, name):
    """The text of the card below a symbol's heading."""
    found = re.search(rf"\{{ #{name} \}}\n\n(.*?)(?=\n## |\Z)", page, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", found[1]))


def test_every_header_is_read(headers):
    there = [path.relative_to(include).as_posix() for include in INCLUDES for path in include.rglob("*.h")]
    assert sorted(header.name for header in headers) == sorted(there)


def test_every_symbol_has_a_comment_of_its_own_or_of_its_group(headers):
    assert not model.undocumented(headers)


def test_only_symbols_of_later_versions_say_since_when(headers):
    assert not [symbol.name for header in headers for symbol in header.symbols
                if header.since(symbol) == "0.1"]


def test_the_reference_has_every_symbol_of_the_library(headers, pages):
    there = [anchor for page in pages.values() for anchor in anchors(page)]
    assert not [name for name in SYMBOLS if name not in there]
    shown = {name for header in headers for symbol in header.symbols
             for name in [symbol.name, *(m.name for m in symbol.members if m.kind == "constant")]}
    assert not [name for name in shown if sum(anchor.removeprefix("enum-") == name for anchor in there) < 1]
    assert len(set(there)) == len(there)


def test_links_lead_somewhere(pages):
    for name, page in pages.items():
        for target, anchor in re.findall(r'href="([\w.]*)#([^"]+)"', page):
            assert anchor in anchors(pages[target.removesuffix(".html") or name]), f"{name}: {target}#{anchor}"


def test_a_function_shows_what_its_comment_and_its_types_say(pages):
    said = " ".join(card_of(pages["evaluator"], "libsched_check_pod_fits").split())
    for part in ("Does the pod fit, on which nodes", "Errors NOT_FOUND (node), UNSUPPORTED",
                 "The caller owns *out : libsched_decision_unref ()",
                 "Needs evaluator for itself; pod may be shared ( rule 7 )"):
        assert part in said
    assert "Errors:" not in said
    assert not re.search(r"\bSince 0\.1\b", "".join(pages.values()))


HEADER = """/* What it is. @since 0.3, where nothing else is said. */
#ifndef X_H
#define X_H
%s
#endif
"""


def read(body):
    return model.read_header(HEADER % body, "libsched/x.h")


@pytest.mark.parametrize("body,gaps", [
    ("int32_t libsched_a(void);", ["libsched_a"]),
    ("/* Says a. */\nint32_t libsched_a(void);", []),
    ("int32_t libsched_a(void); /* says a */", []),
    ("int32_t libsched_a(void); /* says a */\nint32_t libsched_b(void);", ["libsched_b"]),
    ("/* Both. */\nint32_t libsched_a(void);\nint32_t libsched_b(void);", []),
    ("/* One. */\nint32_t libsched_a(void);\n\nint32_t libsched_b(void);", ["libsched_b"]),
    ("/* A section. */\n\nint32_t libsched_a(void);", ["libsched_a"]),
    ("#define LIBSCHED_A 1", ["LIBSCHED_A"]),
    ("enum { LIBSCHED_A = 1, /* one */ LIBSCHED_B };",
     ["LIBSCHED_A", "LIBSCHED_A.LIBSCHED_B"]),
    ("typedef struct libsched_a libsched_a;\nvoid libsched_a_unref(libsched_a *a);", ["libsched_a"]),
])
def test_a_missing_comment_is_found(body, gaps):
    assert model.undocumented([read(body)]) == gaps


def test_marks_in_a_comment():
    header = read("/* Says a (of 1.5). Errors: IO, LIMIT (1.5 GiB). Then more.\n"
                  "     a_line(of, code);\n   @since 0.4 */\nint32_t libsched_a(void);\n"
                  "/* Says b. */\nint32_t libsched_b(void);")
    a, b = header.symbols
    assert a.own.errors == ["Errors: IO, LIMIT (1.5 GiB)."]
    assert [block.kind for block in a.own.blocks] == ["text", "code"]
    assert a.own.text == "Says a (of 1.5). Then more. a_line(of, code);"
    assert (header.since(a), header.since(b)) == ("0.4", "0.3")


def test_members_have_the_comments_beside_them():
    enum, = read("/* Both. */\nenum {\n  LIBSCHED_A = 1, /* one */\n  LIBSCHED_B = 2 /* two */\n};").symbols
    assert [member.own.text for member in enum.members] == ["one", "two"]
    struct, = read("/* S. */\ntypedef struct libsched_s {\n  int32_t a; /* one */\n  /* two */\n"
                   "  int32_t (*b)(void *user, int64_t c);\n} libsched_s;").symbols
    assert [(m.name, m.own.text) for m in struct.members] == [("a", "one"), ("b", "two")]


def test_macros_are_shown_as_c_sees_them():
    macro, = read("/* Nothing. */\n#ifdef __cplusplus\n#define LIBSCHED_A nullptr\n#else\n"
                  "#define LIBSCHED_A NULL\n#endif").symbols
    assert macro.documented and macro.declaration == "#define LIBSCHED_A NULL"


@pytest.mark.parametrize("text", ["int libsched_a;", "/* No end", "LIBSCHED_API;"])
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(scan.HeaderError):
        read(text) if text != "/* No end" else model.read_header(text, "libsched/x.h")
