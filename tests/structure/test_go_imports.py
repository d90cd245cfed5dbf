"""go/kube imports stable packages of k8s.io/api alone, because releases come and go with the others."""

import re

import sources


def test_go_kube_imports_only_stable_versions_of_the_api():
    files = [path for path in sources.files() if str(path).startswith("go/kube/") and path.suffix == ".go"
             and not path.name.endswith("_test.go")]
    imported = {found for path in files for found in re.findall(r'"k8s\.io/api/(\w+/\w+)"', sources.text(path))}
    assert "core/v1" in imported
    assert not [package for package in imported if not re.fullmatch(r"\w+/v\d+", package)]


def test_each_minor_of_the_api_is_tested():
    assert [path.stem for path in sorted(sources.ROOT.glob("go/kube/k8s-*.mod"))] == [
        "k8s-0.34", "k8s-0.35", "k8s-0.36", "k8s-0.37"]
    for path in sources.ROOT.glob("go/kube/k8s-*.mod"):
        minor = re.escape(path.stem.removeprefix("k8s-"))
        assert re.search(rf"k8s\.io/api v{minor}\.\d+\n", path.read_text()), path.name


def test_no_version_of_a_program_is_lifted():
    """The first release with resource/v1, and the lowest line `go` that it allows."""
    text = (sources.ROOT / "go/kube/go.mod").read_text()
    assert re.search(r"^go 1\.24\.0$", text, re.MULTILINE)
    assert re.search(r"k8s\.io/api v0\.34\.0\n", text)
