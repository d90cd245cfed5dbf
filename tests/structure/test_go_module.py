"""The import path of the Go module is in one place, from which everything else follows, also when it changes."""

import importlib.util
import shutil

import pytest

import sources

PUBLIC = "example.org/someone/libsched/go"


def load():
    spec = importlib.util.spec_from_file_location("go_module", sources.ROOT / "packaging" / "go_module.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


go_module = load()


@pytest.fixture
def copy(tmp_path):
    """The files of the checkout that may name the path."""
    for name in sources.files():
        if name.suffix in (".go", ".md") or name.name in ("go.mod", "go-module.txt", "base.h"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sources.ROOT / name, tmp_path / name)
    return tmp_path


def test_all_files_agree_with_the_path(copy):
    assert go_module.differences(copy) == []


def test_a_path_that_can_be_fetched_takes_the_place_of_the_old_one_everywhere(copy):
    before = {path: path.read_text() for path in go_module.files(copy)}
    go_module.move(copy, PUBLIC)
    assert go_module.differences(copy) == [] and go_module.path_of(copy) == PUBLIC
    version = go_module.version_of(copy, PUBLIC)
    kube = (copy / "go" / "kube" / "go.mod").read_text()
    assert f"module {PUBLIC}/kube\n" in kube and f"\t{PUBLIC} {version}\n" in kube
    assert f"replace {PUBLIC} => ../\n" in kube
    assert f'\t"{PUBLIC}/kube/snapshot"\n' in (copy / "examples/go/autoscaler/main.go").read_text()
    assert f'\t"{PUBLIC}"\n' in (copy / "README.md").read_text()
    assert f"-require {PUBLIC}@{version} -replace {PUBLIC}=/path" in (copy / "README.md").read_text()
    # Nothing else has changed, so the way back is exact.
    go_module.move(copy, "libsched")
    assert {path: path.read_text() for path in go_module.files(copy)} == before


@pytest.mark.parametrize("name,old,new", [
    ("go/kube/go.mod", "libsched v0.0.0", "libsched v0.3.0"), ("go/go.mod", "module libsched\n", "module other\n"),
    ("examples/go/autoscaler/main.go", '"libsched/kube"', '"example.org/someone/libsched/go/kube"')])
def test_a_file_that_does_not_agree_is_named(copy, name, old, new):
    text = (copy / name).read_text()
    assert old in text
    (copy / name).write_text(text.replace(old, new))
    assert [line for line in go_module.differences(copy) if line.startswith(name)]
