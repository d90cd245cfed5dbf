"""Pages of the site, one for each header: Markdown whose headings are the symbols, with the HTML of what is said about them."""

import html
import os
import re

from . import cards
from .facts import LENT, Facts

NAME = re.compile(r"\b(?:libsched_\w+|LIBSCHED_\w+)\b")
BARE_CODE = re.compile(r"\b[A-Z][A-Z_]{1,}\b")
OUTSIDE = "(?![^<]*>)"  # of tags
TITLES = {"function": "function", "handle": "handle", "struct": "struct", "alias": "type",
          "enum": "constants", "macro": "macro"}


class Pages:
    """Makes the pages of all headers."""

    def __init__(self, headers):
        self.headers = headers
        self.facts = Facts(headers)
        self.place = ""  # of the page that is being made
        self.index = {}  # name -> page
        for header in headers:
            for symbol in header.symbols:
                if symbol.kind != "enum":
                    self.index[symbol.name] = place(header)
                for member in symbol.members:
                    if member.kind == "constant":
                        self.index[member.name] = place(header)
        self.rules = place(headers[0])

    def link(self, text, here=""):
        """Escaped text in which the names of symbols are links."""
        def to(match):
            name = match[0]
            if name not in self.index or name == here:
                return name
            return f'<a href="{self._page(self.index[name])}#{name}">{name}</a>'
        return NAME.sub(to, html.escape(text, quote=False))

    def _page(self, name):
        """The link to another page; nothing for this one."""
        return "" if name == self.place else f"{name}.html"

    def words(self, text, errors=False):
        """Running text: `code`, names, rules, and in an errors sentence the codes are marked up."""
        done = []
        for part in re.split(r"(`[^`]+`)", text):
            if part.startswith("`") and len(part) > 2:
                done.append(f"<code>{self.link(part[1:-1])}</code>")
                continue
            part = self.link(part)
            part = re.sub(r"\brule (\d+)\b", rf'<a href="{self._page(self.rules)}#rule-\1">rule \1</a>', part)
            if errors:
                part = BARE_CODE.sub(self._error, part)
            done.append(part)
        return "".join(done)

    def _error(self, match):
        name = f"LIBSCHED_ERR_{match[0]}"
        return (f'<a class="rc" href="{self._page(self.index[name])}#{name}">{match[0]}</a>'
                if name in self.index else match[0])

    def prose(self, prose):
        done, rules = [], []
        for block in prose.blocks:
            if block.kind == "rule":
                rules.append(f'<li id="rule-{block.number}" value="{block.number}">'
                             f"{self.words(block.text)}</li>")
            elif block.kind == "code":
                done.append(f"<pre>{self.link(block.text)}</pre>")
            else:
                done.append(f"<p>{self.words(block.text)}</p>")
        return "".join(done) + (f"<ol>{''.join(rules)}</ol>" if rules else "")

    def declaration(self, symbol):
        text = symbol.declaration
        if symbol.kind == "function":
            one = f"{symbol.result} {symbol.name}({', '.join(symbol.parameters) or 'void'})"
            one = one.replace("* ", "*", 1) if symbol.result.endswith("*") else one
            if len(one) > 104:
                head = one[:one.index("(") + 1]
                one = head + "\n    " + ",\n    ".join(symbol.parameters) + ")"
            text = one
        elif symbol.kind in ("struct", "enum"):
            text = re.sub(r"\{.*\}", "{ … }", text)
        made = self.link(text, here=symbol.name)
        made = re.sub(rf"\b{symbol.name}\b{OUTSIDE}", f"<b>{symbol.name}</b>", made, count=1)
        if symbol.kind == "handle":
            made = f"typedef struct <b>{symbol.name}</b>"
        return f'<pre class="decl">{made}</pre>'

    def members(self, symbol):
        rows = []
        for member in symbol.members:
            anchor = member.name if member.kind == "constant" else f"{symbol.name}.{member.name}"
            said = self.prose(member.prose)
            if member.prose.errors:
                said += f"<p>{self.words(' '.join(member.prose.errors), errors=True)}</p>"
            shown = re.sub(rf"\b{member.name}\b{OUTSIDE}", f"<b>{member.name}</b>",
                           self.link(member.declaration, here=member.name), count=1)
            rows.append(f'<tr id="{anchor}"><td><code>{shown}</code></td><td>{said}</td></tr>')
        return f'<table class="members">{"".join(rows)}</table>' if rows else ""

    def fact_list(self, found):
        rows = "".join(f"<dt>{label}</dt><dd>{self.words(text, errors=label == 'Errors')}</dd>"
                       for label, text in found)
        return f"<dl>{rows}</dl>" if rows else ""

    def card(self, card, header):
        """A comment and the symbols that it describes; facts shared by all functions come last, once."""
        first = card.symbols[0]
        about = card.about or first.prose
        lists = {symbol.name: self.facts.of(symbol, header)
                 for symbol in card.symbols if symbol.kind == "function"}
        spoken = [lists[symbol.name] for symbol in card.symbols
                  if symbol.kind == "function" and not symbol.counts_references]
        same = [fact for fact in (spoken[0] if len(spoken) > 1 else [])
                if all(fact in found for found in spoken)]
        lent = [fact for found in spoken for fact in found if fact[1] == LENT]
        if len(spoken) > 1 and lent:
            same.insert(0, ("Ownership", "Texts and pointers are lent."))
        parts = [f'<p class="kind">{TITLES[first.kind]}</p>']
        if len(card.symbols) > 1 and first.kind == "function":
            parts.append(self.prose(about))
        for number, symbol in enumerate(card.symbols):
            said = symbol.own if symbol.own.blocks != about.blocks else None
            if number == 0 and not (len(card.symbols) > 1 and first.kind == "function"):
                said = about
            found = [fact for fact in lists.get(symbol.name, [])
                     if fact not in same and not (same and fact in lent)]
            if symbol.kind != "function" and number == 0 and header.since(symbol):
                found = [("Since", header.since(symbol))]
            anchor = "" if number == 0 else f' id="{_place(symbol)}"'  # the first one's is the heading's
            parts.append(f'<div class="symbol"{anchor}>{self.declaration(symbol)}'
                         f"{self.prose(said) if said else ''}{self.members(symbol)}"
                         f"{self.fact_list(found)}</div>")
        shared = f'<div class="shared">{self.fact_list(same)}</div>' if same else ""
        return (f"## {_title(first)} {{ #{_place(first)} }}\n\n"
                f'<div class="c-card">{"".join(parts)}{shared}</div>\n')

    def markdown(self, header):
        self.place = place(header)
        said = self.prose(header.about)
        if header.about.errors:
            said += f"<p>{self.words(' '.join(header.about.errors), errors=True)}</p>"
        parts = [f"# {header.name}\n", f'<div class="c-about">{said}</div>\n']
        for section, made in cards.of_header(header):
            if section.about.blocks:
                parts.append(f'<div class="c-about">{self.prose(section.about)}</div>\n')
            parts += [self.card(card, header) for card in made]
        return "\n".join(parts)


def place(header):
    """The name of a header's page: "base" for libsched/base.h."""
    return header.name.removeprefix("libsched/").removesuffix(".h")


def _place(symbol):
    """The anchor of a symbol; constants have their own anchors, and an enum often has no name."""
    return f"enum-{symbol.name}" if symbol.kind == "enum" else symbol.name


def _title(symbol):
    """The title of a symbol; an enum without a name is titled by the prefix of its constants."""
    if symbol.kind != "enum" or symbol.name not in [member.name for member in symbol.members]:
        return symbol.name
    prefix = os.path.commonprefix([member.name for member in symbol.members])
    return f"{symbol.name} \u2026" if prefix == "LIBSCHED_" else f"{prefix}*"
