"""Every code block of the pages does what it shows: programs run, and commands print the output beside them.

Java's blocks run in tests/java, where the bindings are built. The programs of one language are built together.
tests/structure/test_manual.py counts the blocks, and finds code that is in none.
"""

import collections
import json
import os
import re
import subprocess
import sys

import pytest

import blocks
import project

ALL = blocks.blocks()
RUN = [block for block in ALL if not block.reason]


def of(*languages, titled=False):
    return [block for block in RUN if block.language in languages and bool(block.title) == titled]


def names(chosen):
    return [f"{block.page}:{block.line}" for block in chosen]


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """An installed library, for commands that compile."""
    folder = tmp_path_factory.mktemp("prefix")
    project.run("cmake", "--install", project.RELEASE, "--prefix", folder)
    return folder


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """For each page a folder with its files and the examples."""
    root = tmp_path_factory.mktemp("pages")
    made = {}
    for block in RUN:
        if block.page not in made:
            folder = made[block.page] = root / block.page.replace("/", "_").removesuffix(".md")
            folder.mkdir()
            for name in ("examples", "docs"):
                (folder / name).symlink_to(project.ROOT / name)
        if block.title:
            path = made[block.page] / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
    return made


@pytest.fixture(scope="session")
def environment(prefix):
    library = next(prefix.rglob("libsched.so")).parent
    return {"PATH": f"{project.ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100",
            "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library),
            "LIBSCHED_CHECKOUT": str(project.ROOT), "GOTOOLCHAIN": "local", "CGO_ENABLED": "1",
            "GOFLAGS": "-mod=mod -tags=libsched_repo"}


def check(block, printed):
    assert blocks.promised(block.text), f"{block.name} does not say what it prints"
    line = blocks.missing(block.text, printed)
    assert line is None, f"{line!r} is not printed there: {printed!r}"


SHELL = of("console", "bash")


@pytest.mark.parametrize("block", SHELL, ids=names(SHELL))
def test_commands(block, folders, environment):
    folder = folders[block.page]
    if "| jq " in block.text:
        project.need("jq")
    if block.language == "bash":
        project.run("bash", "-euo", "pipefail", "-c", block.text, cwd=folder, env=environment)
        return
    for command, output in blocks.commands(block.text):
        # 1 is the answer no; anything worse is a failure, also of a part of a pipe.
        printed = project.run("bash", "-c", f"set -o pipefail; {command}\ncode=$?; [ $code -le 1 ]", cwd=folder,
                              env=environment)
        assert printed.rstrip("\n") == output, command


@pytest.fixture(scope="session")
def python(folders):
    pages = collections.defaultdict(list)
    for block in of("python"):
        pages[block.page].append({"name": block.name, "text": block.text})
    asked = [{"folder": str(folders[page]), "blocks": listed} for page, listed in pages.items()]
    runner = project.ROOT / "tests" / "docs" / "run_python.py"
    done = subprocess.run([sys.executable, runner], input=json.dumps(asked), text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


PYTHON = of("python")


@pytest.mark.parametrize("block", PYTHON, ids=names(PYTHON))
def test_python(block, python):
    if "RemotePlugin(" in block.text:
        project.need_net()
    answer = python[block.name]
    assert not answer["failure"], answer["failure"]
    if blocks.promised(block.text) or "print(" in block.text:
        check(block, answer["printed"])


C = of("c", "cpp")


@pytest.mark.parametrize("block", C, ids=names(C))
def test_c_and_cpp(block, folders, tmp_path):
    compiler = ["gcc", "-x", "c", "-std=c11"] if block.language == "c" else ["g++", "-x", "c++", "-std=c++20"]
    program = tmp_path / "program"
    project.run(*compiler, "-Wall", "-Wextra", "-Werror", "-I", project.INCLUDE, "-", "-o", program,
                "-L", project.LIBRARY.parent, "-lsched", f"-Wl,-rpath,{project.LIBRARY.parent}", text=block.text)
    check(block, project.run(program, cwd=folders[block.page]))


GO = of("go")


@pytest.fixture(scope="session")
def go(tmp_path_factory, environment):
    """The folder of all programs in Go, built in one go."""
    folder = tmp_path_factory.mktemp("go")
    for block in GO:
        (folder / block.name).mkdir()
        (folder / block.name / "main.go").write_text(block.text)
    # The versions are those of package kube, so nothing is asked of the network that it does not need itself.
    kube = project.ROOT / "go" / "kube"
    required = re.findall(r"^require \(\n.*?^\)$", (kube / "go.mod").read_text(), re.DOTALL | re.MULTILINE)
    (folder / "go.mod").write_text("\n".join([
        "module pages", "go 1.26.0", *required, f"require {project.GO_MODULE}/kube v0.0.0",
        f"replace {project.GO_MODULE} => {project.ROOT / 'go'}", f"replace {project.GO_MODULE}/kube => {kube}", ""]))
    (folder / "go.sum").write_bytes((kube / "go.sum").read_bytes())
    (folder / "bin").mkdir()
    project.run(project.need("go"), "build", "-o", "bin", "./...", cwd=folder, env=environment)
    return folder / "bin"


@pytest.mark.parametrize("block", GO, ids=names(GO))
def test_go(block, go, folders):
    check(block, project.run(go / block.name, cwd=folders[block.page]))


def messages(text):
    """The values of a text, one after the other."""
    found, at = [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = json.JSONDecoder().raw_decode(text, at)
        found.append(value)
    return found


DATA = [block for block in RUN if block.language in ("json", "yaml", "toml")]


@pytest.mark.parametrize("block", DATA, ids=names(DATA))
def test_data(block):
    import tomllib

    import yaml
    read = {"json": messages, "yaml": lambda text: list(yaml.safe_load_all(text)), "toml": tomllib.loads}
    assert read[block.language](block.text)
