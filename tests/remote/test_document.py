"""docs/plugin_protocol.md: its examples are valid messages, and its tables are complete."""

import json
import re

import conftest
import pytest
import schema

TEXT = conftest.ROOT.joinpath("docs/plugin_protocol.md").read_text()
EXAMPLES = re.findall(r"^```json (\S+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name, text", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_are_valid(name, text):
    assert schema.wrong(json.loads(text), name) is None


def test_each_message_is_described():
    assert {name for name, _ in EXAMPLES} > {"stream/hello", "stream/nodes", "http/filter", "answer/filter"}
    calls = {name.partition("/")[2] for name in schema.DEFS if name.startswith(("http/", "stream/"))}
    assert len(calls) == 28
    assert not [call for call in calls if f"`{call}`" not in TEXT]


@pytest.mark.parametrize("name, message", [
    ("http/filter", {"protocol": 1, "plugin": "P", "args": None, "state": "s", "pod": {}}),
    ("http/filter", {"protocol": 2, "plugin": "P", "args": None, "state": "s", "pod": {}, "nodes": []}),
    ("http/filter", {"protocol": 1, "plugin": "P", "args": None, "state": "s", "pod": {}, "nodes": [3]}),
    ("http/health", {"protocol": 1, "plugin": "P", "more": 1}),
    ("stream/filter", {"id": 1, "call": "filter", "state": "s", "pod": 1, "nodes": 1}),
    ("stream/filter", {"id": True, "call": "filter", "state": "s", "pod": 1, "nodes": 1, "columns": []}),
    ("stream/ping", {"id": 1, "call": "pong"}), ("answer/queueSort", {}),
    ("answer/describe", {"protocol": 1, "points": ["filtre"]}), ("answer/filter", {"codes": ["Success"]}),
    ("answer/bind", {"code": "Done"})])
def test_the_schema_refuses(name, message):
    assert schema.wrong(message, name)
