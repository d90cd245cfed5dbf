"""The Java bindings, built once for all tests of this folder."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "package"))

import project  # noqa: E402


@pytest.fixture(scope="session")
def bindings(tmp_path_factory):
    """The folder with libsched.jar and the library that it loads."""
    for tool in ("swig", "javac", "java", "g++"):
        project.need(tool)
    out = tmp_path_factory.mktemp("java")
    project.run("bindings/swig/build_java.sh", out)
    return out


@pytest.fixture(scope="session")
def java(bindings):
    """Runs a Java program with the bindings on its paths; `sources` are compiled beside it."""
    out = bindings
    jar = out / "libsched.jar"
    sources = [*(project.ROOT / "examples" / "java").glob("*.java"),
               *pathlib.Path(__file__).parent.glob("*.java")]
    project.run("javac", "-Xlint:all", "-Werror", "-cp", jar, "-d", out / "programs", *sources)

    def run(program, *arguments, code=0):
        return project.run("java", "-Xcheck:jni", "-ea", "-cp", f"{jar}:{out / 'programs'}",
                           f"-Djava.library.path={out}", program, *arguments, code=code)
    return run
