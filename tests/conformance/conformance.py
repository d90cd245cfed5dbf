#!/usr/bin/env python3
"""Compares libsched with the real upstream framework, case by case.

    conformance.py --oracle build/oracle/oracle --libsched .venv/bin/libsched     fresh cases
    conformance.py --oracle build/oracle/oracle --release 1.34                    ... for 1.34
    conformance.py --oracle build/oracle/oracle --documents 50000                 mutated texts
    conformance.py --goldens tests/goldens --libsched .venv/bin/libsched          recorded ones
    conformance.py --oracle build/oracle/oracle --mutate 50000                    mutants of both
    conformance.py --oracle build/oracle/oracle --record tests/goldens            record

--oracle is that of 1.36, which makes the cases; with --release 1.34 they are judged by
the oracle beside it whose name ends in -1.34. Fresh cases have seeds derived from the time, which are printed; --start repeats a run. A case that
differs is shrunk and written to build/conformance. The exit code is 1 on any difference, 2 if nothing
could be compared.
"""

import argparse
import json
import os
import pathlib
import shlex
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness import documents, mutated, recording, report, scripts, shrinking, work  # noqa: E402
from harness.comparison import FIELDS, same_kind  # noqa: E402
from harness.service import ServiceError  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ("basic", "taints", "nodeaffinity", "ports", "config", "images", "podaffinity", "spread",
         "defaultspread", "volumes", "csilimit", "mixed", "changes",
         "preempt", "nominated", "drapreempt", "points")
# Kinds that are scripts, expressions, or claims of devices.
SCRIPTS = ("queue", "schedule", "podgroup", "placement", "workload", "composite", "evictions", "resize", "cel", "celany", "dra", "dra2", "drascore",
           "draclasses", "drastable", "draallocatable", "dragroups")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    add = parser.add_argument
    add("--libsched", default=".venv/bin/libsched", metavar="COMMAND",
        help="the command under test; `evaluate` is appended if it is one word (%(default)s)")
    add("--oracle", metavar="PROGRAM", help="the built oracle")
    add("--release", metavar="MINOR", help="compare the semantics of this minor release of Kubernetes, "
        f"by its oracle (default: {work.DEFAULT_RELEASE}); with --goldens, only that of the recorded ones")
    add("--goldens", metavar="DIR", help="compare with recorded goldens; needs no oracle")
    add("--first", type=int, metavar="N", help="of each file of goldens, the first N cases (all)")
    add("--record", metavar="DIR", help="record goldens instead of comparing")
    add("--documents", type=int, metavar="N",
        help="compare what the real decoders make of N mutated manifests and configurations")
    add("--mutate", type=int, metavar="N", help="compare N mutants of generated and recorded cases, of "
        "all modes; a tenth as many of scripts come on top")
    add("--seed", type=int, help="of the mutants (default: from the time)")
    add("--kinds", type=_words, help=f"comma-separated, or all ({','.join(KINDS + SCRIPTS)})")
    add("--seeds", type=int, default=300, help="cases per kind (%(default)s)")
    add("--start", type=int, help="the first seed (default: from the time)")
    add("--nasty", type=_numbers, default=[0.05, 0.5], metavar="P[,P]",
        help="chances of odd and invalid values; the seeds are shared out (0.05,0.5)")
    add("--mode", choices=("evaluate", "schedule", "trace", "queue", "all"),
        help="of the cases (fresh ones: evaluate, recorded ones: all)")
    add("--defaults", action="store_true", help="half of the cases ask for API defaults")
    for name in ("nodes", "existing", "pods"):
        add(f"--{name}", type=int, help=f"number of {name} per case, as of `oracle gen`")
    add("--jobs", type=int, help="cases judged at a time (2; mutants: one a core)")
    add("--fields", type=_words, default=list(FIELDS), help="fields of a pod that are compared "
        "(all); scores:PLUGIN is one plugin's part")
    add("--max-left-out", action="append", type=_limit, metavar="PERCENT:KINDS",
        help="fail if more pods of a kind are left out (5:basic,taints,nodeaffinity,ports)")
    add("--shrink", type=int, default=3, metavar="N", help="cases to make small (%(default)s)")
    add("--shrink-seconds", type=float, default=60, metavar="S", help="time for each (%(default)s)")
    add("--timeout", type=float, default=120, metavar="S", help="for an answer (%(default)s)")
    add("--out", default="build/conformance", metavar="DIR", help="for differing cases (%(default)s)")
    options = parser.parse_args(arguments)
    if not options.oracle and not options.goldens:
        parser.error("give --oracle for fresh cases or --goldens for recorded ones")
    if options.record and not options.oracle:
        parser.error("--record needs --oracle")
    if options.release and options.documents:
        parser.error(f"documents are of {work.DEFAULT_RELEASE}: --release goes with cases")
    if options.max_left_out is None:
        options.max_left_out = [_limit("5:basic,taints,nodeaffinity,ports")]
    if options.mutate and not options.oracle:
        parser.error("--mutate needs --oracle")
    if options.jobs is None:
        options.jobs = os.cpu_count() or 2 if options.mutate else 2
    if options.seed is None:
        options.seed = int(time.time() * 1000)
    if options.mode is None:
        options.mode = "all" if options.goldens else "evaluate"
    if options.fields == ["all"]:
        options.fields = list(FIELDS)
    return options


def _words(text):
    return [word for word in text.split(",") if word]


def _numbers(text):
    return [float(word) for word in _words(text)]


def _limit(text):
    percent, _, kinds = text.partition(":")
    return float(percent), _words(kinds)


def libsched_command(text):
    words = shlex.split(text)
    return words + ["evaluate"] if len(words) == 1 else words


def planned(options, kinds, start):
    """The cases to generate: the seeds of each kind, divided among the chances of odd values."""
    sizes = [word for name in ("nodes", "existing", "pods") if getattr(options, name) is not None
             for word in (f"-{name}", str(getattr(options, name)))]
    plan = []
    modes = ("evaluate", "schedule") if options.mode == "all" else (options.mode,)
    pairs = [(kind, mode) for kind in kinds
             for mode in ((work.ONE_MODE[kind],) if kind in work.ONE_MODE else modes)]
    for kind, mode in pairs:
        begin = 0
        for i, nasty in enumerate(options.nasty):
            end = options.seeds * (i + 1) // len(options.nasty)
            if end > begin:
                plan.append(work.Generated(kind, mode, start + begin, end - begin, nasty,
                                           options.defaults, tuple(sizes)))
            begin = end
    return plan


def answered(chunks, judges):
    """The chunks of modes that the release's oracle and libsched answer; prints what is skipped."""
    modes = set(judges.modes())
    skipped = sorted({f"{chunk.kind} (mode {chunk.mode})" for chunk in chunks if chunk.mode not in modes})
    if skipped:
        print(f"skipped, because nobody answers them for {judges.release}: {', '.join(skipped)}")
    return [chunk for chunk in chunks if chunk.mode in modes]


class Differing:
    """Stores, shrinks and prints the cases that differ."""

    def __init__(self, options, judges):
        self.options, self.judges = options, judges
        self.found = 0
        self.folder = pathlib.Path(options.out)

    def add(self, result):
        self.found += 1
        if self.found > max(self.options.shrink, 20):
            return
        case = json.loads(result.case)
        name = case.get("name") or f"case-{self.found}"
        first = result.verdict.differences[0]
        print(f"\n{name}: {first}")
        if len(result.verdict.differences) > 1:
            print(f"    and {len(result.verdict.differences) - 1} more differences")
        self.keep(f"{name}.case.json", case)
        if self.judges.oracle and self.found <= self.options.shrink:
            self.small(name, case, first, result.chunk)

    def small(self, name, case, first, chunk):
        def interesting(candidate):
            return any(same_kind(d, first) for d in self.judges.differences(candidate, chunk)[2])
        if not interesting(case):
            print("    asked again, the answers agree: one side depends on chance or on earlier cases")
            return
        small = self.judges.of_release(shrinking.shrink(case, interesting, self.options.shrink_seconds))
        golden, answer, differences = self.judges.differences(small, chunk)
        difference = next((d for d in differences if same_kind(d, first)), first)
        path = self.keep(f"{name}.small.json", small)
        self.keep(f"{name}.small.upstream.json", golden)
        try:
            self.keep(f"{name}.small.libsched.json", json.loads(answer))
        except (TypeError, ValueError):
            (self.folder / f"{name}.small.libsched.txt").write_text(str(answer) + "\n")
        print(f"  made small ({shrinking.size(case)} to {shrinking.size(small)} bytes), {path}:")
        text = json.dumps(small, ensure_ascii=False)
        print("    " + (text if len(text) < 5000 else text[:5000] + " ..."))
        print("  " + str(difference))

    def keep(self, name, value):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
        return path


def compare(options):
    judges = work.Judges(libsched_command(options.libsched), options.oracle, options.fields,
                         options.timeout, None if options.goldens else options.release or work.DEFAULT_RELEASE)
    kinds = None if options.kinds in (None, ["all"]) else options.kinds
    asked_for = options.release and not options.goldens
    with judges:
        if asked_for:
            judges.check_release()
        if options.mutate:
            again = f"--mutate {options.mutate} --seed {options.seed}"
            print(f"{options.mutate:,} mutants of generated and recorded cases (repeat with {again})")
            plain = [kind for kind in kinds or KINDS if kind not in work.ONE_MODE]
            chunks = mutated.chunks(plain, options.seed, options.mutate, ROOT / "tests/goldens") if plain else []
            if kinds is None or "queue" in kinds:
                chunks += scripts.chunks(options.seed, options.mutate // 10 if plain else options.mutate)
        elif options.goldens:
            chunks, others = work.recorded(options.goldens, kinds,
                                           None if options.mode == "all" else options.mode, options.first,
                                           options.release)
            if others:
                print(f"not compared (--kinds, --mode): {', '.join(others)}")
        else:
            start = options.start
            if start is None:
                start = int(time.time()) * 1000
            release = judges.release or work.DEFAULT_RELEASE
            wanted = kinds or ((*KINDS, *SCRIPTS) if options.kinds is None else
                               (*recording.all_kinds(options.oracle), *SCRIPTS))
            wanted = [kind for kind in wanted if kinds or work.has_kind(release, kind)]
            print(f"seeds from {start} (repeat with --start {start}), {options.seeds} a kind, "
                  f"nasty {','.join(f'{n:g}' for n in options.nasty)}, mode {options.mode}")
            chunks = [c for plan in planned(options, wanted, start) for c in plan.chunks()]
        if asked_for:
            chunks = answered(chunks, judges)
        counts = {}
        progress = report.Progress(sum(chunk.count for chunk in chunks))
        differing = Differing(options, judges)

        def each(result):
            label = result.chunk.kind + (f".{result.chunk.mode}" if options.mutate else "")
            counts.setdefault(label, report.KindCounts()).add(result.verdict)
            progress.step(result.chunk.kind, bool(result.verdict.differences))
            if result.verdict.differences:
                progress.clear()
                differing.add(result)
        work.run(judges, chunks, options.jobs, each)
        progress.clear()
    print("\n".join(report.table(counts)))
    wrong = differing.found > 0
    if wrong:
        print(f"cases that differ are in {options.out}")
    for percent, limited in options.max_left_out:
        for kind in limited:
            left_out = counts[kind].left_out_percent() if kind in counts else 0
            if left_out > percent:
                print(f"{kind}: {left_out:.1f} % of the pods were left out, more than {percent:g} %")
                wrong = True
    if options.mutate:
        print(f"repeat with {again}")
    print(report.closing_line(counts))
    if not sum(count.compared for count in counts.values()):
        print("nothing was compared", file=sys.stderr)
        return 2
    return 1 if wrong else 0


def main(arguments=None):
    options = parse(arguments)
    try:
        if options.record:
            return recording.record(options, KINDS)
        if options.documents:
            return documents.compare(options.oracle, options.documents, options.start, options.timeout,
                                     options.out)
        return compare(options)
    except ServiceError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
