"""Records goldens: cases of every kind with upstream's answers and their provenance."""

import json

from . import goldens, mutated, work
from .report import Progress
from .service import Crash, Service, ServiceError

# Recordings of each kind: mode, chance of odd values, cases, whether half ask for defaults.
RECIPE = (("evaluate", 0.05, 60, False), ("evaluate", 0.5, 40, False), ("evaluate", 0.05, 20, True),
          ("schedule", 0.05, 30, False), ("schedule", 0.5, 20, False))
# Of releases that are not full: 30 cases of each kind.
SMALL = (("evaluate", 0.05, 15, False), ("evaluate", 0.5, 5, False), ("schedule", 0.05, 10, False))
FULL = ("1.36", "1.37")
# Of a kind whose consecutive seeds cover all that it is about, fewer suffice.
FEWER = {"points": (("evaluate", 0.05, 20, False), ("schedule", 0.05, 20, False))}
START = 20260101
TRACES = 400  # cases of mode trace, which have one form only
# Of kinds that are scripts: chance of odd values, cases.
SCRIPTS = {"queue": ((0.05, 200), (0.5, 100)), "schedule": ((0.05, 200), (0.5, 100)),
           "podgroup": ((0.05, 30), (0.5, 10)), "placement": ((0.05, 30), (0.5, 10)),
           "workload": ((0.05, 60), (0.5, 20)), "composite": ((0.05, 40), (0.5, 10)),
           "resize": ((0.05, 30), (0.5, 10)), "cel": ((0.05, 2500), (0.5, 500)),
           "dra": ((0.05, 40), (0.5, 20)), "dra2": ((0.05, 120), (0.5, 60)),
           "drascore": ((0.05, 60), (0.5, 20)), "draclasses": ((0.05, 40), (0.5, 20)),
           "draallocatable": ((0.05, 60), (0.5, 20)),
           "celany": ((0.05, 200), (0.5, 50))}
MUTANTS = 800  # of all kinds and modes
_ABOUT_MUTANTS = f"""\
The files `{work.MUTATED}.*` hold {MUTANTS} mutants of generated cases of all kinds, made with the seed {{}}, but
for those to which upstream gives another answer when it is asked again. A case that upstream refuses is
recorded as `{{{{"name", "error"}}}}`.

"""
_ABOUT_SCRIPTS = """\
Only in kinds podgroup, placement, workload and composite may times differ by microseconds, and neighbouring pods in flight may have another order, because upstream takes the members of a
group in the order of a map; neither is compared. In kind cel, answers that depend on the order of a map are marked
`unordered` when upstream's own repetitions differed. Every third case of kinds dra2, drascore and draclasses has the feature gate
DRADeviceTaintRules, and every third one has other gates of devices turned off. Kind draallocatable has the gate
DRANodeAllocatableResources.
"""


def all_kinds(oracle):
    """All kinds of the generator whose cases are of mode evaluate or schedule."""
    return [kind for kind in work.ask_once([oracle, "gen", "-list"]).split() if kind not in work.ONE_MODE]


def plans(kind, start, release):
    """The parts of one kind; seeds count up from one part to the next."""
    if release not in FULL:
        for mode, nasty, count, defaults in SMALL:
            yield work.Generated(kind, mode, start, count, nasty, defaults)
            start += count
        return
    if kind == "trace":
        yield work.Generated(kind, "trace", start, TRACES, 0)
        return
    if kind in work.ONE_MODE:
        for nasty, count in SCRIPTS[kind]:
            yield work.Generated(kind, work.ONE_MODE[kind], start, count, nasty)
            start += count
        return
    for mode, nasty, count, defaults in FEWER.get(kind, RECIPE):
        yield work.Generated(kind, mode, start, count, nasty, defaults)
        start += count


def record(options, kinds):
    """Writes RELEASE/KIND.MODE.jsonl.xz and PROVENANCE.md; a case that upstream cannot run is an error."""
    release = options.release or work.DEFAULT_RELEASE
    everything = options.kinds in (None, ["all"]) and release in FULL
    mutable = [kind for kind in kinds if kind not in FEWER]
    if everything:
        kinds = [*kinds, "trace", *(kind for kind in SCRIPTS if work.has_kind(release, kind))]
    elif options.kinds not in (None, ["all"]):
        kinds = options.kinds
    start = START if options.start is None else options.start
    judging = work.judging(options.oracle, release)
    version = work.ask_once([judging, "version"]).strip()
    folder = f"{options.record}/{release}"
    progress = Progress(sum(plan.count for kind in kinds for plan in plans(kind, start, release))
                        + everything * MUTANTS)
    rows = []
    command = [judging, "run", "-compact", "-j", "2"]
    with Service(command, options.timeout) as oracle, \
            Service([*command, "-keep-going"], options.timeout) as lenient:
        for kind in kinds:
            pairs = {}
            for plan in plans(kind, start, release):
                texts = _of_release(plan.cases(options.oracle), release)
                for text, golden in zip(texts, oracle.ask(texts)):
                    if isinstance(golden, Crash):
                        raise ServiceError(f"{kind}: {golden}")
                    pairs.setdefault(plan.mode, []).append((text, golden))
                    progress.step(kind, False)
            for mode, list_of_pairs in pairs.items():
                name = goldens.name(kind, mode)
                path = f"{folder}/{name}"
                size = goldens.write(path, list_of_pairs)
                rows.append((name, len(list_of_pairs), size, goldens.digest(path)))
        if everything:
            for mode, pairs in _mutants(options.oracle, mutable, start, release, lenient, progress).items():
                name = goldens.name(work.MUTATED, mode)
                size = goldens.write(f"{folder}/{name}", pairs)
                rows.append((name, len(pairs), size, goldens.digest(f"{folder}/{name}")))
    progress.clear()
    with open(f"{folder}/PROVENANCE.md", "w", encoding="utf-8") as file:
        file.write(provenance(version, start, rows, options))
    print(f"{len(rows)} files, {sum(row[1] for row in rows)} cases, "
          f"{sum(row[2] for row in rows) / 1e6:.1f} MB in {folder}")
    return 0


def _of_release(texts, release):
    return [work.line(work.of_release(json.loads(text), release)) for text in texts]


def _mutants(program, kinds, seed, release, oracle, progress):
    """Pairs by mode. Cases whose answer upstream leaves to chance (it differs when asked again) are dropped."""
    pairs = {}
    for chunk in mutated.chunks(kinds, seed, MUTANTS):
        texts = _of_release(chunk.cases(program), release)
        asked = [oracle.ask(texts) for _ in range(6)]
        for text, *answers in zip(texts, *asked):
            progress.step(work.MUTATED, False)
            if len(set(map(str, answers))) == 1 and isinstance(answers[0], str):
                pairs.setdefault(chunk.mode, []).append((text, answers[0]))
    return pairs


def provenance(version, start, rows, options):
    """The text of PROVENANCE.md."""
    release = options.release or work.DEFAULT_RELEASE
    full = release in FULL
    recipes = (("", RECIPE), *((f" ({kind})", one) for kind, one in FEWER.items())) if full else (("", SMALL),)
    minor = "" if release == work.DEFAULT_RELEASE else f" --release {release}"
    chosen = f" --kinds {','.join(options.kinds)}" if options.kinds else ""
    seeded = f" --start {options.start}" if options.start is not None else ""
    single = [f"| trace | {start} to {start + TRACES - 1} | 0 | no |"] if full else []
    for kind, parts in SCRIPTS.items() if full else ():
        seed = start
        for nasty, count in parts:
            mode = work.ONE_MODE[kind]
            of_kind = "" if mode == kind else f" ({kind})"
            single.append(f"| {mode}{of_kind} | {seed} to {seed + count - 1} | {nasty:g} | no |")
            seed += count
    mutants = _ABOUT_MUTANTS.format(start) if any(
        row[0].startswith(work.MUTATED) for row in rows) else ""
    parts = [f"| {mode}{of_kind} | {seed} to {seed + count - 1} | {nasty:g} | "
             f"{'every second case' if defaults else 'no'} |"
             for of_kind, recipe in recipes
             for (mode, nasty, count, defaults), seed in zip(recipe, _seeds(recipe, start))] + single
    files = [f"| `{name}` | {count} | {size} | `{digest[:16]}` |" for name, count, size, digest in rows]
    scripts = _ABOUT_SCRIPTS if full else ""
    return f"""# Where the goldens of {release} come from

Each file holds lines `{{"case": ..., "golden": ...}}`: a case of the oracle's generator and the answer of the
real upstream framework (formats: tests/oracle/README.md). Made with {version}, by:

    tests/oracle/build.sh {" ".join(sorted({work.DEFAULT_RELEASE, release}))}
    python3 tests/conformance/conformance.py --oracle build/oracle/oracle --record {options.record}{minor}{chosen}{seeded}

Seeds count up from {start}; none was left out or chosen by its outcome. Of each kind:

| mode | seeds | chance of odd values | API defaults |
|---|---|---|---|
""" + "\n".join(parts) + """

""" + mutants + """Recording again gives the same bytes (for another Go or Python release, the same lines).
""" + scripts + """
| file | cases | bytes | SHA-256 begins |
|---|---|---|---|
""" + "\n".join(files) + "\n"


def _seeds(recipe, start):
    for _, _, count, _ in recipe:
        yield start
        start += count
