"""House rules that a program can check: sizes, names, opening comments, and no trace of a machine."""

import re

import sources

MOST_LINES = 800
NAMELESS = re.compile(r"(^|[/_.-])(utils?|helpers?|common|misc)([/_.-]|$)", re.IGNORECASE)

# Folders of a developer's machine and hosts of package registries do not belong to the project.
# The patterns are assembled from parts, so that this file does not match them itself.
FOLDERS = re.compile(
    r"(?<![\w.~$}/-])/(" + "|".join(["work", "root", "home/[a-z]+", "farm", "Users"]) + r")/")
HOSTS = re.compile("|".join(re.escape(name) for name in [
    "pypi" + ".org", "python" + "hosted.org", "proxy.golang" + ".org", "sum.golang" + ".org",
    "npm" + "js.org", "npm" + "js.com", "crates" + ".io", "deb.debian" + ".org",
    "conda" + ".anaconda.org", "files.python" + "hosted"]))
LEFT_OPEN = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|XX" + "X|HA" + r"CK)\b")


def offenders(pattern, paths):
    found = []
    for path in paths:
        for number, line in enumerate((sources.text(path) or "").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path}:{number}: {line.strip()[:120]}")
    return found


def test_no_file_is_too_long():
    lines = {str(path): len((sources.text(path) or "").splitlines()) for path in sources.code()}
    assert not {path: count for path, count in lines.items() if count > MOST_LINES}


def test_names_say_something():
    assert not [str(path) for path in sources.files() if NAMELESS.search(str(path))]


def test_no_machine_paths():
    assert not offenders(FOLDERS, sources.files())


def test_no_registry_hosts():
    assert not offenders(HOSTS, sources.files())


def test_nothing_left_open():
    assert not offenders(LEFT_OPEN, sources.code())


def test_the_patterns_find_what_they_should():
    assert FOLDERS.search("cd /ro" + "ot/project") and FOLDERS.search('"/ho' + 'me/me/x"')
    assert not FOLDERS.search("examples/work/x")
    assert HOSTS.search("https://py" + "pi.org/simple")
    assert NAMELESS.search("libsched/base/string_utils.hpp")
    assert not NAMELESS.search("libsched/base/utilization.hpp")
    assert LEFT_OPEN.search("// TO" + "DO: later")


def test_source_files_open_with_a_comment():
    """In Go the comment describes the package, so one file of each folder has it."""
    silent, spoken_packages = [], set()
    for path in sources.code():
        lines = (sources.text(path) or "").splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if path.name == "__init__.py" and not lines:
            continue
        first = next((line for line in lines if line.strip()), "")
        if not re.match(r'\s*(//|/\*|#(?!\s*(include|pragma))|[rf]?"""|;|%\{)', first):
            silent.append(path)
        elif path.suffix == ".go":
            spoken_packages.add(path.parent)
    assert not [path for path in silent
                if path.suffix != ".go" or path.parent not in spoken_packages]


def test_no_march():
    builds = [path for path in sources.files()
              if path.name == "CMakeLists.txt" or path.suffix in (".cmake", ".go")]
    assert not offenders(re.compile(r"-march=|-mtune="), builds)


def test_prefetches_go_through_the_function_that_is_not_dropped():
    builtin = re.compile(r"__builtin_" + r"prefetch")
    found = offenders(builtin, [path for path in sources.code() if path.parts[0] in
                                {"libsched", "capi"}])
    assert found and all(line.startswith("libsched/base/prefetch.hpp:") for line in found)
