"""The page about releases: `pages/releases.md` with the list of differences, which the package has as data."""

import json
import pathlib
import re

NAME = "releases"
HERE = pathlib.Path(__file__).resolve().parent
DIFFERENCES = HERE.parents[1] / "python" / "libsched" / "differences.json"
RELEASES = sorted({release for one in json.loads(DIFFERENCES.read_text(encoding="utf-8"))
                   for release in one["releases"]})
OTHERS = "The scheduler"  # the heading of what is no plugin's
SEEN = {"run": "both sides run", "read": "read in the source"}


def pages():
    listed = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    text = (HERE / "pages" / "releases.md").read_text(encoding="utf-8")
    for place, part in (("@table@", _table(listed)), ("@differences@", _sections(listed))):
        if place not in text:
            raise ValueError(f"releases.md has no place {place}")
        text = text.replace(place, part)
    yield "", "releases.md", text


def anchor(heading):
    """Returns the anchor that mkdocs gives to a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _table(listed):
    rows = [["difference", *RELEASES, "known from"], ["---", *[":-:"] * len(RELEASES), "---"]]
    for one in listed:
        marks = ["●" if release in one["releases"] else "" for release in RELEASES]
        rows.append([f"[{one['heading']}](#{anchor(one['heading'])})", *marks, SEEN[one["seen"]]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _sections(listed):
    parts = []
    for plugin in dict.fromkeys(_place(one) for one in listed):
        parts.append(f"## {plugin}\n")
        for one in listed:
            if _place(one) == plugin:
                parts += [f"### {one['heading']}\n", f"{_where(one)} {one['text']}\n", f"Example: {one['example']}\n"]
    return "\n".join(parts)


def _place(one):
    """Returns the heading under which a difference stands: its first plugin."""
    return one["plugins"][0] if one["plugins"] else OTHERS


def _where(one):
    where = f"In {spans(one['releases'])}"
    return f"{where}, by the feature gate `{one['gate']}`:" if "gate" in one else f"{where}:"


def spans(releases):
    """Returns releases in words: "1.31 to 1.33 and 1.37"."""
    numbers = [RELEASES.index(release) for release in releases]
    groups = []
    for number in numbers:
        if groups and groups[-1][1] + 1 == number:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return " and ".join(RELEASES[first] if first == last else f"{RELEASES[first]} to {RELEASES[last]}"
                        for first, last in groups)
