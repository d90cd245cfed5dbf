"""Layers by name: a file includes only its own layer and those before it.

Linking refuses a wrong reference; this test refuses a wrong include of a header that needs no linking.
Third-party headers stay in the layers that may use them, and bindings, examples and black-box tests see
only the C API.
"""

import re

import sources

LAYERS = ["base", "objects", "ingest", "cel", "cluster", "config", "framework", "kept", "run",
          "plugins", "scheduler", "capi"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
CPP = {".cpp", ".hpp", ".c", ".h"}

# Header prefix of a third-party library -> layers that may include it.
THIRD_PARTY = {
    "simdjson": {"ingest"},
    "yaml.h": {"ingest", "config"},
    "zlib.h": {"ingest"},
    "lzma.h": {"ingest"},
    "zstd": {"ingest"},
    "nlohmann/": set(),  # tests only: its destructors allocate, and where memory runs out they end the process
    "curl/": {"net"},
    "openssl/": set(),
    "re2/": {"cel", "config"},
    "doctest/": set(),  # tests only
    "cjson/": set(),
    "benchmark/": set(),
    "pybind11/": set(),
}
PUBLIC_STANDARD = {"stdbool.h", "stddef.h", "stdint.h"}


def includes(path):
    return INCLUDE.findall(sources.text(path) or "")


def layer_of(path):
    parts = path.parts
    if parts[0] == "libsched" and len(parts) > 2:
        return parts[1]
    return {("capi", "src"): "capi", ("net", "src"): "net"}.get(parts[:2])


def may_include(layer, other):
    """Whether a file of a layer may include a header of another; the second library sees only the first."""
    if layer == "net":
        return other in ("base", "net")
    return other in LAYERS and LAYERS.index(other) <= LAYERS.index(layer)


def wrong_includes(layer, included, is_test=False):
    """The included headers that a file of this layer may not include."""
    wrong = []
    for header in included:
        named = re.match(r"(?:libsched/([a-z_]+)|(net|capi)/src)/", header)
        if named and not may_include(layer, named[1] or named[2]):
            wrong.append(header)
        for prefix, allowed in THIRD_PARTY.items():
            if header.startswith(prefix) and layer not in allowed and not is_test:
                wrong.append(header)
    return wrong


def is_of_tests(path):
    """A test, or a header for tests."""
    return path.stem.endswith("_test")


def in_layers():
    return [path for path in sources.files() if path.suffix in CPP and layer_of(path)]


def test_every_folder_is_a_known_layer():
    assert {layer_of(path) for path in in_layers()} <= {*LAYERS, "net"}
    assert len(in_layers()) > 10


def test_layers_include_only_those_before_them():
    wrong = {str(path): found for path in in_layers()
             if (found := wrong_includes(layer_of(path), includes(path), is_of_tests(path)))}
    assert not wrong


def headers_of_tests(included):
    return [header for header in included if header.endswith("_test.hpp")]


def test_only_tests_include_headers_of_tests():
    wrong = {str(path): found for path in in_layers()
             if not is_of_tests(path) and (found := headers_of_tests(includes(path)))}
    assert not wrong
    found = {header for path in in_layers() for header in headers_of_tests(includes(path))}
    assert "libsched/run/fake_plugin_test.hpp" in found


def test_the_debian_package_is_built_without_the_libraries_of_tests():
    wanted = (sources.ROOT / "packaging/debian/control").read_text().partition("Build-Depends:")[2].partition("\n\n")[0]
    assert "libsimdjson-dev" in wanted
    assert not [name for name in ("nlohmann", "doctest", "cjson", "benchmark") if name in wanted]


def test_the_check_itself_refuses():
    assert wrong_includes("base", ["libsched/cluster/cluster.hpp"])
    assert wrong_includes("framework", ["libsched/plugins/in_tree.hpp"])
    assert wrong_includes("objects", ["libsched/commons/x.hpp"])
    assert wrong_includes("config", ["nlohmann/json.hpp"])
    assert wrong_includes("config", ["simdjson.h"])
    assert wrong_includes("scheduler", ["curl/curl.h"])
    assert wrong_includes("scheduler", ["net/src/http/client.hpp"])
    assert wrong_includes("net", ["libsched/cluster/cluster.hpp"])
    assert not wrong_includes("net", ["libsched/base/result.hpp", "curl/curl.h", "libsched/net.h"])
    assert not wrong_includes("plugins", ["libsched/framework/status.hpp", "vector"])


def test_public_headers_include_only_c_basics_and_each_other():
    headers = [path for path in sources.files()
               if path.parts[:2] in (("capi", "include"), ("net", "include")) and path.suffix == ".h"]
    assert len({path.parts[0] for path in headers}) == 2
    wrong = {str(path): header for path in headers for header in includes(path)
             if header not in PUBLIC_STANDARD
             and not (sources.ROOT / "capi" / "include" / header).is_file()}
    assert not wrong


def test_outsiders_see_only_the_c_api():
    wrong = {}
    for path in sources.files():
        outside = path.parts[0] in ("bindings", "examples", "go") or path.parts[:2] in (
            ("tests", "capi"), ("tests", "consumers"))
        if outside and path.suffix in CPP:
            inner = [header for header in includes(path)
                     if re.match(rf"libsched/({'|'.join(LAYERS)})/", header)]
            if inner:
                wrong[str(path)] = inner
    assert not wrong


def test_framework_and_scheduler_name_no_plugin():
    """They use plugins through interfaces only; one file lists the plugins."""
    plugins = {path.parts[2] for path in sources.files()
               if path.parts[:2] == ("libsched", "plugins") and len(path.parts) > 3}
    for path in in_layers():
        if layer_of(path) in ("framework", "kept", "run", "scheduler") and not path.stem.endswith("_test"):
            named = [header for header in includes(path) if header.startswith("libsched/plugins/")
                     or any(f"/{plugin}/" in header for plugin in plugins)]
            assert not named, path


def tells_copies_apart(text):
    return re.findall(r"overlay|is_copy", text, re.IGNORECASE)


def test_plugins_see_a_row_and_a_copy_of_a_node_alike():
    """NodeView reads both; a plugin that asked which of the two it judges would have two answers."""
    makes_copies = {"libsched/plugins/defaultpreemption/victims.cpp"}
    plugins = [path for path in in_layers()
               if layer_of(path) == "plugins" and not is_of_tests(path)]
    found = {str(path) for path in plugins if tells_copies_apart(sources.text(path))}
    assert found == makes_copies
    assert tells_copies_apart("if (call.single->is_copy()) return;")
    assert tells_copies_apart("const NodeOverlay& node = *call.overlay;")


def test_the_scheduler_asks_no_file_and_no_clock_of_the_machine():
    """Time and the API server are interfaces, as in the framework; only the loop has threads."""
    outside = {"fstream", "filesystem", "chrono", "ctime", "time.h", "thread", "cstdio"}
    for path in in_layers():
        if layer_of(path) == "scheduler" and not path.stem.endswith("_test"):
            used = outside & set(includes(path))
            threads = path.name in ("turns.cpp", "binding_threads.cpp")
            assert used <= ({"thread"} if threads else set()), path


# Files whose locks live as long as one call, and files that define the locks for which fork() waits.
OWN_LOCKS = {"libsched/base/mutex.hpp", "libsched/base/mutex.cpp", "libsched/run/crew.hpp",
             "libsched/run/crew.cpp", "libsched/run/binding_run.cpp"}
LOCK = re.compile(
    r"std::(\w*mutex|condition_variable\w*|call_once|once_flag|counting_semaphore|latch)\b")


def test_locks_that_outlive_a_call_are_those_that_fork_waits_for():
    cpp = [path for path in sources.files() if path.suffix in CPP and "_test." not in path.name
           and (path.parts[0] == "libsched" or path.parts[:2] in (("capi", "src"), ("net", "src")))]
    assert cpp
    assert not {str(path): found for path in cpp if str(path) not in OWN_LOCKS
                if (found := LOCK.findall(sources.text(path)))}
    assert LOCK.search("mutable std::recursive_mutex mutex;")
