"""Pages of the documents in docs/, which are also read in the checkout: each gets a place under Topics."""

import pathlib
import re

NAME = "topics"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = re.match(r"# (.*)", text)[1].split(":")[0]
        # The tests give some examples a label behind the language, which Markdown does not know.
        yield title, f"topics/{path.name}", re.sub(r"^```(\w+) [\w/]+$", r"```\1", text, flags=re.MULTILINE)
    for path in sorted((ROOT / "docs").glob("*.schema.json")):
        yield "", f"topics/{path.name}", path.read_text(encoding="utf-8")
