"""The README's programs and commands run, and print what it shows; the demo's output is exactly the demo's."""

import os
import re

import project
import pytest

README = (project.ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
VENV_BIN = project.ROOT / ".venv" / "bin"


def blocks(language):
    return [text for name, text in BLOCKS if name == language]


def console():
    """(command, output) of each `$ command` in the console blocks."""
    found = []
    for text in blocks("console"):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def test_the_readme_shows_every_way_in():
    assert console() and blocks("bash") and blocks("c") and blocks("python") and blocks("go") and blocks("java")
    assert "make demo" in README and "make test" in README
    assert README.count("\n") <= 180, "what is for some readers alone goes to docs/manual/pages"


def test_the_demo_prints_what_is_shown():
    printed = project.run("examples/demo.sh")
    for command, output in console():
        assert f"$ {command}\n{output.rstrip()}\n\n" in printed


@pytest.mark.parametrize("text", blocks("bash"))
def test_commands_have_an_answer(text, tmp_path):
    """Each command exits with 0 or 1: yes or no."""
    (tmp_path / "examples").symlink_to(project.ROOT / "examples")
    trap = "trap 'code=$?; [ $code -eq 1 ] || exit $code' ERR"
    path = f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"
    project.run("bash", "-c", f"{trap}\n{text}\ntrue", cwd=tmp_path, env={"PATH": path})
    assert not re.findall(r"--html (\S+)", text) or list(tmp_path.glob("*.html"))


@pytest.mark.parametrize("source", blocks("c"))
def test_c_programs(source, tmp_path):
    program = tmp_path / "program"
    project.run("gcc", "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", project.INCLUDE,
                "-", "-o", program, "-L", project.LIBRARY.parent, "-lsched",
                f"-Wl,-rpath,{project.LIBRARY.parent}", text=source)
    check(source, project.run(program))


@pytest.mark.parametrize("source", blocks("python"))
def test_python_programs(source):
    check(source, project.run(VENV_BIN / "python", "-", text=source))


@pytest.mark.parametrize("source", blocks("go"))
def test_go_programs(source, tmp_path):
    go = project.need("go")
    (tmp_path / "main.go").write_text(source)
    (tmp_path / "go.mod").write_text(
        "module readme\n\ngo 1.24\n\nrequire " f"{project.GO_MODULE} v0.0.0\n\n"
        f"replace {project.GO_MODULE} => {project.ROOT / 'go'}\n")
    env = {"CGO_ENABLED": "1", "GOFLAGS": "-tags=libsched_repo -mod=mod", "GOTOOLCHAIN": "local"}
    project.run(go, "build", "-o", "program", ".", cwd=tmp_path, env=env)
    check(source, project.run(tmp_path / "program"))


def check(source, printed):
    """A program prints the texts of its comments `prints: ...`, in that order."""
    said = re.findall(r"(?://|#|/\*) prints: (.*?)(?: \*/)?$", source, re.MULTILINE)
    assert said, "a program of the README says what it prints"
    at = 0
    for line in said:
        at = printed.find(line, at)
        assert at >= 0, f"{line!r} is not printed there: {printed!r}"
        at += len(line)
