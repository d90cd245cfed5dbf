"""The table of mistakes in the plugin guide, for the tests that make each of them."""

import re

import project

GUIDE = project.ROOT / "docs" / "manual" / "pages" / "plugins.md"


def rows(language):
    """The rows of a language, in order: mistakes and what is said."""
    table = GUIDE.read_text().split("\n## Mistakes\n")[1].split("\n## ")[0]
    found = [re.fullmatch(r"\| (.+?) \| (.+?) \| `(.+)` \|", line) for line in table.splitlines()]
    return {row[1]: row[3] for row in found if row and language in row[2].split(", ")}
