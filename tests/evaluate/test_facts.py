"""Facts of the golden cases: every reason has some, and they are what a naive reading of the objects gives."""

import collections
import functools
import io
import json
import lzma
import pathlib

import pytest

import naive_facts
from fact_schema import check
from libsched import Framework
from libsched_evaluate.cases import read_cases
from libsched_evaluate.judging import Frameworks, judge

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDENS = sorted((ROOT / "tests/goldens/1.36").glob("*.evaluate.jsonl.xz"))
# Of these the pods on a node are not those of the objects, texts are not well-formed, or plugins are left out; the facts of devices have
# naive ones of their own (test_device_facts.py).
NOT_NAIVE = ("changes", "nominated", "mutated", "drapreempt", "points")


@pytest.fixture(autouse=True)
def with_facts(monkeypatch):
    monkeypatch.setattr(Framework, "_decide",
                        functools.partialmethod(Framework._decide, facts=True))


def same(found, wanted):
    """Whether two lists of facts agree in any order. A list within `wanted` is a choice of tuples of facts."""
    found = list(found)
    for fact in wanted:
        if isinstance(fact, list):
            rest = [one for one in wanted if one is not fact]
            return any(same(found, [*rest, *choice]) for choice in fact)
        at = next((i for i, one in enumerate(found) if naive_facts.agrees(one, fact)), None)
        if at is None:
            return False
        del found[at]
    return not found


def without_problems(found, wanted):
    """Leaves out the facts about requirements that do not parse."""
    for fact in [fact for fact in found if fact.get("problem", "topology") != "topology" and "key" in fact]:
        found.remove(fact)
        shown = {name: value for name, value in fact.items() if name != "problem"}
        wanted = [one for one in wanted if one != shown]
    return found, wanted


def config_of(case, profile, plugin_name):
    config = case.get("config")
    for entry in (config or {}).get("profiles") or [] if isinstance(config, dict) else []:
        if entry.get("schedulerName", "default-scheduler") == profile:
            for plugin in entry.get("pluginConfig") or []:
                if plugin["name"] == plugin_name:
                    return plugin["args"]
    return {}


def check_presence(status, where):
    """Every reason of a rejection has a fact, as in the schema, and an Error has none."""
    facts = status.get("facts", [])
    if status["code"] == "Error":
        assert not facts or status["plugin"] == "DynamicResources", where
        check(status)
        return
    if status["code"] == "Success":
        assert {fact["reason"] for fact in facts} <= {""} or all("missing" in fact for fact in facts), where
        check(status)
        return
    assert {fact["reason"] for fact in facts} == set(status["reasons"]), where
    check(status)


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.name.split(".")[0])
def test_golden_cases_naively(path):
    frameworks = Frameworks()
    compared, left = collections.Counter(), collections.Counter()
    lines = lzma.decompress(path.read_bytes()).splitlines()
    for line in lines:
        raw = json.loads(line)["case"]
        case, = read_cases(io.BytesIO(json.dumps(raw).encode()))
        try:
            result = judge(case, frameworks)
        except Exception as error:
            assert path.name.startswith("mutated"), (raw["name"], error)
            continue
        world = None if path.name.startswith(NOT_NAIVE) else naive_facts.World(
            raw["objects"], raw.get("defaults", False))
        for pod, answer in zip(raw["pods"], result["pods"], strict=True):
            statuses = [(answer[point], None) for point in ("preEnqueue", "preFilter")
                        if point in answer]
            statuses += [(node, node["node"]) for node in answer.get("nodes", [])]
            for status, node in statuses:
                where = (raw["name"], answer["pod"], node, status)
                check_presence(status, where)
                if world is None or not status.get("facts"):
                    continue
                if status["code"] == "Success":  # PreFilter asks for nodes that are not there
                    assert not any(name in world.nodes for fact in status["facts"] for name in fact["missing"]), where
                    continue
                plugin = status["plugin"]
                try:
                    if node is None:
                        wanted = naive_facts.of_pod(world, pod, plugin, status["reasons"][0])
                    else:
                        explain = naive_facts.PLUGINS[plugin]
                        reasons = [status["reasons"][0]] if plugin == "NodeResourcesFit" else \
                            status["reasons"]
                        wanted = [fact for reason in reasons for fact in explain(
                            world, pod, world.nodes[node], reason,
                            config_of(raw, answer["profile"], plugin))]
                except naive_facts.NotNaive:
                    left[plugin] += 1
                    continue
                found, wanted = without_problems(list(status["facts"]), wanted)
                assert same(found, wanted), (*where, wanted)
                compared[plugin] += 1
    if world is not None:
        assert sum(compared.values()) > 3 * sum(left.values())
