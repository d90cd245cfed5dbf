"""The HTML reference of the C API in a real browser: search, keys, anchors, and no network."""

import subprocess
import sys

import pytest

from browser import Browser


@pytest.fixture(scope="module")
def browser(request, tmp_path_factory):
    root = request.config.rootpath
    page = tmp_path_factory.mktemp("reference") / "index.html"
    subprocess.run([sys.executable, "-m", "reference", "--out", page], check=True, cwd=root / "docs")
    with Browser() as made:
        made.open(page)
        yield made


def found(browser):
    return browser.run("return [...document.querySelectorAll('#found a')].map(a => a.hash)")


def test_search_puts_names_before_texts(browser):
    browser.press("/")
    browser.press("check pod")
    assert found(browser)[0] == "#libsched_check_pod_fits"
    browser.press("Enter")
    top = browser.run("return document.querySelector(':target').getBoundingClientRect().top")
    assert 0 <= top < 200
    browser.press("Escape")
    assert not found(browser)
    browser.run("document.getElementById('search').focus()")
    browser.press("thousandths")  # stands in no name
    assert "#libsched_pod_request" in found(browser)
    browser.press("Escape")


def test_nothing_found_is_said(browser):
    browser.press("/")
    browser.press("qqqq")
    assert browser.run("return !document.getElementById('nothing').hidden")
    browser.press("Escape")


def test_the_theme_can_be_changed(browser):
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(ground)
    browser.click("#theme")
    assert browser.run(ground) != before


def test_nothing_is_wider_than_the_window(browser):
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_it_says_nothing_and_asks_for_nothing(browser):
    assert not browser.console()
    assert all(url.startswith("file:") for url in browser.requests())
