"""The example clusters are byte for byte the output of their script, and match the README."""

import gzip
import subprocess
import sys

import sources
import yaml

CLUSTERS = sources.ROOT / "examples" / "clusters"


def test_committed_files_are_what_the_script_makes(tmp_path):
    subprocess.run([sys.executable, CLUSTERS / "make_cluster.py", tmp_path], check=True)
    assert (tmp_path / "shop.yaml").read_bytes() == (CLUSTERS / "shop.yaml").read_bytes()
    made, committed = (gzip.decompress((folder / "region.json.gz").read_bytes())
                       for folder in (tmp_path, CLUSTERS))
    assert made == committed


def test_the_yaml_says_what_was_meant():
    """A YAML library reads the writer's output as the original document."""
    sys.path.insert(0, str(CLUSTERS))
    import make_cluster
    text = (CLUSTERS / "shop.yaml").read_text()
    assert yaml.load(text, yaml.CSafeLoader) == make_cluster.cluster()


def test_the_shop_has_what_it_promises():
    items = yaml.load((CLUSTERS / "shop.yaml").read_text(), yaml.CSafeLoader)["items"]
    nodes = [item for item in items if item["kind"] == "Node"]
    pods = [item for item in items if item["kind"] == "Pod"]
    assert len(nodes) == 41 and len(pods) > 200
    assert sum("nvidia.com/gpu" in node["status"]["allocatable"] for node in nodes) == 9
    assert sum(node["spec"].get("unschedulable", False) for node in nodes) == 1
    assert len({node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes}) == 3
    assert {pod["spec"].get("nodeName") for pod in pods} - {None} <= {
        node["metadata"]["name"] for node in nodes}
    assert (CLUSTERS / "shop.yaml").stat().st_size < 2_000_000
