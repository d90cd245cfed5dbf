"""tests/capi/failing_allocation_test.cpp lets the allocations of every C function that changes a cluster fail,
and tests/capi/reentry_test.c checks that plugins may not call it."""

import re

import pytest
import sources

# Functions that return a code and take a cluster that is not const.
CHANGING = re.compile(r"\blibsched_rc\s+(libsched_\w+)\s*\([^;]*?(?<!const )\blibsched_cluster \*\w", re.DOTALL)
# Functions that change the cluster of an evaluator, if only for a while.
OF_EVALUATORS = {"libsched_evaluator_assume", "libsched_evaluator_forget", "libsched_schedule",
                 "libsched_schedule_one", "libsched_count_capacity", "libsched_drain_nodes",
                 "libsched_why_json",
                 "libsched_comparison_place"}
# Functions that take a cluster and leave its contents unchanged.
KEEPING = {"libsched_cluster_refresh", "libsched_cluster_snapshot", "libsched_evaluator_create",
           "libsched_scheduler_create"}
TRIED = re.compile(r"CALL\(\s*(libsched_\w+)")
REFUSED = re.compile(r"REFUSED\(\w+,\s*(libsched_\w+)")


def changing(text):
    return set(CHANGING.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))


@pytest.fixture(scope="module")
def found():
    found = set(OF_EVALUATORS)
    for path in sources.files():
        if path.parts[:2] == ("capi", "include") and path.suffix == ".h":
            found |= changing(sources.text(path))
    assert len(found) > 18
    return found


def capi_test(name):
    return sources.text(next(p for p in sources.files() if p.name == name))


def test_every_change_of_a_cluster_is_tried_without_memory(found):
    tried = set(TRIED.findall(capi_test("failing_allocation_test.cpp")))
    # libsched_cluster_clone makes a new cluster and changes none.
    assert found | {"libsched_cluster_clone"} == tried


def test_every_change_of_a_cluster_is_refused_to_plugins(found):
    body = re.search(r"^static void change\(.*?^}", capi_test("reentry_test.c"), re.DOTALL | re.MULTILINE)
    assert set(REFUSED.findall(body[0])) == found - KEEPING


def test_changing_functions_are_recognised():
    assert changing("libsched_rc libsched_a(libsched_cluster *cluster, int n);") == {"libsched_a"}
    assert not changing("libsched_rc libsched_b(const libsched_cluster *cluster, int n);")
    assert not changing("libsched_rc libsched_c(LIBSCHED_OWN libsched_cluster **out);")
    assert not changing("void libsched_d(libsched_cluster *cluster);")
