"""The Java bindings by SWIG: the example answers as the C one does, and misuse ends in exceptions."""

import re
import sys

import project
import pytest

sys.path.insert(0, str(project.ROOT / "docs"))

from reference import model  # noqa: E402

CLUSTERS = project.ROOT / "examples" / "clusters"
SHOP = CLUSTERS / "shop.yaml"
TRAIN = CLUSTERS / "pods" / "train.yaml"
INTERFACE = project.ROOT / "bindings" / "swig" / "libsched.i"
JAVA = project.ROOT / "bindings" / "swig" / "java.i"


def test_a_plugin_in_java_is_asked_about_the_nodes_that_upstreams_take(java):
    said = java("DrainedZone", SHOP, TRAIN, "eu-north-1b", code=1)
    drained = [line.split()[0] for line in said.splitlines() if "zone that is being drained" in line]
    assert drained == ["gpu-train-b-1", "gpu-train-b-2"] and " fits" not in said
    from_c = project.RELEASE / "examples" / "example_c_plugin"
    if from_c.exists():
        assert said == project.run(from_c, SHOP, TRAIN, "eu-north-1b", code=1)


def test_a_plugin_in_java_that_lets_pods_pass(java):
    said = java("DrainedZone", SHOP, TRAIN, "nowhere")
    fitting = [line.split()[0] for line in said.splitlines() if line.endswith(" fits")]
    assert fitting == ["gpu-train-b-1", "gpu-train-b-2"]


def test_a_wrong_input_is_named(java, tmp_path):
    wrong = tmp_path / "pod.yaml"
    wrong.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n"
                     "  - resources: {requests: {cpu: lots}}\n")
    said = java("DrainedZone", SHOP, wrong, "x", code=2)
    assert "spec.containers[0].resources.requests.cpu: " in said


CHECKS = ["texts", "outputs", "errors", "ownership", "forks", "changes", "options", "scores", "bitmaps", "throwing",
          "collected", "refused", "scheduling", "answers", "edits", "compared", "daemons", "queue", "scheduler", "registeredEvents", "filterOptions",
          "apiServer", "methods", "printed", "sim", "nominated"]


@pytest.mark.parametrize("name", CHECKS)
def test_check(java, name):
    # Before it may stand what -Xcheck:jni says of SWIG's own code.
    assert java("Checks", name).splitlines()[-1] == f"{name}: ok"


def functions_with(pattern):
    """Names of the C functions whose declaration matches; those that the interface leaves out not."""
    left_out = set(re.findall(r"%ignore (libsched_\w+);", INTERFACE.read_text() + JAVA.read_text()))
    return {symbol.name for header in model.read_all(project.INCLUDE) for symbol in header.symbols
            if symbol.kind == "function" and symbol.name not in left_out
            and re.search(pattern, " ".join(symbol.parameters))}


def test_every_result_of_a_fallible_function_comes_back_as_a_result():
    """A function with an `out` that java.i does not name would lose what it made."""
    named = JAVA.read_text()
    given = functions_with(r"\*\*out\b|libsched_str \*out\b|bool \*out\b")
    assert len(given) > 20
    assert not {name for name in given if f"{name})" not in named and f"{name} " not in named}


def test_the_example_of_the_readme(java, tmp_path):
    text = (project.ROOT / "README.md").read_text()
    program = re.search(r"```java\n(.*?)```", text, re.DOTALL)[1]
    (tmp_path / "Fits.java").write_text(program)
    said = java(tmp_path / "Fits.java")
    assert said.splitlines() == re.findall(r"// prints: (.*)", program)
