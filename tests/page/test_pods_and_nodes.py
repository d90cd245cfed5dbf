"""The page with several pods and their cluster: the picker, groups, the drawer about a node, folding, print."""

import pytest

import libsched
from browser import Browser
from libsched.report import explain_html

HOSTILE = "<b>z</b>\u202e"


def node(name, zone, cpu, **spec):
    return {"apiVersion": "v1", "kind": "Node", "spec": spec,
            "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone,
                                                  "disk": "ssd", "kubernetes.io/hostname": name}},
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "10"}}}


def pod(name, cpu, **spec):
    return libsched.Pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}], **spec}})


@pytest.fixture(scope="module")
def cluster():
    taint = [{"key": "gpu", "value": HOSTILE, "effect": "NoSchedule"}]
    made = libsched.Cluster([node("a-1", "a", "4"), node("a-2", "a", "8"), node("b-1", HOSTILE, "4"),
                             node("b-2", HOSTILE, "4", taints=taint)])
    made.add_pods(pod("runs", "1500m"), "a-1")
    return made


@pytest.fixture(scope="module")
def file(cluster, tmp_path_factory):
    scheduler = libsched.Framework()
    results = [scheduler.score(cluster, one, facts=True) for one in (
        pod("web", "500m", nodeSelector={"disk": "ssd"}), pod("big", "6"), pod("huge", "64"))]
    path = tmp_path_factory.mktemp("pods") / "pods.html"
    path.write_text(explain_html(results, cluster=cluster), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser():
    with Browser() as made:
        yield made


@pytest.fixture
def page(browser, file):
    browser.open("/dev/null")  # an address that differs in its # alone is no new page
    browser.requests()
    browser.open(file)
    assert browser.run("return document.documentElement.dataset.ready") == "true"
    yield browser
    assert browser.run("return window.bad") is None
    assert browser.console() == []
    assert {url.split("#")[0] for url in browser.requests()} == {file.as_uri()}


def choose(browser, select, index):
    browser.run("const list = document.getElementById(arguments[0]); list.selectedIndex = arguments[1];"
                "list.dispatchEvent(new Event('change'))", select, index)


def texts(browser, selector):
    return browser.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText.replace(/\\s+/g, ' ').trim())",
                       selector)


def test_one_page_has_all_pods(page):
    assert texts(page, "#picker option") == ["✓ default/web", "✓ default/big", "✗ default/huge"]
    assert texts(page, "h1") == ["default/web"] and texts(page, "#state") == ["fits 3 of 4 nodes"]
    choose(page, "picker", 1)
    assert texts(page, "h1") == ["default/big"] and texts(page, "#state") == ["fits 1 of 4 nodes"]
    assert page.run("return location.hash") == "#default%2Fbig"
    page.click("#next")
    assert texts(page, "h1") == ["default/huge"]
    assert texts(page, "#notice") == ["0/4 nodes are available: 1 node(s) had untolerated taint(s), "
                                      "3 Insufficient cpu."]
    assert page.run("return document.querySelector('#values input:checked').value") == "filters"
    page.click("#next")
    assert texts(page, "h1") == ["default/web"]
    assert page.run("return document.querySelector('#values input:checked').value") == "weighted"


def test_an_address_names_a_pod(browser, file):
    browser.open("/dev/null")
    browser._ask("POST", "/url", {"url": file.as_uri() + "#default%2Fhuge"})
    assert texts(browser, "h1") == ["default/huge"]
    assert browser.console() == []


def test_what_the_pod_asks(page):
    assert texts(page, "#asks .amounts") == ["0.5 cpu"]
    assert texts(page, "#asks .line") == ["node selector disk=ssd"]


def test_rows_tell_the_facts(page):
    choose(page, "picker", 1)
    facts = texts(page, "#table .fact")
    assert "cpu: asks 6, free 2.5 of 4" in facts and "cpu: asks 6, free 4 of 4" in facts
    assert any(fact.startswith("taint gpu=<b>z</b>") for fact in facts)


def test_groups(page):
    assert texts(page, "#group option")[:2] == ["No groups", "Zone"]
    choose(page, "group", 1)
    heads = texts(page, "#table tr.group")
    assert len(heads) == 2 and any(head.startswith("▾a 2 of 2 up to ") for head in heads)
    assert any("<b>z</b>\\u{202e} 1 of 2" in head for head in heads)
    assert len(texts(page, "#table tbody tr:not(.spacer)")) == 6
    page.click("#table tr.group")
    assert len(texts(page, "#table tbody tr:not(.spacer)")) == 4
    page.click("#table tr.group")
    assert len(texts(page, "#table tbody tr:not(.spacer)")) == 6
    choose(page, "group", 0)
    assert texts(page, "#table tr.group") == []


def test_search_looks_at_labels_and_taints(page):
    for words, found in (("topology.kubernetes.io/zone=a", "2 of 4 nodes"), ("gpu= noschedule", "1 of 4 nodes"),
                         ("disk=ssd", "4 nodes")):
        page.run("const field = document.getElementById('search'); field.value = arguments[0];"
                 "field.dispatchEvent(new Event('input'))", words)
        assert texts(page, "#count") == [found]


def test_the_drawer_knows_the_node(page):
    page.run("[...document.querySelectorAll('#table tr[data-at]')].find((row) => row.innerText.startsWith('a-1')).click()")
    assert texts(page, "#drawer .resources tbody tr")[:1] == ["cpu 0.5 2.5 4"]
    assert texts(page, "#drawer .labels dt.asked") == ["disk"]
    assert "topology.kubernetes.io/zone" in texts(page, "#drawer .labels dt")
    page.press("Escape")
    page.run("[...document.querySelectorAll('#table tr[data-at]')].find((row) => row.innerText.startsWith('b-2')).click()")
    assert texts(page, "#drawer .tags span") == ["gpu=<b>z</b>\\u{202e}:NoSchedule"]
    assert page.run("return document.querySelectorAll('#drawer b b').length") == 0
    page.press("Escape")
    choose(page, "picker", 1)
    page.run("[...document.querySelectorAll('#table tr[data-at]')].find((row) => row.innerText.startsWith('a-1')).click()")
    assert texts(page, "#drawer .resources tr.lacking") == ["cpu 6 2.5 4"]
    page.press("Escape")


def test_columns_of_zeros_are_folded(page):
    shown = texts(page, "#table thead th")
    assert not any("ImageLocality" in title for title in shown)
    assert "ImageLocality" in page.run("return document.getElementById('folded').title")
    page.click("#folded")
    assert any("ImageLocality" in title.replace(" ", "") for title in texts(page, "#table thead th"))
    page.click("#folded")
    assert texts(page, "#table thead th") == shown


def test_bars_begin_near_the_lowest_total(page):
    totals = [int(text) for text in texts(page, "#cards ol b")]
    start = int(texts(page, "#axis")[0].split("begin at ")[1].split(":")[0])
    assert 0 < start <= min(totals)
    widths = page.run("return [...document.querySelectorAll('#cards ol .stack')].map((bar) =>"
                      "[...bar.children].reduce((sum, part) => sum + parseFloat(part.style.width || 4), 0))")
    assert widths == sorted(widths, reverse=True) and abs(widths[0] - 100) < 0.1 and widths[-1] < 90


def test_print_has_all_rows(page):
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert len(texts(page, "#table tbody tr")) == 4
    page.run("window.dispatchEvent(new Event('afterprint'))")
    assert len(texts(page, "#table tbody tr:not(.spacer)")) == 4


def test_a_pod_that_runs_here_takes_nothing_from_itself(cluster, tmp_path, browser):
    runs = cluster.pods["default/runs"]
    with cluster.fork():
        cluster.remove_pod(runs.key)
        result = libsched.Framework().score(cluster, runs.copy(node_name=""))
    path = tmp_path / "runs.html"
    path.write_text(explain_html(result, cluster=cluster, absent=True), encoding="utf-8")
    browser.open(path)
    browser.run("[...document.querySelectorAll('#table tr[data-at]')].find((row) => row.innerText.startsWith('a-1')).click()")
    assert texts(browser, "#drawer .resources tbody tr")[0] == "cpu 1.5 4 4"
    browser.press("Escape")
    assert browser.console() == []
