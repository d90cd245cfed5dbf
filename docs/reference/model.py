"""The headers as data: headers of sections of symbols, each with its declaration and its prose."""

import dataclasses
import re

from . import prose, scan

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"^(?P<result>.*?)\b(?P<name>libsched_\w+)\s*\((?P<parameters>.*)\)$", re.DOTALL)
POINTER = re.compile(r"\(\*\s*(\w+)(?:\[\d+\])?\)\s*\(")


@dataclasses.dataclass
class Symbol:
    kind: str  # "function", "handle", "struct", "alias", "enum", "macro", "field" or "constant"
    name: str
    declaration: str
    own: prose.Prose
    group: prose.Prose  # of the comment above, if it has none of its own
    result: str = ""
    parameters: list = dataclasses.field(default_factory=list)
    members: list = dataclasses.field(default_factory=list)

    @property
    def prose(self):
        return self.own if self.own.blocks or self.own.errors else self.group

    @property
    def counts_references(self):
        """Whether it is the _ref or _unref of a handle, and no function about a number named so."""
        return self.kind == "function" and (
            self.name.endswith("_unref") or (self.name.endswith("_ref") and "*" in self.result))

    @property
    def documented(self):
        """_ref and _unref need no comment: rule 1 of libsched.h covers them."""
        return bool(self.prose.blocks or self.prose.errors) or self.counts_references


@dataclasses.dataclass
class Section:
    """Symbols under a free-standing comment; the first section of a header may have none."""
    about: prose.Prose
    symbols: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Header:
    name: str  # as it is included: "libsched/base.h"
    about: prose.Prose
    sections: list

    @property
    def symbols(self):
        return [symbol for section in self.sections for symbol in section.symbols]

    def since(self, symbol):
        return symbol.own.since or symbol.group.since or self.about.since


def _squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def _split(parameters):
    """The parameters of a declaration, split at commas outside of brackets."""
    parts = [_squeeze(COMMENT.sub("", piece.text))
             for piece in scan.pieces(parameters, separators=",") if piece.kind == "code"]
    return [] if parts == ["void"] else parts


def _members(body, kind, separators):
    found = []
    for piece, own, group in scan.attach(scan.pieces(body, separators)):
        if piece is None or piece.kind != "code":
            continue
        text = _squeeze(COMMENT.sub("", piece.text))
        if kind == "constant":
            name = text.split("=")[0].strip()
        else:
            pointer = POINTER.search(text)
            name = pointer[1] if pointer else re.search(r"(\w+)\s*(?:\[\w+\])?$", text)[1]
        found.append(Symbol(kind, name, text, prose.read(own), prose.read(group)))
    return found


def _statement(text, own, group):
    """The symbol that a statement declares."""
    flat = _squeeze(COMMENT.sub("", text))
    common = {"own": prose.read(own), "group": prose.read(group)}
    if re.match(r"(typedef )?enum\b[^{]*\{", flat):
        body = text[text.index("{") + 1:text.rindex("}")]
        members = _members(body, "constant", ",")
        named = re.search(r"\}\s*(\w+)$", flat)
        return Symbol("enum", named[1] if named else members[0].name, flat, members=members, **common)
    if struct := re.match(r"typedef struct (\w+)\s*\{", flat):
        body = text[text.index("{") + 1:text.rindex("}")]
        return Symbol("struct", struct[1], flat, members=_members(body, "field", ";"), **common)
    if handle := re.match(r"typedef struct (\w+) \1$", flat):
        return Symbol("handle", handle[1], flat, **common)
    if flat.startswith("typedef "):
        pointer = POINTER.search(flat)
        return Symbol("alias", pointer[1] if pointer else flat.split()[-1], flat, **common)
    if function := FUNCTION.match(flat):
        inner = text[text.index("(", text.index(function["name"])) + 1:text.rindex(")")]
        return Symbol("function", function["name"], flat, result=function["result"].strip(),
                      parameters=_split(inner), **common)
    raise scan.HeaderError(f"what is this? {flat[:120]}")


def _macro(text, own, group):
    """The symbol of a #define; None for an include guard."""
    found = re.match(r"#define\s+((\w+)(?:\([^)]*\))?)\s*(.*)$", text, re.DOTALL)
    if found[2].endswith("_H") and not found[3]:
        return None
    body = re.sub(r"\s*\\\n\s*", " ", found[3]).strip()
    return Symbol("macro", found[2], f"#define {found[1]} {body}".strip(), prose.read(own),
                  prose.read(group))


def read_header(text, name):
    """One header. If a macro differs between C and C++, the page shows C's."""
    entries = scan.attach(scan.pieces(text, name=name))
    if not entries or not entries[0][1]:
        raise scan.HeaderError(f"{name}: begins with no comment that says what it is")
    about = prose.read(entries[0][1])
    if entries[0][0] is None:
        entries = entries[1:]
    else:  # the comment stands directly above the include guard
        entries[0][1] = None
        for entry in entries:
            if entry[2] and entry[2][0].first == 1:
                entry[2] = None
    header, waiting, cplusplus = Header(name, about, [Section(prose.Prose())]), None, False
    for piece, own, group in entries:
        if piece is None:
            header.sections.append(Section(prose.read(own)))
            continue
        if piece.kind == "directive" and not piece.text.startswith("#define"):
            cplusplus = piece.text.startswith("#ifdef __cplusplus")
            continue
        if cplusplus:
            waiting = own or waiting  # the comment belongs to the other definition as well
            continue
        make = _macro if piece.kind == "directive" else _statement
        symbol = make(piece.text, own or waiting, group)
        waiting = None
        if symbol:
            header.sections[-1].symbols.append(symbol)
    header.sections = [part for part in header.sections if part.symbols or part.about.blocks]
    return header


def read_all(include):
    """The headers below a folder, in the order in which libsched.h includes them, itself first."""
    umbrella = (include / "libsched.h").read_text()
    names = ["libsched.h", *re.findall(r"#include <(libsched/\w+\.h)>", umbrella)]
    return [read_header((include / name).read_text(), name) for name in names]


def read_reference(root):
    """The headers of the reference: those of libsched.so, and then those of libsched-net.so."""
    others = sorted((root / "net" / "include" / "libsched").glob("*.h"))
    return [*read_all(root / "capi" / "include"),
            *(read_header(path.read_text(), f"libsched/{path.name}") for path in others)]


def undocumented(headers):
    """The names of symbols and members with no comment of their own and none of their group."""
    found = []
    for header in headers:
        for symbol in header.symbols:
            if not symbol.documented:
                found.append(symbol.name)
            found += [f"{symbol.name}.{member.name}" for member in symbol.members
                      if not (member.documented or symbol.documented)]
    return found
