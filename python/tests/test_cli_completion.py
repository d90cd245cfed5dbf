"""`libsched completion`: real shells complete commands, options, values and files."""

import re
import subprocess
import sys

import pytest

import shells
from libsched.cli import main as run_main

# What is typed before Tab, and what the program gets; None: nothing can be added.
CASES = [
    ("expl", ["explain"]),
    ("--vers", ["--version"]),
    ("fit --outp", ["fit", "--output"]),
    ("fit -o ya", ["fit", "-o", "yaml"]),
    ("fit --output ya", ["fit", "--output", "yaml"]),
    ("fit --output=ya", ["fit", "--output=yaml"]),
    ("fit clus", ["fit", "cluster.yaml"]),
    ("fit --pod clus", ["fit", "--pod", "cluster.yaml"]),
    ("fit cluster.yaml --pod my", ["fit", "cluster.yaml", "--pod", "my pods.yaml"]),
    ("fit --profile clus", ["fit", "--profile", "clus"]),
    ("fit cluster.yaml -o yaml --pend", ["fit", "cluster.yaml", "-o", "yaml", "--pending"]),
    ("fit cluster.yaml --plugin clus", ["fit", "cluster.yaml", "--plugin", "cluster.yaml"]),
    ("simulate cluster.yaml --tables fo", ["simulate", "cluster.yaml", "--tables", "folder/"]),
    ("why default/web clus", ["why", "default/web", "cluster.yaml"]),
    ("cel --slices clus", ["cel", "--slices", "cluster.yaml"]),
    ("config ch", ["config", "check"]),
    ("config check clus", ["config", "check", "cluster.yaml"]),
    ("config check --js", ["config", "check", "--json"]),
    ("completion z", ["completion", "zsh"]),
    ("version --js", ["version", "--json"]),
]
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def folder(tmp_path):
    """A folder with files to be completed."""
    for name in ("cluster.yaml", "my pods.yaml", "folders.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def scripts():
    return {shell: subprocess.run([sys.executable, "-m", "libsched", "completion", shell], check=True,
                                  capture_output=True, text=True).stdout for shell in SHELLS}


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_a_shell_completes_what_is_typed(scripts, folder, name):
    shells.need(name)
    with shells.Shell(name, folder, scripts[name]) as shell:
        got = {line: [word.rstrip() for word in shell.complete(f"libsched {line}")] for line, _ in CASES}
    # bash and zsh differ in whether they add the slash of a folder.
    assert {line: [word.rstrip("/") for word in words] for line, words in got.items()} == {
        line: [word.rstrip("/") for word in words] for line, words in CASES}


def test_fish_completes_what_is_typed(scripts, folder):
    shells.need("fish")
    offers = shells.fish_offers(folder, scripts["fish"], [f"libsched {line}" for line, _ in CASES])
    for (line, words), offered in zip(CASES, offers, strict=True):
        wanted = [] if words[-1] == line.split()[-1] else [words[-1]]
        assert [offer.replace("\\ ", " ") for offer in offered] == wanted, line


def test_bash_without_the_equals_sign_among_its_word_breaks(scripts, folder):
    with shells.Shell("bash", folder, scripts["bash"] + "\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//=}\n") as shell:
        assert shell.complete("libsched fit --output=ya") == ["fit", "--output=yaml"]


def test_after_two_dashes_there_are_no_options(scripts, folder):
    with shells.Shell("bash", folder, scripts["bash"]) as shell:
        assert shell.complete("libsched fit -- --pend") == ["fit", "--", "--pend"]


def test_a_script_has_every_option_of_every_command(scripts, capsys):
    assert main(["--help"]) == 0
    listed = re.findall(r"^    ([a-z-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert {"fit", "cel", "kubectl-line", "completion"} <= set(listed)
    for verb in listed:
        assert main([verb, "--help"]) == 0
        options = re.findall(r"^  (?:-\w[^-\n]*, )?(--[a-z-]+)", capsys.readouterr().out, re.MULTILINE)
        for shell, text in scripts.items():
            function = {"bash": f'"libsched {verb}")', "zsh": f"_libsched__{verb.replace('-', '_')}() {{",
                        "fish": f"-a {verb} "}[shell]
            assert function in text, (shell, verb)
            for option in options:
                assert (f" -l {option[2:]} " if shell == "fish" else option) in text, (shell, verb, option)


def main(arguments):
    """Runs the command line here; argparse ends --help by an exception."""
    try:
        return run_main(arguments)
    except SystemExit as end:
        return end.code


def test_verbs_of_other_packages_are_completed(run, tmp_path):
    (tmp_path / "small.py").write_text(
        "def add(parser):\n    'Count 100% of it.'\n    parser.add_argument('--deep-down', metavar='FILE', help='a [b] it\\'s: c')\n"
        "def bad(parser): pass\n")
    info = tmp_path / "small-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: small\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[libsched.verbs]\ncount = small:add\ngone = small:nothing\n")
    for name in ("bash", "zsh"):
        if name == "zsh":
            shells.need(name)
        text = run("completion", name, env={"PYTHONPATH": str(tmp_path)}).out
        assert "gone" not in text
        with shells.Shell(name, tmp_path, text) as shell:
            assert [word.rstrip() for word in shell.complete("libsched count --deep-down sma")] == [
                "count", "--deep-down", "small"], name


def test_a_shell_that_is_not_known(run):
    done = run("completion", "csh")
    assert done.code == 2 and "invalid choice: 'csh'" in done.err
