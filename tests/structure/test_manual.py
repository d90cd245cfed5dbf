"""Code in the documentation's pages is in blocks that tests run, and the rest is counted by reason."""

import collections
import re
import sys

import sources

sys.path.insert(0, str(sources.ROOT / "tests" / "docs"))

import blocks  # noqa: E402

ALL = blocks.blocks()
RUN = [block for block in ALL if not block.reason]
# How many blocks are not run, by reason. A new one is counted here, so that none is left out unseen.
NOT_RUN = {
    "needs a cluster": 4,
    "needs a checkout": 4,
    "tests/static runs it": 4,
    "tests/release installs it": 2,
    "tests/release runs it": 1,
    "tests/java runs it": 2,
    "starts a server": 1,
}


def test_every_block_is_accounted_for():
    assert dict(collections.Counter(block.reason for block in ALL if block.reason)) == NOT_RUN
    assert {block.language for block in ALL} <= blocks.LANGUAGES
    assert len(RUN) > 60


def test_no_code_is_outside_of_blocks():
    for page, text in blocks.pages():
        rest = blocks.outside(text)
        assert "```" not in rest, page
        code = re.findall(r"(?:^|\n)\n    \S.*", rest)
        assert not code, f"{page}: an indented block, which no test would run: {code[0].strip()}"


def test_every_file_of_a_page_is_used_there():
    for block in ALL:
        if block.title:
            used = [other for other in ALL if other.page == block.page and other is not block]
            name = block.title.rsplit("/", 1)[-1]
            module = name.removesuffix(".py")
            assert any(name in other.text or re.search(rf"\b{module}\b", other.text) for other in used), block.name
