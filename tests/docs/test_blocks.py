"""Every code block of the pages does what it shows: programs run, and commands print the output beside them.

Java's blocks run in tests/java, where the bindings are built. The programs of one language are built together.
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
# How many blocks are not run, by reason. A new one is counted here, so that none is left out unseen.
NOT_RUN = {
    "needs a cluster": 4,
    "needs a checkout": 3,
    "tests/static runs it": 4,
    "tests/java runs it": 1,
    "starts a server": 1,
}


def of(*languages, titled=False):
    return [block for block in RUN if block.language in languages and bool(block.title) == titled]


def names(chosen):
    return [f"{block.page}:{block.line}" for block in chosen]


def test_every_block_is_accounted_for():
    assert dict(collections.Counter(block.reason for block in ALL if block.reason)) == NOT_RUN
    assert {block.language for block in ALL} <= blocks.LANGUAGES
    assert len(RUN) > 60


def test_no_code_is_outside_of_blocks():
    for page, text in blocks.pages():
        rest = blocks.outside(text)
        assert "```" not in rest, page
        code = re.findall(r"(?:^|\n)\n    \S.*", rest)
        assert not code, f"{page}: an indented block, which no test would run: {code[0].strip()}"


def test_every_file_of_a_page_is_used_there():
    for block in ALL:
        if block.title:
            used = [other for other in ALL if other.page == block.page and other is not block]
            name = block.title.rsplit("/", 1)[-1]
            module = name.removesuffix(".py")
            assert any(name in other.text or re.search(rf"\b{module}\b", other.text) for other in used), block.name


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
    (folder / "go.mod").write_text("module pages\n\ngo 1.24\n\nrequire libsched v0.0.0\n\n"
                                   f"replace libsched => {project.ROOT / 'go'}\n")
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
