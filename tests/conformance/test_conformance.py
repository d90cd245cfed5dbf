"""Tests of the conformance runner with stand-ins for the oracle and for libsched."""

import json
import pathlib
import random
import stat
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import conformance  # noqa: E402
import fake_oracle  # noqa: E402
from harness import goldens, legitimate, mutated, mutation, report, scripts, shrinking, work  # noqa: E402
from harness.comparison import FIELDS, compare, compare_mutant  # noqa: E402
from harness.cycles import compare_cycles  # noqa: E402
from harness.service import Crash, Service, ServiceError  # noqa: E402


def pod(name, nodes="ab", **more):
    return {"pod": name, "nodes": [{"node": n, "code": "Success"} for n in nodes],
            "feasible": list(nodes), **more}


def golden(*pods, mode="evaluate"):
    return {"name": "c", "mode": mode, "pods": list(pods)}


def judged(want, have, **options):
    return compare(want, json.dumps(have), **options)


class TestCompare:
    def test_equal(self):
        verdict = judged(golden(pod("x"), pod("y")), golden(pod("x"), pod("y")))
        assert (verdict.pods, verdict.compared, verdict.differences) == (2, 2, [])

    @pytest.mark.parametrize("field, value", [
        ("nodes", []), ("feasible", ["b", "a"]), ("preFilter", {"code": "Success"}),
        ("preEnqueue", {"code": "Unschedulable"}), ("error", "boom")])
    def test_each_field_counts(self, field, value):
        verdict = judged(golden(pod("x"), pod("y")), golden(pod("x"), {**pod("y"), field: value}))
        assert [(d.pod, d.field) for d in verdict.differences] == [("y", field)]
        assert "pod y" in str(verdict.differences[0])

    def test_missing_field_differs(self):
        assert judged(golden(pod("x")), golden({"pod": "x"})).differences
        assert judged(golden({"pod": "x"}), golden(pod("x"))).differences

    def test_other_fields_are_chosen(self):
        want, have = golden(pod("x", scores=[1])), golden(pod("x", scores=[2]))
        assert judged(want, have).differences[0].field == "scores"
        assert not judged(want, have, fields=("best",)).differences
        want, have = golden(pod("x", postFilter=1)), golden(pod("x"))
        assert judged(want, have).differences[0].field == "postFilter"
        assert not judged(want, have, fields=("best",)).differences

    def test_one_plugins_scores_are_chosen(self):
        def case(one, other):
            return golden(pod("x", scores=[{"node": "a", "plugins": {"P": {"raw": one},
                                                                     "Q": {"raw": other}}}]))
        want, have = case(1, 2), case(1, 3)
        assert not judged(want, have, fields=("scores:P", "scores:R", "best:P")).differences
        assert judged(want, have, fields=("scores:Q",)).differences[0].field == "scores:Q"

    def test_text_and_order_of_reasons_count(self):
        def case(reasons):
            return golden({"pod": "x", "nodes": [{"node": "a", "reasons": reasons}]})
        assert judged(case(["p", "q"]), case(["q", "p"])).differences
        assert judged(case(["p"]), case(["P"])).differences

    def test_each_field_of_a_step_counts_up_to_the_first_difference(self):
        steps = [{"do": "add", "active": ["a"]}, {"do": "pop", "popped": "a"}, {"do": "list"}]
        want = {"name": "c", "steps": steps}
        assert (judged(want, want).compared, judged(want, want).differences) == (1, [])
        assert judged({"name": "c", "steps": None}, {"name": "c", "steps": None}).differences == []
        for change in ({"popped": "b"}, {"error": "boom"}):
            have = {"name": "c", "steps": [steps[0], {**steps[1], **change}, {"do": "?"}]}
            difference, = judged(want, have).differences
            assert difference.field in change
            assert str(difference).startswith(f"step 1 (pop), {difference.field} differs")
        for have in ({"name": "c", "steps": steps[:2]}, {"name": "c", "steps": [*steps, steps[0]]},
                     {"name": "d", "steps": steps}, {"name": "c", "error": "bad"},
                     {"name": "c", "steps": [{}, *steps[1:]]}):
            assert judged(want, have).differences
        assert judged({"name": "c", "error": "bad"}, want).differences

    def test_times_of_cycles_count_to_the_millisecond(self):
        def case(**fields):
            return {"name": "c", "steps": [{"do": "start", **fields}]}

        def differ(one, other, kind="schedule"):
            return bool(compare_cycles(kind, one, json.dumps(other), FIELDS).differences)
        early, late = ({"pods": [{"at": at}], "now": 5, "attempts": 1} for at in (7_000_001, 7_999_999))
        assert not differ(case(**early), case(**late))
        assert differ(case(**early), case(**{**late, "pods": [{"at": 8_000_000}]}))
        assert differ(case(**early), case(**{**late, "attempts": 2}))
        one, other = (case(queue={"inFlight": names})
                      for names in (["pod b", "pod a", "Node/Add", "pod c"], ["pod a", "pod b", "Node/Add", "pod c"]))
        assert differ(one, other) and not differ(one, other, "podgroup")
        moved = case(queue={"inFlight": ["pod a", "Node/Add", "pod b", "pod c"]})
        assert differ(one, moved, "podgroup")
        for answer in (Crash("killed", ""), "no json", "[]", json.dumps({"name": "c", "error": "boom"})):
            assert compare_cycles("schedule", case(), answer, FIELDS).differences

    def test_metrics_at_the_end_of_a_script_are_compared(self):
        def case(metrics=None, do="start"):
            return {"name": "c", "steps": [{"do": do}]} | ({"metrics": metrics} if metrics is not None else {})

        def differences(one, other):
            return [found.field for found in compare_cycles("schedule", one, json.dumps(other), FIELDS).differences]
        assert not differences(case({"now": 1_000_000}), case({"now": 1_000_000}))
        assert differences(case({"a": 1, "b": 2}), case({"a": 3, "c": 4})) == ["metrics: a", "metrics: b", "metrics: c"]
        assert differences(case({"a": 1}), case()) == differences(case(), case({"a": 1})) == ["metrics: a"]
        # They follow from the steps, so a step that differs is enough.
        assert differences(case({"a": 1}), case({"a": 2}, do="stop")) == ["do"]

    def test_cycles_with_an_unknown_gate_are_left_out(self):
        golden_one = {"name": "c", "steps": []}
        refused = {"name": "c", "error": "feature gates set to values that libsched does not implement yet: A=true (x)"}
        verdict = compare_cycles("schedule", golden_one, json.dumps(refused), FIELDS)
        assert (verdict.left_out, verdict.pods, verdict.compared, verdict.differences) == (["A"], 1, 0, [])

    def test_pod_that_needs_a_missing_plugin(self):
        want = golden(pod("x", preFilter={"skipFilter": ["Spread"]}), pod("y", nodes="a"))
        have = golden({"pod": "x", "error": 'pod needs plugin "Spread", which is not there'}, pod("y"))
        verdict = judged(want, have)
        assert verdict.left_out == ["Spread"] and verdict.skipped_upstream == 1
        assert (verdict.pods, verdict.compared) == (2, 1)
        assert {d.pod for d in verdict.differences} == {"y"}

    def test_other_errors_are_not_left_out(self):
        verdict = judged(golden(pod("x")), golden({"pod": "x", "error": "plugin missing"}))
        assert not verdict.left_out and verdict.differences

    def test_in_mode_schedule_later_pods_go_too(self):
        missing = {"pod": "x", "error": 'needs plugin "A"'}
        want = golden(pod("w"), pod("x"), pod("y"), mode="schedule")
        verdict = judged(want, golden(pod("w"), missing, pod("y", nodes="a"), mode="schedule"))
        assert verdict.left_out == ["A", "A"] and verdict.compared == 1 and not verdict.differences

    def test_pods_must_be_the_same(self):
        assert judged(golden(pod("x")), golden(pod("y"))).differences[0].field == "pods"
        assert judged(golden(pod("x")), golden()).differences[0].field == "pods"

    def test_case_errors(self):
        failed = {"name": "c", "error": "config: odd"}
        assert not judged(failed, failed).differences
        assert judged(failed, {"name": "c", "error": "config: other"}).differences
        assert judged(failed, golden(pod("x"))).differences
        assert judged(golden(pod("x")), failed).differences

    @pytest.mark.parametrize("answer", ["", "no json", "[]", "null", "3", '{"pods": '])
    def test_nonsense(self, answer):
        assert compare(golden(pod("x")), answer).differences[0].field == "case"

    def test_crash(self):
        verdict = compare(golden(pod("x")), Crash("killed by signal 11", "text"))
        assert verdict.differences[0].field == "crash" and "signal 11" in str(verdict.differences[0])


class TestMutants:
    REFUSED = {"name": "c", "error": "pods[0]: json: cannot unmarshal number"}
    CASES = HERE.parent / "goldens" / work.DEFAULT_RELEASE

    def test_they_depend_on_the_generator_alone(self):
        for name in ("mixed.evaluate", "changes.schedule", "config.evaluate", "trace"):
            for text, _ in list(goldens.read(self.CASES / f"{name}.jsonl.xz"))[:20]:
                case = json.loads(text)
                mutants = [[json.dumps(mutation.mutate(case, random.Random(seed))) for seed in range(20)]
                           for _ in range(2)]
                assert mutants[0] == mutants[1] and len(set(mutants[0])) > 10
                assert case == json.loads(text), "the case itself stays"

    def test_every_part_is_reached(self):
        case = json.loads(next(goldens.read(self.CASES / "config.evaluate.jsonl.xz"))[0])
        changed = set()
        for seed in range(300):
            mutant = mutation.mutate(case, random.Random(seed))
            changed |= {key for key in {**case, **mutant} if case.get(key) != mutant.get(key)}
        assert {"objects", "pods", "config", "mode", "defaults"} <= changed

    def test_what_both_refuse_is_no_difference(self):
        other = {"name": "c", "error": "pods[0].spec: expected an object"}
        verdict = compare_mutant(self.REFUSED, json.dumps(other))
        assert verdict.refused and not verdict.differences
        for one, two in ((self.REFUSED, golden(pod("x"))), (golden(pod("x")), self.REFUSED)):
            assert compare_mutant(one, json.dumps(two)).differences[0].field == "case"
        assert compare_mutant(self.REFUSED, Crash("killed", "")).differences[0].field == "crash"
        assert compare_mutant(self.REFUSED, "no json").differences

    def test_the_words_of_configurations_count(self):
        want = {"name": "c", "error": "config: odd"}
        assert not compare_mutant(want, json.dumps({"error": "config: odd (a hint)"})).differences
        assert compare_mutant(want, json.dumps({"error": "config: strange"})).differences

    def test_what_is_known_is_counted_by_name(self):
        nameless = {"name": "c", "error": "pods[0].metadata.name: missing"}
        case = json.dumps({"objects": [], "pods": []})
        verdict = legitimate.compare_known(case, golden(pod("x")), json.dumps(nameless), ("nodes",))
        assert not verdict.differences and verdict.legitimate == "nameless"
        verdict = legitimate.compare_known(case, golden(pod("x")), json.dumps(golden()), ("nodes",))
        assert verdict.differences and not verdict.legitimate
        bound, waiting = ({"kind": "Pod", "metadata": {"name": name, "uid": "u"}} for name in "ab")
        refused = {"name": "c", "error": "pod u(default/b) is in the cache, so can't be assumed"}
        for uid, known in (("u", "uid"), ("v", "")):
            waiting["metadata"]["uid"] = uid
            case = json.dumps({"objects": [bound], "pods": [waiting]})
            verdict = legitimate.compare_known(case, refused, json.dumps(golden(pod("b"))), ("nodes",))
            assert verdict.legitimate == known and bool(verdict.differences) != bool(known)
        assert all(one.reason and len({two.name for two in legitimate.ALL}) == len(legitimate.ALL)
                   for one in legitimate.ALL)

    def test_a_nominated_pod_that_leaves_is_known(self):
        for time, known in (("2026-01-01T00:00:00Z", "leaving"), (None, "")):
            leaving = {"kind": "Pod", "metadata": {"name": "a", "deletionTimestamp": time},
                       "status": {"nominatedNodeName": "n"}}
            case = json.dumps({"objects": [leaving], "pods": []})
            verdict = legitimate.compare_known(case, golden(pod("x")), json.dumps(golden(pod("y"))), ("nodes",))
            assert verdict.legitimate == known and bool(verdict.differences) != bool(known)

    def test_invalid_values_of_fields_that_a_release_lacks_are_known(self):
        answer = json.dumps({"name": "c", "error": "pods[0].spec.resources.requests.cpu: expected a quantity"})
        for release, known in (("1.31", "later"), ("1.32", "")):
            case = json.dumps({"release": release})
            verdict = legitimate.compare_known(case, golden(pod("x")), answer, ("nodes",))
            assert verdict.legitimate == known and bool(verdict.differences) != bool(known)

    def test_a_pod_with_two_entries_of_the_queue_is_known(self):
        def ask(release, **ours):
            case = json.dumps({"name": "x", "mode": "queue", "release": release})
            golden = {"name": "x", "steps": [{"do": "activate", "active": ["d/p"], "backoff": ["d/p"]}]}
            answer = json.dumps({"name": "x", "steps": [{"do": "activate", **ours}]})
            return scripts.ScriptMutants(1, 2, 3).compare(case, golden, answer, ())
        assert ask("1.37", active=["d/p"]).legitimate == "two entries"
        assert ask("1.36", active=["d/p"]).differences
        assert ask("1.37", active=["d/p", "d/q"], backoff=["d/p"]).differences

    def test_all_modes_and_kinds_take_turns(self):
        chunks = mutated.chunks(("a", "b"), 1, 10_010, "folder")
        assert sum(chunk.count for chunk in chunks) == 10_010
        assert {(chunk.kind, chunk.mode) for chunk in chunks} == {
            ("a", "evaluate"), ("b", "evaluate"), ("a", "schedule"), ("b", "schedule"),
            ("trace", "trace"), ("configuration", "config")}
        assert {chunk.recorded for chunk in chunks if chunk.mode != "config"} == {"", "folder"}


class TestShrink:
    CASE = {"name": "c", "mode": "schedule", "defaults": True, "config": {"a": [1, 2, {"b": 3}]},
            "objects": [{"kind": "Node", "metadata": {"name": f"n{i}", "labels": {"l": i, "m": 0}}}
                        for i in range(20)],
            "pods": [{"kind": "Pod", "metadata": {"name": f"p{i}"}, "spec": {"want": i, "x": [1, 2]}}
                     for i in range(7)]}

    @staticmethod
    def interesting(case):
        return any(p.get("spec", {}).get("want") == 5 for p in case["pods"]) and \
            any(o["metadata"].get("labels", {}).get("l") == 13 for o in case["objects"])

    def test_to_the_core(self):
        small = shrinking.shrink(self.CASE, self.interesting)
        assert small == {
            "name": "c", "objects": [{"kind": "Node", "metadata": {"name": "n13", "labels": {"l": 13}}}],
            "pods": [{"kind": "Pod", "metadata": {"name": "p5"}, "spec": {"want": 5}}]}

    def test_the_case_itself_stays(self):
        before = json.dumps(self.CASE)
        shrinking.shrink(self.CASE, self.interesting)
        assert json.dumps(self.CASE) == before

    def test_config_and_mode_are_kept_if_they_matter(self):
        def interesting(case):
            return case.get("mode") == "schedule" and {"b": 3} in case.get("config", {}).get("a", [])
        small = shrinking.shrink(self.CASE, interesting)
        assert small == {"name": "c", "mode": "schedule", "config": {"a": [{"b": 3}]},
                         "objects": [], "pods": []}

    def test_stops_in_time(self):
        ticks = iter(range(10**9))
        asked = []

        def interesting(case):
            asked.append(case)
            return True
        shrinking.shrink(self.CASE, interesting, seconds=10, clock=lambda: next(ticks))
        assert len(asked) <= 10


def program(tmp_path, name, body):
    path = tmp_path / name
    path.write_text(f"#!{sys.executable}\nimport json, sys, time\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return [str(path)]


ECHO = "for line in sys.stdin:\n    print(line.strip(), flush=True)\n"


class TestService:
    def test_one_process_for_all(self, tmp_path):
        command = program(tmp_path, "count", "n = 0\nfor line in sys.stdin:\n"
                          "    n += 1\n    print(n, line.strip(), flush=True)\n")
        with Service(command) as service:
            assert service.ask(["a", "b"]) == ["1 a", "2 b"]
            assert service.ask([]) == []
            assert service.ask(["c"]) == ["3 c"]

    @pytest.mark.parametrize("body", [
        ECHO,
        # Reads everything before it answers, which is more than any pipe holds.
        "lines = [sys.stdin.readline() for _ in range(40)]\n"
        "for line in lines:\n    print(line.strip(), flush=True)\n"])
    def test_large_lines_both_ways(self, tmp_path, body):
        texts = [str(i) * 200_000 for i in range(10)] * 4
        with Service(program(tmp_path, "echo", body), timeout=60) as service:
            assert service.ask(texts) == texts

    def test_talks_before_it_listens(self, tmp_path):
        body = "for _ in range(3):\n    print('x' * 300_000, flush=True)\ntime.sleep(0.2)\n" + ECHO
        with Service(program(tmp_path, "talk", body)) as service:
            assert len(service.ask(["y" * 300_000] * 3)) == 3

    def test_half_a_line_is_no_answer(self, tmp_path):
        body = ("for line in sys.stdin:\n    if 'bad' in line:\n        print('half', end='', flush=True)\n"
                "        sys.exit(7)\n    print(line.strip(), flush=True)\n")
        with Service(program(tmp_path, "rude", body)) as service:
            answers = service.ask(["a", "bad", "c"])
        assert answers[0] == "a" and isinstance(answers[1], Crash) and answers[2] == "c"

    def test_crash_is_found_and_the_rest_answered(self, tmp_path):
        body = ("for line in sys.stdin:\n    if 'bad' in line:\n"
                "        print('no such thing', file=sys.stderr)\n        sys.exit(7)\n"
                "    print(line.strip(), flush=True)\n")
        with Service(program(tmp_path, "picky", body)) as service:
            answers = service.ask(["a", "b", "bad", "c", "bad 2", "d"])
        assert [a for a in answers if isinstance(a, str)] == ["a", "b", "c", "d"]
        assert isinstance(answers[2], Crash) and isinstance(answers[4], Crash)
        assert "exit code 7" in str(answers[2]) and "no such thing" in str(answers[2])

    def test_hang(self, tmp_path):
        body = "for line in sys.stdin:\n    time.sleep(60 if 'bad' in line else 0)\n" \
               "    print(line.strip(), flush=True)\n"
        begin = time.monotonic()
        with Service(program(tmp_path, "slow", body), timeout=4) as service:
            answers = service.ask(["a", "bad", "c"])
        assert answers[0] == "a" and answers[2] == "c" and "no answer within" in str(answers[1])
        assert time.monotonic() - begin < 50

    def test_answers_that_are_never_flushed(self, tmp_path):
        with Service(program(tmp_path, "late", "print(sys.stdin.read())\n"), timeout=0.5) as service:
            with pytest.raises(ServiceError, match="must be flushed"):
                service.ask(["a"])

    def test_no_such_program(self):
        with pytest.raises(ServiceError, match="cannot start /nonexistent"):
            Service(["/nonexistent"]).ask(["a"])


def test_goldens_round_trip(tmp_path):
    pairs = [('{"name":"a","x":",\\"golden\\":{"}', '{"pods":[]}'),
             ('{"b": {"golden": {}},"golden":{"y":1}}', '{"pods": [{"é":1}]}')]
    path = tmp_path / "1.36" / "kind.evaluate.jsonl.xz"
    goldens.write(path, pairs)
    assert list(goldens.read(path)) == pairs
    assert goldens.files(tmp_path) == [("kind", "evaluate", path)]
    assert [chunk.count for chunk in work.recorded(tmp_path)[0]] == [2]
    assert [chunk.count for chunk in work.recorded(tmp_path, release="1.36")[0]] == [2]
    assert not work.recorded(tmp_path, release="1.37")[0]
    assert [chunk.pairs for chunk in work.recorded(tmp_path, first=1)[0]] == [(pairs[0],)]
    first = path.read_bytes()
    goldens.write(path, pairs)
    assert path.read_bytes() == first


@pytest.fixture(name="oracle")
def fixture_oracle(tmp_path):
    return program(tmp_path, "oracle", f"sys.path.insert(0, {str(HERE)!r})\n"
                   "import fake_oracle\nfake_oracle.main(sys.argv[1:])\n")[0]


FAKE = f"sys.path.insert(0, {str(HERE)!r})\nimport fake_oracle\nfor line in sys.stdin:\n" \
       "    case = json.loads(line)\n    answer = fake_oracle.answer(case)\n"


class TestWholeRuns:
    """Runs conformance.main() as from the command line, with stand-ins as separate programs."""

    @staticmethod
    def run(tmp_path, oracle, body, *arguments):
        command = program(tmp_path, "libsched",
                          FAKE + body + "    print(json.dumps(answer), flush=True)\n")[0]
        return conformance.main(["--oracle", oracle, "--libsched", command, "--seeds", "30", "--kinds",
                                 "basic,taints", "--start", "7", "--out", str(tmp_path / "out"),
                                 *arguments])

    def test_equal(self, tmp_path, oracle, capsys):
        assert self.run(tmp_path, oracle, "") == 0
        out = capsys.readouterr().out
        assert out.splitlines()[-1] == "60 passed, 0 failed" and "--start 7" in out

    def test_fresh_seeds(self, tmp_path, oracle, capsys):
        command = program(tmp_path, "libsched", FAKE + "    print(json.dumps(answer), flush=True)\n")
        starts = set()
        for _ in range(2):
            assert conformance.main(["--oracle", oracle, "--libsched", command[0], "--seeds", "2",
                                     "--kinds", "basic"]) == 0
            starts.add(capsys.readouterr().out.split("--start ")[1].split(")")[0])
            time.sleep(1.1)
        assert len(starts) == 2

    def test_difference_is_shrunk(self, tmp_path, oracle, capsys):
        bug = ("    for pod, r in zip(case['pods'], answer['pods']):\n"
               "        if pod['spec'].get('size') == 3 and len(case['objects']) > 1:\n"
               "            r['nodes'][1]['code'] = 'Wrong'\n") \
            .replace("pod['spec']", "pod.get('spec', {})")
        assert self.run(tmp_path, oracle, bug, "--shrink", "1") == 1
        out = capsys.readouterr().out
        assert "nodes differs" in out and " failed" in out.splitlines()[-1]
        assert " 0 failed" not in out.splitlines()[-1]
        small = [json.loads(p.read_text()) for p in (tmp_path / "out").glob("*.small.json")]
        assert len(small) == 1
        assert [p["spec"] for p in small[0]["pods"]] == [{"size": 3}]
        assert len(small[0]["objects"]) == 2 and "labels" not in small[0]["objects"][0]["metadata"]
        assert len(list((tmp_path / "out").glob("*.small.libsched.json"))) == 1

    def test_crash_is_a_difference(self, tmp_path, oracle, capsys):
        bug = "    if any(p.get('spec', {}).get('size') == 8 for p in case['pods']):\n        sys.exit(5)\n"
        assert self.run(tmp_path, oracle, bug, "--shrink", "1") == 1
        out = capsys.readouterr().out
        assert "exit code 5" in out
        small, = [json.loads(p.read_text()) for p in (tmp_path / "out").glob("*.small.json")]
        assert small["objects"] == [] and [p["spec"] for p in small["pods"]] == [{"size": 8}]

    def test_left_out(self, tmp_path, oracle, capsys):
        missing = ("    for pod, r in zip(case['pods'], answer['pods']):\n"
                   "        if pod['spec']['plugin'] == 'A':\n"
                   "            r.pop('nodes')\n            r['error'] = 'pod needs plugin \"A\"'\n")
        assert self.run(tmp_path, oracle, missing) == 1
        out = capsys.readouterr().out
        assert "more than 5 %" in out and "A " in out and " 0 failed" in out.splitlines()[-1]
        assert self.run(tmp_path, oracle, missing, "--max-left-out", "90:basic,taints") == 0

    def test_all_left_out_is_no_success(self, tmp_path, oracle):
        missing = "    for r in answer['pods']:\n        r['error'] = 'needs plugin \"A\"'\n"
        assert self.run(tmp_path, oracle, missing, "--max-left-out", "100:basic") != 0

    def test_defaults_in_half_of_the_cases(self, tmp_path, oracle):
        log = tmp_path / "log"
        note = f"    open({str(log)!r}, 'a').write(str(case.get('defaults')) + ' ')\n"
        assert self.run(tmp_path, oracle, note, "--defaults", "--jobs", "1") == 0
        seen = log.read_text().split()
        assert seen.count("True") == seen.count("None") == 30

    def test_mutants(self, tmp_path, oracle, capsys, monkeypatch):
        """A fault that no generated case shows is found, made small, and found again by its seed."""
        monkeypatch.setattr(mutated, "_golden", lambda folder, kind, mode: [
            (json.dumps(case), "") for case in fake_oracle.generate(
                ["-kind", kind, "-mode", mode, "-seed", "1", "-count", "20", "-nasty", "0"])])
        bug = ("    for pod, r in zip(case.get('pods') or (), answer.get('pods') or ()):\n"
               "        size = (pod.get('spec') or {}).get('size')\n"
               "        if isinstance(size, int) and size >= 2**31 - 1:\n"
               "            r['feasible'] = ['wrong']\n")
        arguments = ["--mutate", "1000", "--seed", "5", "--shrink", "1", "--jobs", "2"]
        assert self.run(tmp_path, oracle, "", *arguments) == 0
        assert " 0 failed" in capsys.readouterr().out.splitlines()[-1]
        found = []
        for _ in range(2):
            assert self.run(tmp_path, oracle, bug, *arguments) == 1
            out = capsys.readouterr().out
            assert "repeat with --mutate 1000 --seed 5" in out.splitlines()[-2]
            found.append(out.splitlines()[-1])
        assert found[0] == found[1] and " 0 failed" not in found[0]
        small = json.loads(next((tmp_path / "out").glob("*.small.json")).read_text())
        assert [p["spec"].keys() for p in small["pods"]] == [{"size"}] and not small["objects"]

    def test_scripts_have_one_mode(self, tmp_path, oracle, capsys):
        options = conformance.parse(["--oracle", oracle, "--mode", "all", "--seeds", "4", "--kinds", "basic,queue"])
        planned = [(plan.kind, plan.mode, plan.count) for plan in conformance.planned(options, options.kinds, 1)]
        assert planned == [("basic", "evaluate", 2), ("basic", "evaluate", 2), ("basic", "schedule", 2),
                           ("basic", "schedule", 2), ("queue", "queue", 2), ("queue", "queue", 2)]
        options = conformance.parse(["--oracle", oracle, "--seeds", "2", "--kinds", "schedule,podgroup"])
        assert {plan.mode for plan in conformance.planned(options, options.kinds, 1)} == {"cycles"}

    def test_mutants_of_scripts(self, tmp_path, oracle, capsys):
        """A fault after steps that no generated case has is found, and the script is made small."""
        bug = ("    does = [step['do'] for step in case.get('script', ())]\n"
               "    if 'flushBackoff' in does and 'popSpecific' in does[does.index('flushBackoff'):]:\n"
               "        answer['steps'][does.index('flushBackoff')]['number'] = -1\n")
        arguments = ["--mutate", "100", "--seed", "5", "--kinds", "queue"]
        assert self.run(tmp_path, oracle, "", *arguments) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "100 passed, 0 failed"
        assert self.run(tmp_path, oracle, bug, *arguments, "--shrink", "1") == 1
        assert "(flushBackoff), number differs" in capsys.readouterr().out
        small = json.loads(next((tmp_path / "out").glob("*.small.json")).read_text())
        assert [step["do"] for step in small["script"]] == ["flushBackoff", "popSpecific"]
        assert "options" not in small

    def test_another_release(self, tmp_path, oracle, capsys):
        """Its own oracle judges, libsched is told the release, and modes that the oracle lacks are skipped by name."""
        judge = "import fake_oracle\nif sys.argv[1] == 'gen':\n    sys.exit('no generator')\n"
        program(tmp_path, "oracle-1.34", f"sys.path.insert(0, {str(HERE)!r})\n" + judge
                + "fake_oracle.main(sys.argv[1:])\n")
        log = tmp_path / "log"
        note = f"    open({str(log)!r}, 'a').write(str(case.get('release')) + ' ')\n"
        arguments = ["--kinds", "basic,queue", "--seeds", "4"]
        assert self.run(tmp_path, oracle, note, *arguments, "--release", "1.34") == 0
        out = capsys.readouterr().out
        assert "for 1.34: queue (mode queue)" in out and out.splitlines()[-1] == "4 passed, 0 failed"
        assert set(log.read_text().split()) == {"1.34"}
        bug = "    if answer.get('pods'):\n        answer['pods'][0]['feasible'] = ['?']\n"
        assert self.run(tmp_path, oracle, bug, *arguments, "--release", "1.34", "--shrink", "1") == 1
        small = json.loads(next((tmp_path / "out").glob("*.small.json")).read_text())
        assert small["release"] == "1.34"
        log.unlink()
        assert self.run(tmp_path, oracle, note, *arguments, "--release", "1.36") == 0
        assert set(log.read_text().split()) == {"1.36"}

    def test_release_that_libsched_or_the_oracles_lack(self, tmp_path, oracle, capsys):
        refusal = "    if case.get('release'):\n        answer = {'error': 'release: not available yet'}\n"
        assert self.run(tmp_path, oracle, refusal, "--release", "1.34") == 2
        assert "libsched does not answer for 1.34: release: not available yet" in capsys.readouterr().err
        assert self.run(tmp_path, oracle, "", "--release", "1.34") == 2
        assert "oracle-1.34" in capsys.readouterr().err
        with pytest.raises(SystemExit):
            conformance.parse(["--oracle", oracle, "--release", "1.34", "--documents", "9"])

    def test_gates_that_a_release_lacks_are_left_out(self):
        case = {"gates": {"GangScheduling": True, "GenericWorkload": True}}
        assert work.Judges([], "o").of_release(case) == case
        assert work.Judges([], "o", release="1.37").of_release(case) == {
            "gates": {"GenericWorkload": True}, "release": "1.37"}

    def test_missing_command(self, tmp_path, oracle, capsys):
        assert conformance.main(["--oracle", oracle, "--libsched", "/nonexistent", "--seeds", "3"]) == 2
        assert "cannot start" in capsys.readouterr().err

    def test_record_and_compare(self, tmp_path, oracle, capsys):
        folder = tmp_path / "goldens"
        arguments = ["--oracle", oracle, "--record", str(folder), "--kinds", "basic,taints"]
        assert conformance.main(arguments) == 0
        before = {p.name: p.read_bytes() for p in (folder / "1.36").iterdir()}
        assert {"basic.evaluate.jsonl.xz", "taints.schedule.jsonl.xz", "PROVENANCE.md"} <= set(before)
        assert "toy v1" in before["PROVENANCE.md"].decode()
        assert conformance.main(arguments) == 0
        assert {p.name: p.read_bytes() for p in (folder / "1.36").iterdir()} == before
        capsys.readouterr()

        right = program(tmp_path, "right", FAKE + "    print(json.dumps(answer), flush=True)\n")[0]
        assert conformance.main(["--goldens", str(folder), "--libsched", right]) == 0
        out = capsys.readouterr().out
        assert out.splitlines()[-1] == "340 passed, 0 failed" and "not compared" not in out
        wrong = program(tmp_path, "wrong", FAKE + "    answer['pods'][0]['feasible'] = ['?']\n"
                        "    print(json.dumps(answer), flush=True)\n")[0]
        assert conformance.main(["--goldens", str(folder), "--libsched", wrong, "--kinds", "basic",
                                 "--mode", "evaluate", "--out", str(tmp_path / "out")]) == 1
        assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 120 failed"

    def test_record_scripts(self, tmp_path, oracle):
        assert conformance.main(["--oracle", oracle, "--record", str(tmp_path), "--kinds", "queue"]) == 0
        (kind, mode, path), = goldens.files(tmp_path)
        assert (kind, mode, path.name, len(list(goldens.read(path)))) == ("queue", "queue", "queue.jsonl.xz", 300)
        assert "| queue | 20260101 to 20260300 |" in (tmp_path / "1.36/PROVENANCE.md").read_text()


def test_every_step_of_a_mutant_is_possible():
    case, = fake_oracle.generate(["-kind", "queue", "-seed", "1", "-count", "1", "-nasty", "0"])
    counts = dict.fromkeys(("run", "update", "activate", "delete"), 0)
    for seed in range(300):
        script = json.loads(json.dumps(case["script"])) + [{"do": "delete", "name": "default/p1"}]
        scripts.mutate(script, random.Random(seed))
        there, runs = set(), 0
        for step in script:
            runs += step["do"] == "run"
            counts[step["do"]] = counts.get(step["do"], 0) + 1
            if step["do"] == "add":
                there.add(scripts.key_of(step["pod"]))
            elif step["do"] == "update":
                assert scripts.key_of(step["pod"]) in there
            for name in step.get("names", [step["name"]] if "name" in step else []):
                assert name in there
            there.discard(step["name"] if step["do"] == "delete" else None)
        assert runs <= 1
    assert min(counts.values()) > 20


def test_table_and_closing_line():
    kinds = {"basic": report.KindCounts()}
    kinds["basic"].add(judged(golden(pod("x")), golden({"pod": "x", "error": 'needs plugin "P"'})))
    kinds["basic"].add(judged(golden(pod("x")), golden(pod("x"))))
    lines = report.table(kinds)
    assert "50.0 %" in lines[1] and "P 1 (50.0 %)" in lines[1]
    assert report.closing_line(kinds) == "1 passed, 0 failed, 1 skipped"


def test_the_stand_in_is_deterministic():
    arguments = ["-kind", "basic", "-seed", "3", "-count", "2", "-nasty", "0.5", "-mode", "evaluate"]
    assert list(fake_oracle.generate(arguments)) == list(fake_oracle.generate(arguments))
