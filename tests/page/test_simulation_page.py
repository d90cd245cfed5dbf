"""The page of a simulation in a real browser: charts are drawn within their frames, names of pods are
texts, and nothing is asked for or run."""

import pytest

from browser import Browser
from libsched import Cluster, Simulation, TimedWorkload
from libsched.report.simulation import simulation_html

HOSTILE = "<img src=x onerror=window.bad=1>"


def pod(name, cpu, **spec):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {**spec, "containers": [
        {"name": "c", "resources": {"requests": {"cpu": cpu}}}]}}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    nodes = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": f"n{i}"},
              "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}} for i in range(3)]
    workload = TimedWorkload()
    workload.add(pod("small", "1"), replicas=60, interval=2, duration=50)
    workload.add(pod("large", "5"), replicas=9, interval=11, duration=40)
    workload.add(pod("huge", "20"), arrival=30)
    workload.add(pod("urgent", "8", priority=5), arrival=60, duration=10)
    workload.add(pod("foreign", "1", schedulerName=HOSTILE), replicas=2)
    result = Simulation(Cluster(nodes), workload).run()
    assert result.preemption_count
    path = tmp_path_factory.mktemp("page") / "simulation.html"
    path.write_text(simulation_html(result), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser():
    with Browser() as made:
        yield made


@pytest.fixture
def page(browser, file):
    browser.open(file)
    yield browser
    assert browser.run("return window.bad") is None
    assert browser.console() == []
    assert set(browser.requests()) == {file.as_uri()}  # some versions load a page twice


def test_the_page_has_its_charts_and_tables(page):
    assert page.run("return document.querySelector('h1').textContent").startswith("73 pods in ")
    assert page.run("return [...document.querySelectorAll('figcaption')].map((f) => f.textContent)") == [
        "Pods", "Finished pods", "Resources in use", "Free, but of no use to the workload (share of what is free)",
        "Pending pods by reason"]
    assert page.run("return [...document.querySelectorAll('h2')].map((h) => h.textContent)") == [
        "At the end", "Pending", "Ignored", "Preemptions"]
    cards = page.run("return [...document.querySelectorAll('.card')].map((c) => c.innerText)")
    assert "1\npending" in [card.strip() for card in cards]
    assert HOSTILE in page.run("return document.body.innerText")


def test_lines_are_seen_inside_of_their_charts(page):
    lines = page.run("""
        return [...document.querySelectorAll("figure > svg")].map((svg) => {
            const frame = svg.getBoundingClientRect();
            return [...svg.querySelectorAll(".line")].map((line) => {
                const box = line.getBoundingClientRect();
                return {width: box.width / frame.width, stroke: getComputedStyle(line).stroke,
                        inside: box.left >= frame.left && box.right <= frame.right + 1 &&
                                box.top >= frame.top && box.bottom <= frame.bottom};
            });
        })""")
    assert len(lines) == 5
    for chart in lines:
        assert chart
        for line in chart:
            assert line["inside"]
            assert line["width"] > 0.5
            assert line["stroke"] not in ("none", "rgb(0, 0, 0)")
        colours = [line["stroke"] for line in chart]
        assert len(set(colours)) == len(colours)


def test_the_page_says_what_its_times_are(page):
    assert "an action of the scheduler takes a microsecond" in page.run("return document.body.innerText")


def test_the_page_fits_a_phone(page):
    page.resize(390, 800)
    assert page.run("return document.documentElement.scrollWidth") == 390
    page.resize(1400, 900)


def test_the_page_fits_its_window(page):
    assert page.run("return document.documentElement.scrollWidth <= window.innerWidth")
    widths = page.run("return [...document.querySelectorAll('figure > svg')].map((s) => s.clientWidth)")
    assert min(widths) > 400
    cells = page.run("return [...document.querySelectorAll('td:first-child')].map((c) => c.clientWidth)")
    assert min(cells) > 100
    legends = page.run("return document.querySelector('.legend').innerText.split('\\n')")
    assert [name.strip() for name in legends if name.strip()] == [
        "running", "pending", "waiting", "preempted", "ignored"]
