"""The manual pages are made from the command line, complete, and without a warning of the tools that read them."""

import re
import shutil

import project
import pytest

PYTHON = project.ROOT / ".venv" / "bin" / "python"
# Each reads a page from a file, and prints nothing if all is well.
LINTERS = {"mandoc": ["mandoc", "-T", "lint"], "groff": ["groff", "-man", "-T", "utf8", "-ww", "-z"],
           "man": ["man", "--warnings", "-l"]}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    project.run(PYTHON, "packaging/manual.py", folder, env={"SOURCE_DATE_EPOCH": "1764000000"})
    return folder


def help_of(*words):
    return project.run(PYTHON, "-m", "libsched", *words, "--help")


def test_there_is_a_page_for_each_command_and_they_are_listed(pages):
    names = {page.name for page in pages.iterdir()}
    verbs = set(re.findall(r"^    ([a-z-]+)(?: |$)", help_of(), re.MULTILINE))
    verbs.discard("evaluate")  # a verb of a checkout, not of the package
    assert "fit" in verbs
    assert names == {"libsched.1", "kubectl-libsched.1", "libsched-config-check.1",
                     *(f"libsched-{verb}.1" for verb in verbs)}
    whole = (pages / "libsched.1").read_text()
    for name in names - {"libsched.1"}:
        assert f".BR {name.removesuffix('.1')} (1)".replace("-", "\\-") in whole


@pytest.mark.parametrize("words", [["fit"], ["simulate"], ["config", "check"]], ids="-".join)
def test_a_page_has_every_option_and_exit_code(pages, words):
    page = (pages / f"libsched-{'-'.join(words)}.1").read_text().replace("\\-", "-")
    text = help_of(*words)
    options = re.findall(r"^  (?:-\w[^-\n]*, )?(--[a-z-]+)", text, re.MULTILINE)
    assert len(options) > 1
    for option in options:
        assert f"\\fB{option}\\fR" in page, option
    for code in re.findall(r"^  (\d)  ", text, re.MULTILINE):
        assert f"\\fB{code}\\fR" in page


def test_a_page_shows_commands_as_they_are_typed(pages):
    if not shutil.which("man"):
        pytest.skip("no man")
    shown = project.run("man", "-l", pages / "libsched-fit.1", env={"MANWIDTH": "120", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert "libsched fit nodes.json pods.json --pod deployment.yaml --explain gpu-a-3" in shown
    assert "libsched-fit - which nodes take a pod, and why don't the others?" in shown


@pytest.mark.parametrize("tool", LINTERS)
def test_a_reader_of_pages_has_nothing_to_say(pages, tool):
    if tool == "mandoc":
        project.need(tool)
    elif not shutil.which(tool):
        pytest.skip(f"no {tool}")
    for page in sorted(pages.iterdir()):
        said = project.run("sh", "-c", '"$@" 2>&1 >/dev/null', "sh", *LINTERS[tool], page,
                           env={"MANPAGER": "cat", "LC_ALL": "C.UTF-8"}) if tool != "mandoc" else project.run(
                               *LINTERS[tool], page)
        assert not said, page.name


def test_pages_depend_on_the_sources_alone(pages, tmp_path):
    project.run(PYTHON, project.ROOT / "packaging" / "manual.py", tmp_path, cwd=tmp_path,
                env={"SOURCE_DATE_EPOCH": "1764000000"})
    assert {page.name: page.read_bytes() for page in tmp_path.iterdir()} == {
        page.name: page.read_bytes() for page in pages.iterdir()}
