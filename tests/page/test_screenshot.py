"""The picture of the README and the site shows what the page of a decision looks like today.

`UPDATE_SCREENSHOT=1 .venv/bin/python -m pytest tests/page/test_screenshot.py` takes it again.
"""

import hashlib
import os
import pathlib

import pytest

from browser import Browser
from libsched import Cluster, Framework
from libsched.report import explain_html

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "manual" / "pages" / "assets" / "explain.png"
DIGEST = PICTURE.with_suffix(".sha256")  # of the page that the picture shows: pixels differ with the fonts of a machine
SIZE = 1280, 720


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    cluster = Cluster.load(ROOT / "examples" / "clusters" / "shop.yaml")
    result = Framework(semantics="1.36").score(cluster, ROOT / "examples" / "clusters" / "pods" / "web.yaml")
    path = tmp_path_factory.mktemp("page") / "explain.html"
    path.write_text(explain_html(result, cluster=cluster), encoding="utf-8")
    return path


def test_the_picture_is_of_todays_page(page):
    digest = hashlib.sha256(page.read_bytes()).hexdigest()
    if os.environ.get("UPDATE_SCREENSHOT"):
        with Browser() as browser:
            browser.resize(*SIZE)
            browser.open(page)
            browser.screenshot(PICTURE)
        DIGEST.write_text(f"{digest}\n")
    assert PICTURE.read_bytes().startswith(b"\x89PNG")
    assert DIGEST.read_text() == f"{digest}\n", "the page looks otherwise now: take the picture again with UPDATE_SCREENSHOT=1"
