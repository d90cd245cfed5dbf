"""Collects the pages of the site in a folder: those written by hand, and those made of the sources."""

import pathlib
import shutil

from . import benchmarks, c_api, command_line, documents, go_api, python_api, releases

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Documents that are also read in the checkout, and their places in the site.
DOCUMENTS = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
}
# The search shows guides before references, which have every word many times.
BEHIND = ("reference/", "project/")
FRONT_MATTER = "---\nsearch:\n  boost: 0.3\n---\n\n"
GENERATED = (documents, command_line, python_api, go_api, c_api, benchmarks, releases)


def stage(folder):
    """Fills the folder with mkdocs.yml and `pages/`; returns the number of pages."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    shutil.copytree(HERE / "pages", pages)
    shutil.copytree(HERE / "assets", pages / "assets", dirs_exist_ok=True)
    for source, place in DOCUMENTS.items():
        write(pages / place, _ranked(place, (ROOT / source).read_text(encoding="utf-8")))
    navigation = {}
    for maker in GENERATED:
        name, entries = maker.NAME, []
        for title, place, text in maker.pages():
            write(pages / place, _ranked(place, text))
            if title:
                entries.append((title, place))
        navigation[name] = entries
    config = (HERE / "mkdocs.yml").read_text(encoding="utf-8").replace("@ROOT@", str(ROOT))
    config = config.replace("@NAMES@", " ".join(python_api.classes()))
    for name, entries in navigation.items():
        config = _insert(config, name, entries)
    write(folder / "mkdocs.yml", config)
    return sum(1 for _ in pages.rglob("*.md"))


def _ranked(place, text):
    return FRONT_MATTER + text if place.startswith(BEHIND) and place.endswith(".md") else text


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _insert(config, name, entries):
    """Puts the pages of one kind into the navigation, in the place of the line `- @name@`."""
    out = []
    for line in config.splitlines():
        if line.strip() == f"- @{name}@":
            indent = line[:len(line) - len(line.lstrip())]
            out += [f'{indent}- "{title}": {place}' for title, place in entries]
        else:
            out.append(line)
    return "\n".join(out) + "\n"
