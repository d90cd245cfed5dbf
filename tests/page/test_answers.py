"""The pages about capacity, drains, placements and comparisons in a real browser, from the command line."""

import pathlib
import subprocess
import sys

import pytest

import libsched
from browser import Browser
from libsched.report.answers import capacity_html, compare_html, drain_html, schedule_html

SHOP = pathlib.Path(__file__).resolve().parents[2] / "examples" / "clusters" / "shop.yaml"
PODS = SHOP.parent / "pods"
VERBS = {
    "capacity": [SHOP, "--pod", PODS / "web.yaml"],
    "drain": ["general-a-3", "general-b-1", SHOP],
    "schedule": [SHOP, "--pod", PODS / "deployment.yaml", "--pod", PODS / "huge.yaml"],
    "why": [PODS / "train.yaml", SHOP, "--remove-node", "gpu-train-b-1", "--cordon", "gpu-train-b-2"],
    "compare": [SHOP, "--all", "--remove-node", "general-a-3"],
}
HOSTILE = "</script><img src=x onerror=window.bad=1>\u202e"


@pytest.fixture(scope="module")
def browser():
    with Browser() as made:
        yield made


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of the verbs, and what the verbs print as JSON."""
    folder = tmp_path_factory.mktemp("answers")
    for verb, arguments in VERBS.items():
        done = subprocess.run([sys.executable, "-m", "libsched", verb, *map(str, arguments), "--html",
                               str(folder / f"{verb}.html")], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1) and done.stderr.endswith(f"{verb}.html\n"), done.stderr
    return folder


@pytest.fixture(params=VERBS)
def page(request, browser, pages):
    browser.open(pages / f"{request.param}.html")
    assert browser.run("return document.documentElement.dataset.ready") == "true"
    browser.verb = request.param
    yield browser
    assert browser.run("return window.bad") is None
    assert browser.console() == []


def texts(browser, selector):
    return browser.run("return [...document.querySelectorAll(arguments[0])].map((e) => "
                       "e.innerText.replace(/\\s+/g, ' ').trim())", selector)


def shown(browser):
    return texts(browser, "#table tbody tr:not(.spacer):not(.group)")


def test_what_it_says(page):
    assert texts(page, "#verb") == [f"libsched {page.verb}"]
    assert texts(page, "#state") == [{
        "capacity": "216 more pods fit", "drain": "2 nodes: 8 moved, 6 stays",
        "schedule": "12 of 13 placed", "why": "fits none of 40 nodes", "compare": "35 change"}[page.verb]]
    first = shown(page)[0]
    assert first.startswith({"capacity": "general-a-2 20 eu-north-1a m7.4xlarge NodeResourcesFit",
                             "drain": "kube-system/kube-proxy-hmxps stays general-a-3",
                             "schedule": "batch/encode-", "why": "add 1 node like gpu-train-a-1 or gpu-train-a-2 and 1 more AddNodes", "compare": "kube-system/"}[page.verb])


def test_sorting_searching_and_groups(page):
    rows = shown(page)
    page.click("#table thead button")
    up = shown(page)
    page.click("#table thead button")
    down = shown(page)
    assert up[0] != down[0] and (len(rows) > 40 or sorted(up) == sorted(down) == sorted(rows))
    page.run("const field = document.getElementById('search'); field.value = 'no such thing';"
             "field.dispatchEvent(new Event('input'))")
    assert shown(page) == [] and page.run("return document.getElementById('nothing').hidden") is False
    page.run("document.getElementById('scroll').focus()")
    page.press("Escape")
    assert len(shown(page)) == len(rows)
    page.run("const list = document.getElementById('group'); list.selectedIndex = 1;"
             "list.dispatchEvent(new Event('change'))")
    heads = texts(page, "#table tr.group")
    assert heads
    page.click("#table tr.group")
    assert len(texts(page, "#table tr.group")) >= 1 and shown(page) != rows


def test_a_row_opens(page):
    page.click("#table tbody tr[data-at='0']")
    assert page.run("return document.getElementById('drawer').open") is True
    assert len(texts(page, "#drawer dt")) >= 2
    page.press("Escape")


def test_bars_lead_to_rows(browser, pages):
    browser.open(pages / "drain.html")
    browser.click("#cards button.row")
    assert texts(browser, "#count") == ["8 of 14 pods"] and texts(browser, "#filter") == ["outcome: moved ×"]
    browser.click("#filter")
    assert texts(browser, "#count") == ["14 pods"]


def test_texts_stay_texts(browser, tmp_path):
    made = libsched.Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": "a", "labels": {"topology.kubernetes.io/zone": HOSTILE}},
        "status": {"allocatable": {"cpu": "2", "memory": "1Gi", "pods": "9"}}})
    pod = libsched.Pod({"metadata": {"name": HOSTILE}, "spec": {"containers": [
        {"name": "c", "resources": {"requests": {"cpu": "1"}}}]}})
    scheduler = libsched.Framework()
    capacity = scheduler.capacity(made, pod)
    found = libsched.compare(made, made, [pod], [scheduler])
    placed = scheduler.schedule(made, pod.copies(3))
    drained = scheduler.drain(made, ["a"])
    for number, page in enumerate((capacity_html(capacity, made), drain_html(drained, made, notes=[HOSTILE]),
                                   schedule_html(placed, made, title=HOSTILE), compare_html(found, made))):
        assert page.count("</script>") == 2
        path = tmp_path / f"{number}.html"
        path.write_text(page, encoding="utf-8", errors="surrogatepass")
        browser.open(path)
        assert browser.run("return document.querySelectorAll('img').length") == 0
        assert browser.run("return window.bad") is None and browser.console() == []
        assert any("<img src=x" in text for text in texts(browser, "body"))


def test_many_rows(browser, tmp_path):
    made = libsched.Cluster([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{index}"},
                              "status": {"allocatable": {"cpu": "9", "memory": "1Gi", "pods": "9"}}}
                             for index in range(3000)])
    capacity = libsched.Framework().capacity(made, libsched.Pod({"metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}))
    path = tmp_path / "many.html"
    path.write_text(capacity_html(capacity, made), encoding="utf-8")
    browser.open(path)
    assert texts(browser, "#count") == ["3,000 nodes"] and len(shown(browser)) < 100
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert len(shown(browser)) == 2000 and texts(browser, "#more") == ["... and 1,000 more lines not printed"]
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert len(shown(browser)) < 100
