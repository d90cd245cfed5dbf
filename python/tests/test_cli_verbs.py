"""Verbs that other packages add to the command line, good ones and bad ones."""

import pathlib
import re

import pytest

from manifests import node

ADDS = '''
import libsched

def add(parser):
    """Count the nodes of a cluster, 100 % of them.

    Not in the list.
    """
    parser.description = "Prints how many nodes there are."
    parser.add_argument("cluster")
    parser.add_argument("--fail", action="store_true")
    parser.set_defaults(run=run)

def run(options):
    if options.fail:
        raise libsched.NotFoundError("none here")
    print(len(libsched.Cluster(options.cluster)))
    return 1 if options.cluster == "one.json" else None
'''


@pytest.fixture
def with_verbs(run, tmp_path):
    """Runs `libsched` beside packages: (name, entry points, the text of the package's module)."""

    def go(*arguments, packages=(), files=None):
        for name, entries, text in packages:
            (tmp_path / f"{name}.py").write_text(text)
            info = tmp_path / f"{name}-1.5.dist-info"
            info.mkdir(exist_ok=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
            (info / "entry_points.txt").write_text("[libsched.verbs]\n" + "".join(
                f"{verb} = {name}:{function}\n" for verb, function in entries.items()))
        return run(*arguments, env={"PYTHONPATH": str(tmp_path)}, files=files)

    return go


def test_a_verb_of_another_package(with_verbs):
    packages = [("small", {"count": "add"}, ADDS)]
    files = {"one.json": node("a"), "two.json": {"kind": "List", "apiVersion": "v1",
                                                 "items": [node("a"), node("b")]}}
    done = with_verbs("count", "two.json", packages=packages, files=files)
    assert (done.code, done.out, done.err) == (0, "2\n", "")
    assert with_verbs("count", "one.json").code == 1
    done = with_verbs("count", "one.json", "--fail")
    assert (done.code, done.out, done.err) == (2, "", "libsched: error: none here\n")
    done = with_verbs("count", "--help")
    assert done.code == 0 and done.out.startswith("usage: libsched count [-h] [--fail] cluster\n")
    assert "Prints how many nodes there are." in done.out


def test_the_verb_of_the_documentation(with_verbs):
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "verbs.md").read_text()
    code = re.search(r"^```python[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    done = with_verbs("count", "one.json", packages=[("some_package", {"count": "add"}, code)],
                      files={"one.json": node("a")})
    assert (done.code, done.out, done.err) == (0, "1\n", "")
    assert "Count the nodes of a cluster\n" in with_verbs("--help").out


def test_the_list_has_the_first_line_of_what_is_said_of_a_verb(with_verbs):
    done = with_verbs("--help", packages=[("small", {"count": "add"}, ADDS)])
    assert re.search("^    count +Count the nodes of a cluster, 100 % of them$", done.out, re.MULTILINE)
    assert done.code == 0 and not done.err


def test_a_verb_that_cannot_be_loaded_leaves_the_others_alone(with_verbs):
    broken = [("broken", {"crash": "add", "gone": "nothing", "number": "three", "silent": "silent"},
               "three = 3\ndef silent(parser): pass\n")]
    broken += [("worse", {"worst": "add"}, "raise RuntimeError('not today')\n")]
    done = with_verbs("worst", packages=broken)
    assert done.code == 2 and done.err == ('libsched: error: the verb "worst" of worse 1.5 cannot be loaded: '
                                           "RuntimeError: not today\n")
    assert "AttributeError" in with_verbs("gone").err
    done = with_verbs("number")
    assert done.code == 2 and "broken:three is not a function" in done.err
    done = with_verbs("silent")
    assert done.code == 2 and "does not set the default `run`" in done.err
    done = with_verbs()
    assert done.code == 0 and "Which nodes take a pod" in done.out
    listed = " ".join(done.out.split())
    assert 'worst (the verb "worst" of worse 1.5 cannot be loaded: RuntimeError: not today)' in listed


def test_verbs_of_libsched_ask_no_other_package(with_verbs):
    module = "import sys; sys.exit('imported')"
    done = with_verbs("version", packages=[("nosy", {"version": "add", "other": "add"}, module)])
    assert done.code == 0 and not done.err and "Kubernetes" in done.out


def test_no_verb_of_libsched_can_be_replaced(with_verbs):
    done = with_verbs("--help", packages=[("small", {"fit": "add", "Odd Name": "add"}, ADDS)])
    assert done.code == 0 and "Which nodes take a pod" in done.out and "Count the" not in done.out
    assert done.err.splitlines() == [
        'warning: the verb "Odd Name" of small 1.5 is left out: a name is of lower-case letters, '
        "digits, - and _",
        'warning: the verb "fit" of small 1.5 is left out: libsched has one of this name']


def test_a_verb_of_two_packages_belongs_to_neither(with_verbs):
    packages = [("left", {"count": "add"}, ADDS), ("right", {"count": "add"}, ADDS)]
    done = with_verbs("count", "x", packages=packages)
    assert done.code == 2 and done.err == (
        'libsched: error: left 1.5 and right 1.5 all offer the verb "count"; uninstall all but one\n')
    done = with_verbs("--help")
    assert done.code == 0 and done.err == (
        'warning: the verb "count" cannot be used: left 1.5 and right 1.5 all offer it\n')


def test_a_word_that_is_no_verb(with_verbs):
    done = with_verbs("nonsense", packages=[("small", {"count": "add"}, "raise RuntimeError()")])
    assert done.code == 2 and "there is no command 'nonsense'; the commands are " in done.err and "count" in done.err
