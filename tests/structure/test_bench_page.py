"""The benchmark's page and the README's table are made of a result; they are tested with made-up figures."""

import html.parser
import json
import re
import sys

import pytest
import sources

sys.path.insert(0, str(sources.ROOT / "tests" / "bench"))

import headlines  # noqa: E402
import html_page  # noqa: E402
import measuring  # noqa: E402
import progress  # noqa: E402
import readme_table  # noqa: E402
import result_rows  # noqa: E402
import run  # noqa: E402
import sections  # noqa: E402
import svg_plots  # noqa: E402
import table  # noqa: E402

SIZES = (1000, 5000)


def figure(*times, **counters):
    return measuring.Figure(list(times), counters)


def made_up():
    """Figures and upstream's result, with every kind of row of the questions by size, documents and boundaries."""
    figures = {}
    for nodes in SIZES:
        for kind in ("basic", "selector", "taints", "spread-hard", "anti-app"):
            figures[f"scale/{nodes}/{kind}/limit-avx2"] = figure(nodes / 5)
            figures[f"scale/{nodes}/{kind}/limit-portable"] = figure(nodes / 2)
            figures[f"scale/{nodes}/{kind}/filter_nodes"] = figure(nodes / 2, nodes / 4, found=nodes)
            figures[f"scale/{nodes}/{kind}/filter"] = figure(nodes / 2, found=nodes)
        figures[f"scale/{nodes}/basic/nothing fits"] = figure(nodes * 2.0, found=0)
    figures["ingest/limit-simdjson"] = figure(2e7, objects=20000, bytes_per_pod=3000.0)
    figures["ingest/parse"] = figure(8e7, objects=20000, bytes_per_pod=3000.0)
    figures["ingest/parse indented"] = figure(9e7, objects=20000, bytes_per_pod=8000.0)
    for door in ("json", "protobuf", "flat"):
        for part in ("read", "write"):
            figures[f"doors/{door}/{part}"] = figure(5000.0, objects=1000, bytes_per_pod=2000.0)
    figures["boundary/call"] = figure(2.0)
    figures["boundary/go/call"] = figure(101.0)
    figures["boundary/python/call"] = figure(150.0)
    for language in ("go", "python"):
        figures[f"boundary/{language}/without"] = figure(1000.0)
        figures[f"boundary/{language}/filter"] = figure(501_000.0)
        figures[f"boundary/{language}/filter_batch"] = figure(900.0)
    for what, time in (("fork", 2000.0), ("add_pods", 5000.0), ("apply", 13_000.0), ("update", 15_000.0)):
        figures[f"boundary/python/step/{what}"] = figure(time)
    peer = {"scale": [{"nodes": nodes, "kind": kind, "what": what, "cpu_ns_min": nodes * 400}
                      for nodes in SIZES for kind in ("basic", "selector", "taints", "spread-hard", "anti-app")
                      for what in ("filter", "nothing fits")],
            "ingest": [{"what": "json", "cpu_ns_per_pod_min": 80_000}]}
    return measuring.Measured(figures), peer


def result(**changes):
    measured, peer = made_up()
    made = {"format": 1, "date": "2026-01-02", "quick": False, "repetitions": 7, "notes": [],
            "machine": {"cpu": "A <fast> CPU", "cpus": 2, "instruction_set": "avx2", "libsched": "0.1.0",
                        "instruction_sets": ["AVX2"], "caches": {"L1 data": 32768}, "memory_gib": 16,
                        "dependent_add_ns": 0.276},
            "load_average": {"before": [0.1, 0, 0], "after": [0.9, 0, 0]},
            "upstream": {"kubernetes": "v1.36.3", "go": "go1.26"}, "gates_met": False,
            "rows": result_rows.make(measured, peer)}
    return {**made, **changes}


def row_of(rows, group, name):
    return next(row for row in rows if row["group"] == group and row["name"] == name)


def test_rows_by_size():
    rows = result()["rows"]
    row = row_of(rows, "by size: PreFilter and Filter on every node", "plain pod, 5,000 nodes")
    assert (row["libsched"]["min"], row["limit"], row["upstream"]) == (2500.0, 1000.0, 2_000_000.0)
    assert (row["to_limit"], row["over_upstream"]) == (2.5, 800.0)
    alone = row_of(rows, "by size: filters alone", "pod anti-affinity, 1,000 nodes")
    assert (alone["libsched"]["min"], alone["upstream"]) == (250.0, None)


def test_rows_of_documents_and_boundaries():
    rows = result()["rows"]
    parse = row_of(rows, "ingest, a pod", "JSON, parse (3,000 bytes a pod)")
    assert (parse["libsched"]["min"], parse["limit"], parse["to_limit"], parse["over_upstream"]) == (4000.0, 1000.0, 4.0, 20.0)
    assert parse["gates"] == [{"text": ">= 100,000 pods/s", "met": True}]
    calls = {row["name"]: row for row in rows if row["group"] == "boundary"}
    assert [gate["met"] for row in calls.values() for gate in row["gates"]] == [True, False, True, True, False]
    assert calls["a Filter plugin in Go, asked node by node, a node"]["libsched"]["min"] == 100.0
    # A batch that costs less than nothing is noise, not a negative time.
    assert calls["a Filter plugin in Go, asked once for 5,000 nodes, a node"]["libsched"]["min"] == 0.0
    # A step is without its fork, also where it is compared with another.
    assert calls["a pod onto a node from Python: apply(pod.replace(node_name=node))"]["libsched"]["min"] == 11_000.0


class Reader(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects ids, links and texts."""

    EMPTY = {"meta", "br"}

    def __init__(self, document):
        super().__init__()
        self.open, self.ids, self.links, self.outside, self.texts = [], set(), set(), [], []
        self.feed(document)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            assert values["id"] not in self.ids
            self.ids.add(values["id"])
        if values.get("href", "").startswith("#"):
            self.links.add(values["href"][1:])
        self.outside += [value for name, value in attributes if name in ("src", "href") and not value.startswith("#")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_is_whole_and_needs_nothing_else():
    made = result()
    document = html_page.page(made)
    page = Reader(document)
    assert page.links <= page.ids and page.links
    assert not page.outside and "url(" not in document and "<script" not in document and "@import" not in document
    text = " ".join(page.texts)
    assert "A <fast> CPU" in text and "A <fast>" not in document
    for row in made["rows"]:
        assert row["name"] in text
    gates = [gate for row in made["rows"] for gate in row["gates"]]
    met = sum(gate["met"] for gate in gates)
    assert 0 < met < len(gates) and f"{met} of {len(gates)}" in text
    assert document.count('class="gate missed"') == len(gates) - met
    assert "NaN" not in document and "inf" not in re.findall(r'd="[^"]*"', document)


def test_the_page_survives_json():
    made = result()
    assert html_page.page(json.loads(json.dumps(made))) == html_page.page(made)


def test_the_page_says_what_is_rough():
    assert "busy" not in html_page.page(result())
    page = html_page.page(result(quick=True, notes=["no Go"], load_average={"before": [5.0], "after": [6.0]}))
    assert "quick run" in page and "no Go" in page and "busy" in page


def test_a_page_without_upstream_and_with_one_group():
    measured = measuring.Measured({"boundary/call": figure(2.0)})
    page = Reader(html_page.page(result(rows=result_rows.make(measured, {}), upstream="left out")))
    assert "without upstream" in " ".join(page.texts) and "ratios" not in page.ids
    Reader(html_page.page(result(rows=[])))


def test_every_group_is_in_one_section():
    rows = result()["rows"] + [{**result()["rows"][0], "group": "something new"}]
    shown = [row for _, groups in sections.sections(rows) for _, found in groups for row in found]
    assert sorted(map(str, shown)) == sorted(map(str, rows))


def test_lines_keep_their_order_and_their_box():
    points = [(1000, 1e3), (100_000, 2e6)]
    plot = svg_plots.lines("t", [("limit", "limit", [(1000, 900.0), (100_000, 1.9e6)]), ("libsched", "libsched", points),
                                 ("upstream", "upstream", [])], str, str)
    ys = [float(y) for y in re.findall(r'<circle class="dot \w+" cx="[\d.]+" cy="([\d.]+)"', plot)]
    assert len(ys) == 4 and ys[0] > ys[2] > ys[3] and all(0 < y < 250 for y in ys)
    ends = [float(y) for y in re.findall(r'<text class="end \w+" x="\d+" y="(-?[\d.]+)"', plot)]
    assert abs(ends[0] - ends[2]) >= 26 - 0.01 and all(0 < y < 250 for y in ends)
    assert svg_plots.lines("t", [("limit", "limit", [])], str, str) == ""


@pytest.mark.parametrize("values,found", [([1.0], (0, 1)), ([90.0, 1.1], (0, 2)), ([0.2, 1000.0], (-1, 3))])
def test_decades(values, found):
    assert svg_plots.decades(values) == found


def test_bars_leave_out_what_has_no_ratio():
    bars = svg_plots.bars([("a", 100.0, "x"), ("b", None, "y"), ("c", 0.5, "z")], str)
    assert bars.count("<li>") == 2 and 'width="1000.0"' in bars and 'width="4.0"' in bars
    assert svg_plots.bars([("b", None, "")], str) == ""


def test_the_readme_table():
    text = readme_table.replaced(f"# x\n{readme_table.BEGIN}\nold\n{readme_table.END}\nrest\n", result())
    assert text.startswith("# x\n") and text.endswith(f"{readme_table.END}\nrest\n") and "old" not in text
    assert "| filter 5,000 nodes | 1.00 us | 2.50 us | 2.00 ms | 800 x |" in text
    assert "| a pod of 3 KB from JSON | 1.00 us | 4.00 us | 80.0 us | 20 x |" in text
    assert "many taints" in readme_table.markdown(result()) and "many taints" not in text
    with pytest.raises(ValueError, match="README.md needs"):
        readme_table.replaced("no markers", result())


def test_the_clock_stands_beside_the_figures():
    clock = "a dependent addition takes 0.28 ns"
    made = result()
    assert f"A <fast> CPU (avx2; {clock})" in readme_table.markdown(made)
    assert clock in " ".join(Reader(html_page.page(made)).texts)
    del made["machine"]["dependent_add_ns"]  # an older record
    assert "A <fast> CPU (avx2)" in readme_table.markdown(made) and clock not in html_page.page(made)


def test_the_recorded_run_is_in_the_readme():
    recorded = json.loads(readme_table.RECORDED.read_text(encoding="utf-8"))
    text = readme_table.README.read_text(encoding="utf-8")
    assert not recorded["quick"] and set(recorded["groups"]) == set(measuring.GROUPS)
    assert readme_table.replaced(text, recorded) == text
    assert len(headlines.found(recorded)) == len(headlines.HEADLINES)
    Reader(html_page.page(recorded))


def test_a_recorded_run_is_shown(tmp_path, capsys):
    source, page = tmp_path / "run.json", tmp_path / "page.html"
    source.write_text(json.dumps(result()), encoding="utf-8")
    assert run.main(["--from", str(source), "--html", str(page)]) == 1
    assert "by size: filters alone" in capsys.readouterr().out and page.read_text().startswith("<!doctype html>")
    assert run.main(["--from", str(tmp_path / "none"), "--html", "-"]) == 2


@pytest.mark.parametrize("arguments,repetitions", [([], 7), (["--quick"], 5), (["--repetitions", "9"], 9)])
def test_repetitions(arguments, repetitions):
    assert run.parse(arguments).repetitions == repetitions


@pytest.mark.parametrize("arguments", [["--repetitions", "6"], ["--quick", "--repetitions", "4"], ["--only", "nothing"]])
def test_refused_arguments(arguments, capsys):
    with pytest.raises(SystemExit):
        run.parse(arguments)
    assert "error" in capsys.readouterr().err


def test_plans():
    programs = measuring.Programs("bench", "oracle", "go", "documents")
    full, quick = (measuring.plan(measuring.GROUPS, programs, 7, short) for short in (False, True))
    assert sum(step.seconds for step in quick) < sum(step.seconds for step in full) / 3
    assert any("million" in step.title for step in full) and not any("million" in step.title for step in quick)
    alone = measuring.plan(["scale"], measuring.Programs("bench"), 7, False)
    assert alone and not any("upstream" in step.title for step in alone)


@pytest.mark.parametrize("group,quick,runs,take_turns", [("fork", False, 6, False), ("fork", True, 1, False), ("snapshot", False, 1, True)])
def test_forks_are_measured_one_benchmark_after_the_other(group, quick, runs, take_turns, monkeypatch):
    commands = []
    report = {"context": {}, "benchmarks": [{"run_type": "iteration", "run_name": "a", "family_index": 0, "cpu_time": 1.0}]}
    monkeypatch.setattr(measuring, "_printed", lambda command, what: commands.append(command) or report)
    measured = measuring.Measured()
    for step in measuring.plan([group], measuring.Programs("bench"), 7, quick):
        step.run(measured)
    assert len(commands) == runs and measured.figures["a"].times == [1.0] * runs
    assert all(("--benchmark_enable_random_interleaving=true" in command) == take_turns for command in commands)


def test_the_runs_that_do_not_take_turns(monkeypatch):
    commands = []
    monkeypatch.setattr(measuring, "_printed", lambda command, what: commands.append(command) or {"context": {}, "benchmarks": []})
    for step in measuring.plan(["filter", "place", "fork", "snapshot"], measuring.Programs("bench"), 7, True):
        step.run(measuring.Measured())
    alone = {command[1] for command in commands if "--benchmark_enable_random_interleaving=true" not in command}
    assert alone == {f"--benchmark_filter=^{name}/" for name in ("run_filter", "rate", "fork/5000")}


class Terminal:
    """A stream that is, or is not, a terminal."""

    def __init__(self, is_terminal):
        self.text, self.isatty = "", lambda: is_terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress(is_terminal):
    stream, ran = Terminal(is_terminal), []
    steps = [measuring.Step(name, 2.0, lambda measured, name=name: ran.append((measured, name))) for name in ("a", "b")]
    progress.Progress(steps, stream).run("m")
    assert ran == [("m", "a"), ("m", "b")]
    if is_terminal:
        assert " 50% 2/2" in stream.text and stream.text.endswith("\r\033[K")
    else:
        assert re.fullmatch(r"\[1/2\] 0:00 a\n\[2/2\] 0:00 b\n", stream.text)


def test_busy():
    assert not table.busy(result()) and table.busy(result(load_average={"before": [0.1], "after": [2.5]}))


def autoscaler(languages=("c", "go"), peak=70, steps=2000, **changes):
    """Figures of a simulated cluster that meet every gate; `changes` replace some, by what is asked."""
    times = {"pack": 39e6, "drain": 80e6, "5000/nothing fits, basic": 5e3, "5000/nothing fits, anti-app": 9e3,
             "5000/fork, add node, check, revert": 2.9e3, "5000/fork, 100 nodes, 1000 pods, revert": 99e3,
             "50000/fork, 100 nodes, 1000 pods, revert": 149e3, "look up a pod": 1.4e3, **changes}
    figures = {f"sim/{language}/{what}": figure(ns * 2, ns, allocations=0.0)
               for what, ns in times.items() for language in languages}
    for pods, mib in ((150_000, peak), (1_000_000, 10 * peak)):
        figures[f"peak/15000/{pods}"] = figure(1e9, peak_bytes=mib * 2**20, bytes_per_node=900.0, bytes_per_pod=30.0)
    peer = {"pack": {"steps": 51_000, "asked": 51_000, "cpu_ns_per_step_min": 80_000},
            "drain": {"steps": steps, "asked": 2000, "cpu_ns_per_step_min": 4_000_000},
            "scale": [{"nodes": 5000, "kind": "basic", "what": "nothing fits", "cpu_ns_min": 1_500_000}]}
    return result_rows.make(measuring.Measured(figures), peer)


def missed(rows):
    return [(row["name"], gate["text"]) for row in rows for gate in row["gates"] if not gate["met"]]


def test_rows_of_an_autoscaler():
    rows = autoscaler()
    assert missed(rows) == [] and sum(len(row["gates"]) for row in rows) == 13
    packing = row_of(rows, "autoscaler", "packing 51,000 pods of two groups onto 2,595 nodes, C")
    assert packing["over_upstream"] == pytest.approx(51_000 * 80_000 / 39e6) and "text" not in packing["notes"]
    emptying = row_of(rows, "autoscaler", "emptying 2,000 nodes with 80,000 pods, 1,200 can go, Go")
    assert emptying["over_upstream"] == pytest.approx(2000 * 4e6 / 80e6)
    first = row_of(rows, "simulated cluster", "first fit, none of 5,000 nodes fits, plain pod, Go")
    assert first["over_upstream"] == pytest.approx(300)


def test_a_simulation_that_was_cut_short_meets_no_gate():
    rows = autoscaler(languages=("c",), steps=500)
    assert missed(rows) == [("emptying 2,000 nodes with 80,000 pods, 1,200 can go, C", ">= 100 x upstream")]
    assert "first 500 of 2,000" in html_page.page(result(rows=rows))


@pytest.mark.parametrize("changes,text", [
    ({"pack": 41e6, "languages": ("c",)}, "<= 40 ms"), ({"drain": 81e6, "languages": ("c",)}, ">= 100 x upstream"),
    ({"5000/nothing fits, basic": 6.1e3}, "<= 6 us"), ({"5000/nothing fits, anti-app": 10.1e3}, "<= 10 us"),
    ({"5000/fork, add node, check, revert": 3.1e3}, "<= 3 us"), ({"look up a pod": 1.6e3}, "<= 1.5 us"),
    ({"5000/fork, 100 nodes, 1000 pods, revert": 101e3}, "<= 100 us"),
    ({"50000/fork, 100 nodes, 1000 pods, revert": 151e3}, "<= 150 us"), ({"peak": 81}, "<= 80 MiB")])
def test_gates_of_an_autoscaler(changes, text):
    assert [gate for _, gate in missed(autoscaler(**changes))] == [text]


def test_a_lookup_that_allocates_misses_its_gate():
    figures = {"sim/go/look up a pod": figure(1e3, allocations=1.0)}
    assert [gate for _, gate in missed(result_rows.make(measuring.Measured(figures), {}))] == ["no allocation"]
