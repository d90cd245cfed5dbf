"""The blocks in Java of the documentation's pages: whole programs, which print what their comments say."""

import re
import sys

import project
import pytest

sys.path.insert(0, str(project.ROOT / "tests" / "docs"))

import blocks  # noqa: E402

JAVA = [block for block in blocks.blocks() if block.language == "java" and not block.reason]


def test_there_are_some():
    assert len(JAVA) >= 2


@pytest.mark.parametrize("block", JAVA, ids=[f"{block.page}:{block.line}" for block in JAVA])
def test_java(block, bindings, tmp_path):
    name = re.search(r"public final class (\w+)", block.text)[1]
    (tmp_path / f"{name}.java").write_text(block.text)
    project.run("javac", "-Xlint:all", "-Werror", "-cp", bindings / "libsched.jar", "-d", tmp_path,
                tmp_path / f"{name}.java")
    printed = project.run("java", "-cp", f"{bindings / 'libsched.jar'}:{tmp_path}", f"-Djava.library.path={bindings}", name)
    assert blocks.promised(block.text)
    line = blocks.missing(block.text, printed)
    assert line is None, f"{line!r} is not printed there: {printed!r}"
