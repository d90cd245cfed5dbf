"""Tests the comparison of documents, and that libsched decides as docs/documents.md says."""

import base64
import json
import pathlib
import random
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import read_documents  # noqa: E402
from harness import documents  # noqa: E402

DOCS = re.sub(r"\s+", " ", (HERE.parents[1] / "docs" / "documents.md").read_text())


def ask(lines):
    return [json.dumps(read_documents.answer(json.loads(line))) for line in lines]


@pytest.mark.parametrize("known", documents.KNOWN, ids=lambda known: known.why)
def test_decisions(known):
    assert f"*{known.why}*" in DOCS
    data = known.example.encode("utf-8", "surrogateescape")
    answer = json.loads(ask([documents.question("manifests", data)])[0])
    if known.accepts == "upstream":
        assert re.search(known.says, answer["error"])
    else:
        assert len(answer["objects"]) == 1
    assert re.search(known.text, data.decode(errors="replace"))


def test_the_seeds_are_accepted():
    for reader, text in documents.SEEDS:
        assert "error" not in json.loads(ask([documents.question(reader, text.encode())])[0])


def test_mutants_are_repeatable_and_mostly_new():
    first = [documents.mutant(random.Random(seed)) for seed in range(200)]
    assert first == [documents.mutant(random.Random(seed)) for seed in range(200)]
    texts = {text.encode() for _, text in documents.SEEDS}
    assert sum(data not in texts for _, data in first) > 190


def test_differences_are_found_and_known_ones_counted():
    def refuses(lines):
        return ['{"error": "duplicate key"}' for _ in lines]

    def accepts(lines):
        return ['{"objects": []}' for _ in lines]
    assert documents.run(accepts, refuses, 30, 1).by_why == {"a key that stands twice in a mapping": 30}
    assert len(documents.run(refuses, accepts, 30, 1).unknown) == 30
    assert documents.run(refuses, refuses, 30, 1).unknown == []
    assert documents.run(ask, ask, 300, 1).unknown == []
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    other = {**pod, "metadata": {"name": "q"}}
    assert documents.difference({"objects": [pod]}, {"objects": [other]})[0] == "both"
    assert documents.difference({"objects": [pod, {"kind": "Secret"}]}, {"objects": [pod]}) is None


def test_small_texts():
    data = b"a: 1\nb: 22\nc: 3\n"
    assert documents.shrink("manifests", data, lambda text: b"2" in text) == b"22"
    assert base64.b64decode(json.loads(documents.question("config", b"x"))["text"]) == b"x"
