"""The code blocks of the pages: finds them, and says what the tests do with each.

A block with a title is a file that later blocks of its page use. Of the others: `console` shows commands with their
output, `bash` commands alone; `python` blocks of a page run one after the other in one namespace; `c`, `cpp`, `go` and
`java` are whole programs; `json`, `yaml` and `toml` are parsed; `text` is no code, such as messages. Programs print what their comments `prints: ...` say.
`<!-- not run: reason -->` in the line before a block takes it out; `test_blocks.py` counts these by reason.
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r'^(?:<!-- not run: (?P<reason>[^\n]*) -->\n)?^```(?P<language>\w+)(?: title="(?P<title>[^"]+)"| [\w/]+)?\n'
                   r"(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LANGUAGES = {"console", "bash", "python", "c", "cpp", "go", "java", "json", "yaml", "toml", "text"}


@dataclasses.dataclass(frozen=True)
class Block:
    page: str  # its path in the checkout, or within docs/manual/pages
    line: int
    language: str
    title: str
    text: str
    reason: str  # why it is not run; empty if it is

    @property
    def name(self):
        """A name for files and tests."""
        return f"{self.page.removesuffix('.md').replace('/', '_').replace('-', '_')}_{self.line}"


def pages():
    """The pages and their texts: those written for the site, and documents that the site has, too."""
    folder = ROOT / "docs" / "manual" / "pages"
    for path in sorted(folder.rglob("*.md")):
        yield str(path.relative_to(folder)), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").glob("*.md")):
        yield f"docs/{path.name}", path.read_text(encoding="utf-8")


def blocks():
    return [Block(page, text.count("\n", 0, found.start("language")) + 1, found["language"], found["title"] or "",
                  found["text"], found["reason"] or "")
            for page, text in pages() for found in FENCE.finditer(text)]


def outside(text):
    """A page's text without its blocks."""
    return FENCE.sub("", text)


def commands(text):
    """(command, output) of each `$ command` of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more.removeprefix(">")
        yield command, output.rstrip("\n")


def promised(text):
    """The lines that a program prints, by its comments."""
    return re.findall(r"(?://|#|/\*) prints: (.*?)(?: \*/)?$", text, re.MULTILINE)


def missing(text, printed):
    """The first line that was promised and not printed in its place, or None. A `…` stands for any text."""
    lines = iter(printed.splitlines())
    for promise in promised(text):
        shape = re.compile(".*".join(map(re.escape, promise.split("…"))))
        if not any(shape.fullmatch(line.strip()) for line in lines):
            return promise
    return None
