"""go/kube imports stable packages of k8s.io/api alone, because releases come and go with the others."""

import re

import sources


def test_go_kube_imports_only_stable_versions_of_the_api():
    files = [path for path in sources.files() if str(path).startswith("go/kube/") and path.suffix == ".go"
             and not path.name.endswith("_test.go")]
    imported = {found for path in files for found in re.findall(r'"k8s\.io/api/(\w+/\w+)"', sources.text(path))}
    assert "core/v1" in imported
    assert not [package for package in imported if not re.fullmatch(r"\w+/v\d+", package)]


def test_the_newest_api_is_compiled():
    assert re.search(r"k8s\.io/api v0\.37\.\d+", (sources.ROOT / "go/kube/k8s-0.37.mod").read_text())
