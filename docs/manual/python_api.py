"""Pages of the Python package: the groups of its index of names; mkdocstrings puts the docstrings there."""

import re

NAME = "python"
MODULES = {"testing": "The test kit", "report": "Pages", "cel": "Selectors of devices"}
FILES = {"The names that matter most": "main"}


def index():
    """(group, names) of the index in the docstring of the package, in its order."""
    import libsched
    text = libsched.__doc__
    table = text[text.index("=====") : text.rindex("=====")]
    main = re.findall(r"^`(.*?)`  ", table, re.MULTILINE)
    yield "The names that matter most", [name for names in main for name in re.findall(r"\w+", names)]
    for group, names in re.findall(r"^- (\w[\w ]*): (.*?)(?=^- |\n\n)", text, re.MULTILINE | re.DOTALL):
        yield group, re.findall(r"`(\w+)`", names)


def classes():
    """The names of classes, which docstrings link to."""
    import libsched
    return [name for _, names in index() for name in names if isinstance(getattr(libsched, name, None), type)]


def pages():
    from libsched import __doc__ as about
    groups = list(index())
    shown = ["# Python", "", " ".join(re.split(r"\n\s*\n", about)[1].split()), "",
             "The names of the package, by what they are for:", ""]
    for group, names in groups:
        place = FILES.get(group, group.lower().replace(" ", "-"))
        listed = ", ".join(f"[`{name}`]({place}.md#libsched.{name})" for name in names)
        shown.append(f"- [{group}]({place}.md): {listed}")
    shown += ["", "and its modules:", ""]
    shown += [f"- [`libsched.{module}`]({module}.md)" for module in MODULES]
    shown += ["", "Sources of objects are paths, documents (JSON or YAML), dicts, objects of a Kubernetes client, and "
              "iterables of all these.", ""]
    yield "Index", "reference/python/index.md", "\n".join(shown)
    for group, names in groups:
        place = FILES.get(group, group.lower().replace(" ", "-"))
        text = f"# {group}\n\n" + "\n".join(f"::: libsched.{name}\n" for name in names)
        yield group, f"reference/python/{place}.md", text
    for module, title in MODULES.items():
        text = f"# libsched.{module}\n\n::: libsched.{module}\n    options:\n      show_root_heading: false\n"
        yield title, f"reference/python/{module}.md", text
