"""The README's programs run, and its commands print exactly the output that it shows."""

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
    assert console() and blocks("c") and blocks("python") and blocks("go")
    assert "make demo" in README and "make test" in README


@pytest.mark.parametrize("command,output", console(), ids=[pair[0][:60] for pair in console()])
def test_commands_print_what_is_shown(command, output):
    path = f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"
    fits_nowhere = ": fits none of" in output
    printed = project.run("bash", "-c", f"set -o pipefail; {command}", env={"PATH": path},
                          code=1 if fits_nowhere else 0)
    assert printed.rstrip("\n") == output.rstrip("\n")


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
