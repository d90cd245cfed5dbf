"""A Go program without shared objects answers in a root folder that holds nothing but itself and a dump."""

import json
import os

import pytest
from conftest import HERE, ROOT, run

LINK = ["-tags", "libsched_static netgo osusergo", "-ldflags", "-linkmode external -extldflags -static"]


@pytest.fixture(scope="module")
def program(static, tmp_path_factory):
    out = tmp_path_factory.mktemp("go") / "program"
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run("go", "build", *LINK, "-o", out, ".", cwd=HERE / "program",
        env={**static.pkg_config, "PATH": path, "CGO_ENABLED": "1", "GOFLAGS": "", "GOTOOLCHAIN": "local",
             "CC": " ".join(static.cc)})
    return out


def test_it_needs_no_shared_object(program):
    assert "There is no dynamic section" in run("readelf", "-d", program)
    assert "INTERP" not in run("readelf", "-lW", program)


@pytest.mark.parametrize("form", ["yaml", "yaml.gz", "yaml.xz", "yaml.zst"])
def test_it_answers_in_an_empty_root(program, dumps, alone, form):
    said = json.loads(alone(program, f"/dump.{form}", "gpu-train-b-1", files=[dumps / f"dump.{form}"]))
    train, huge = said["pods"]["ml/train"], said["pods"]["batch/huge"]
    assert train["nodes"] == ["gpu-train-b-2"]
    assert train["reasons"] == {
        "node(s) were to be left alone": 1, "Insufficient nvidia.com/gpu": 2, "node(s) were unschedulable": 1,
        "node(s) didn't match Pod's node affinity/selector": 18, "node(s) had untolerated taint(s)": 18}
    assert huge["nodes"] == [] and huge["reasons"]["Insufficient memory"] == 41
    assert "static library" in said["load"]


def test_a_missing_file_is_an_error(program, alone):
    assert "no-such-dump.yaml" in alone(program, "/no-such-dump.yaml", "x", code=1)
